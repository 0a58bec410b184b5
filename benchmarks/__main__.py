# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""python -m benchmarks: measure every ratio and write benchmarks/results/latest.json.

python -m benchmarks                everything, within 15 minutes
python -m benchmarks node stamps    these only; the rows of the others stay in the file
python -m benchmarks --hours 1      memory after an hour of real time, not after the packets of one
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from functools import partial

from .fleet import fleet
from .node import node
from .page import page
from .report import HEAD, Row, read, write
from .stamps import stamps
from .start import idle, memory, start

#: Rounds of the figures that are compared most, and of the same under other conditions.
_ROUNDS, _FEWER = 5, 3


def main() -> None:
    """Run the benchmarks that were chosen."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("only", nargs="*", metavar="BENCHMARK", help="run these only")
    parser.add_argument("--hours", type=float, default=0.0, help="hours of real time for the memory; default: 1 minute")
    chosen = parser.parse_args()
    benchmarks: dict[str, Callable[[], Iterator[Row]]] = {
        "node": partial(node, 10, _ROUNDS, every_topic=False),
        "readers": partial(node, 10, _FEWER, every_topic=True),
        "rate": partial(node, 20, _FEWER, every_topic=False),
        "idle": idle,
        "start": start,
        "stamps": stamps,
        "memory": partial(memory, chosen.hours),
        "fleet": fleet,
        "page": page,
    }
    if unknown := set(chosen.only) - benchmarks.keys():
        parser.error(f"there is no {', '.join(sorted(unknown))}; the benchmarks are {', '.join(benchmarks)}")
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    os.environ["ROS_DOMAIN_ID"] = str(50 + os.getpid() % 50)
    selected = [name for name in benchmarks if name in (chosen.only or benchmarks)]
    rows = [] if len(selected) == len(benchmarks) else read()
    begin = time.monotonic()
    print(HEAD)
    for place, name in enumerate(selected, 1):
        print(f"[{place}/{len(selected)}, {time.monotonic() - begin:.0f} s] {name}", flush=True)
        for each in benchmarks[name]():
            print(each, flush=True)
            rows = [row for row in rows if row.name != each.name] + [each]
            write(rows)


main()
