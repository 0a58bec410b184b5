# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Tools that are killed while they drive."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kill_bench import served
from tool_kills import tool_kills

from .figure import Figure, Share


def tools_killed(share: Share) -> Iterator[Figure]:
    """SIGKILL, SIGHUP and a closed terminal at random moments of every tool, on a pty and on TCP."""
    rng, count = random.Random(share.seed), share.of(100)
    for kind in ("pty", "tcp"):
        with tempfile.TemporaryDirectory() as folder, served(kind, Path(folder)) as robot:
            ends = []
            for end in tool_kills(robot, count, rng):
                ends.append(end)
                print(f"         {len(ends):3} {end.way}: {end.stopped_after:.2f} s", flush=True)
        late = [end.way for end in ends if end.stopped_after > end.allowed]
        times = [end.stopped_after for end in ends]
        yield Figure(
            f"{count} ends of teleop, wander, demo, monitor and programs on the Python API that drive, on {kind}",
            "the robot is at rest within its watchdog (2 s) + 0.2 s + braking",
            f"at rest after {min(times):.2f} to {max(times):.2f} s, too late: {', '.join(late) or 'none'}",
            not late,
        )
