# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Programs on the Python API that are killed while they drive."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kill_bench import PATIENCE, kills, served

from .figure import Figure, Share


def api_kills(share: Share) -> Iterator[Figure]:
    """SIGKILL at random moments of programs on the Python API, on a pty and on TCP."""
    rng, count = random.Random(share.seed), share.of(100)
    for kind in ("pty", "tcp"):
        with tempfile.TemporaryDirectory() as folder, served(kind, Path(folder)) as robot:
            ends = list(kills(robot, count, rng))
        late = [end for end in ends if end.stopped_after > end.allowed]
        times = [end.stopped_after for end in ends]
        yield Figure(
            f"{count} times SIGKILL of a program on the Python API that drives, on {kind}",
            "the robot is at rest within its watchdog (2 s) + 0.2 s + braking, the next program drives again "
            f"within {PATIENCE:g} s",
            f"at rest after {min(times):.2f} to {max(times):.2f} s, {len(late)} too late",
            not late,
        )
