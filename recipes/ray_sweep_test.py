"""Runs a sweep on a local cluster of two workers, and stops one of them in the middle.

    python recipes/ray_sweep_test.py COMMAND SWEEP DIR SHARDS
"""

import sys
import threading
import time
from pathlib import Path

import ray
from ray.cluster_utils import Cluster

from ray_sweep import run


def main() -> None:
    """Starts the cluster and runs the sweep."""
    command, sweep, folder, shards = sys.argv[1:]
    folder = Path(folder)
    head = {"num_cpus": 0, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    workers = [cluster.add_node(num_cpus=1) for _ in range(2)]
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False)

    def stop_one() -> None:
        while not list(folder.glob("*.jsonl")):
            time.sleep(0.05)
        cluster.remove_node(workers[0], allow_graceful=False)
        print("one worker stopped")

    stopping = threading.Thread(target=stop_one)
    stopping.start()
    run(command, Path(sweep).read_text(), folder, int(shards))
    stopping.join()
    alive = sum(node["Alive"] for node in ray.nodes())
    print(f"{alive - 1} worker left")
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
