"""Runs a sweep on a Ray cluster.

    python recipes/ray_sweep.py SWEEP DIR --shards 64 [--command mmscope]

Each shard is a task. Ray starts a task again on another node when its node is lost. This program writes
the lines of a shard to DIR when the shard has ended, so the nodes need no shared folder, only the command.
Started again, it runs the shards that have no file yet.
"""

import argparse
import subprocess
from pathlib import Path

import ray


@ray.remote(num_cpus=1, max_retries=-1)
def run_shard(command: str, sweep: str, number: int, shards: int) -> str:
    """Returns the lines of one shard."""
    words = [command, "sweep", "-", "--shard", f"{number}/{shards}", "--jobs", "1"]
    done = subprocess.run(words, input=sweep, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout


def run(command: str, sweep: str, folder: Path, shards: int) -> None:
    """Runs every shard that has no file in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    waiting = {}
    for number in range(1, shards + 1):
        file = folder / f"{number}-of-{shards}.jsonl"
        if not file.exists():
            waiting[run_shard.remote(command, sweep, number, shards)] = file
    while waiting:
        [ended], _ = ray.wait(list(waiting), num_returns=1)
        file = waiting.pop(ended)
        # A result file exists only if it is complete.
        part = file.with_suffix(".part")
        part.write_text(ray.get(ended))
        part.replace(file)
        print(f"{file}: {len(waiting)} shards left")


def main() -> None:
    """Reads the arguments."""
    parser = argparse.ArgumentParser(description="Runs a sweep on a Ray cluster.")
    parser.add_argument("sweep", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shards", type=int, default=64)
    parser.add_argument("--command", default="mmscope")
    words = parser.parse_args()
    ray.init()
    run(words.command, words.sweep.read_text(), words.folder, words.shards)


if __name__ == "__main__":
    main()
