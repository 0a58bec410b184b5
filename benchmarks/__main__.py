"""python -m benchmarks: print every ratio and write benchmarks/results/latest.json."""

from __future__ import annotations

import os

from .dashboard import dashboard
from .decode import decode
from .node import node
from .report import HEAD, Row, write


def main() -> None:
    """Takes about ten minutes."""
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    os.environ["ROS_DOMAIN_ID"] = str(50 + os.getpid() % 50)
    print(HEAD)
    rows: list[Row] = []
    for benchmark in (decode, node, dashboard):
        for row in benchmark():
            print(row, flush=True)
            rows.append(row)
    write(rows)


main()
