# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""python -m tools.soak [--minutes M] [--seed N]: run every scenario, print the figures, exit 1 when one is missed."""

from __future__ import annotations

import argparse
import os
import sys
import time

from .acceptance import acceptance
from .api import api_kills
from .dashboard import browsers_gone
from .decoder import decoder
from .diagnosis import diagnosis
from .figure import Figure, Scenario, Share
from .node_sequences import node_sequences
from .page_memory import page_memory
from .processes import idle, kills
from .sequences import sequences
from .simulated import cable, day, dying_publishers, emergency, noise
from .tools import tools_killed

#: Each with the minutes it takes at its full size on a small machine.
SCENARIOS: dict[Scenario, float] = {
    decoder: 1.0,
    acceptance: 2.0,
    emergency: 1.0,
    dying_publishers: 1.0,
    cable: 3.0,
    browsers_gone: 6.0,
    noise: 3.0,
    diagnosis: 25.0,
    kills: 17.0,
    api_kills: 20.0,
    tools_killed: 40.0,
    idle: 61.0,
    page_memory: 61.0,
    sequences: 30.0,
    node_sequences: 20.0,
    day: 40.0,
}


def main() -> int:
    """0: every figure was reached."""
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="about how long it may take (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of everything random (%(default)s)")
    parser.add_argument("--only", choices=[scenario.__name__ for scenario in SCENARIOS], help="one scenario alone")
    args = parser.parse_args()
    # Real processes talk on this machine only, on a domain of their own.
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 100)
    chosen = {name: cost for name, cost in SCENARIOS.items() if args.only in (None, name.__name__)}
    size = min(1.0, args.minutes / sum(chosen.values()))
    figures: list[Figure] = []
    started = time.monotonic()
    for scenario in chosen:
        print(f"[{time.monotonic() - started:4.0f} s] {(scenario.__doc__ or '').splitlines()[0]}", flush=True)
        for figure in scenario(Share(size, args.seed)):
            figures.append(figure)
            verdict = "reached" if figure.reached else "MISSED "
            print(f"         {verdict}  {figure.what}: {figure.measured}", flush=True)
    return _report(figures, size, args.seed)


def _report(figures: list[Figure], size: float, seed: int) -> int:
    print(f"\nseed {seed}, {100 * size:.0f} % of the full size\n")
    for figure in figures:
        print(f"{'ok    ' if figure.reached else 'MISSED'} {figure.what}")
        print(f"       wanted: {figure.wanted}\n       measured: {figure.measured}")
    missed = sum(not figure.reached for figure in figures)
    print(f"\n{len(figures) - missed} figures reached, {missed} missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
