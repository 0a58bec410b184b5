# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The node in its own process under random orders of calls, faults and people, over real DDS."""

from __future__ import annotations

import time
from collections.abc import Iterator

from node_machine.machine import NAME, NodeMachine
from state_machine.machine import Statistics, explore

from .figure import Figure, Share

#: s at the full size.
_LENGTH = 1200.0
#: Sequences after which each check must have had something to compare.
_MANY = 30


def node_sequences(share: Share) -> Iterator[Figure]:
    """Random sequences through services, actions, topics and parameters, with the simulator's truth as the judge."""
    statistics = Statistics()
    started, seed = time.monotonic(), share.seed * 10_000
    while not statistics.failures and time.monotonic() - started < max(10.0, _LENGTH * share.size):
        explore(1, seed, statistics, machine=NodeMachine, skip_first=True)
        seed += 1
    for failure in statistics.failures:
        print(f"\n{failure.script(NAME)}\n", flush=True)
    many = statistics.sequences >= _MANY
    idle = [name for name, count in statistics.looked.items() if not count and many]
    yield Figure(
        "random sequences of calls, faults and people through the node",
        "no invariant is violated, and each had something to compare",
        f"{statistics.sequences} sequences, {statistics.steps} steps, {len(statistics.failures)} failures, "
        f"{len(idle)} checks idle {' '.join(idle)}".rstrip(),
        not statistics.failures and not idle,
    )
