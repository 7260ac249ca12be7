#!/bin/bash
#SBATCH --job-name=mmscope-sweep
#SBATCH --array=1-64
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --requeue
#
# Runs a sweep as a Slurm array: one task for each shard.
#
#   sbatch recipes/slurm.sh SWEEP DIR
#
# MMSCOPE names the command if it is not on the PATH; DIR is a shared folder. A task that is requeued continues where it stopped. To repeat only some tasks, pass the total number of shards: SHARDS=64 sbatch --array=3,7 recipes/slurm.sh SWEEP DIR
set -eu
sweep=$1
dir=$2
shards=${SHARDS:-$SLURM_ARRAY_TASK_COUNT}

exec "${MMSCOPE:-mmscope}" sweep "$sweep" --resume "$dir" \
  --shard "$SLURM_ARRAY_TASK_ID/$shards" --jobs "${SLURM_CPUS_PER_TASK:-1}"
