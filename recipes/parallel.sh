#!/bin/sh
# Runs a sweep with GNU parallel: one command for each shard.
#
#   recipes/parallel.sh SWEEP DIR [SHARDS]
#
# MMSCOPE names the command if it is not on the PATH. A command that fails is started up to three times; each new start continues where the last one stopped. With several computers, add --sshloginfile to PARALLEL_OPTIONS; DIR must then be a shared folder.
set -eu
sweep=$1
dir=$2
shards=${3:-$(nproc)}

# shellcheck disable=SC2086
seq "$shards" | parallel --will-cite --retries 3 ${PARALLEL_OPTIONS:-} \
  "${MMSCOPE:-mmscope}" sweep "$sweep" --resume "$dir" --shard "{}/$shards" --jobs 1
