"""python -m benchmarks: print every ratio."""

from __future__ import annotations

import os

from .decode import decode
from .node import node


def main() -> None:
    """Takes about a minute."""
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    os.environ["ROS_DOMAIN_ID"] = str(50 + os.getpid() % 50)
    print(f"{'':44} {'driver':>12} {'floor':>12} {'ratio':>8}")
    for benchmark in (decode, node):
        for row in benchmark():
            print(row, flush=True)


main()
