# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The report, as lines of text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from .comparison import Comparison
from .recording import Recording


def summary(recording: Recording, comparison: Comparison | None, picture: Path, file: Path) -> Iterator[str]:
    """What was measured; `comparison` only where the truth is known."""
    yield ""
    names = ("topic", "type", "messages") if file.is_dir() else ("packet", "content", "received")
    yield "  {:17}{:34}{:>7}{:>8}{:>10}".format(*names, "Hz", "expected")
    for topic, expected in recording.expected.items():
        kind = recording.kinds.get(topic, "none came").replace("/msg/", "/")
        count, rate = recording.counts.get(topic, 0), recording.rates.get(topic, 0.0)
        rates = f"{'-':>8}{'once':>10}" if math.isnan(expected) else f"{rate:8.2f}{expected:10.2f}"
        yield f"  {topic:17}{kind:34}{count:7}{rates}"
    yield ""
    yield f"  driven    {recording.odometry.length:.2f} m in {recording.seconds:.1f} s"
    if comparison:
        end, angle, most = 100 * comparison.end, math.degrees(comparison.end_angle), 100 * comparison.max_deviation
        yield f"  odometry  {end:.1f} cm and {angle:.2f} deg off at the end, up to {most:.1f} cm off the path"
    yield f"  packets   {recording.received} received, {recording.lost} lost, {recording.corrupt} corrupt"
    yield f"  picture   {_short(picture)}"
    kinds, count = len(recording.counts), sum(recording.counts.values())
    if file.is_dir():
        yield f"  bag       {_short(file)}: {count} messages of {kinds} topics, written, read back and counted"
    else:
        yield f"  recording {_short(file)}: for amigobot replay, dump and monitor"
    yield ""


def _short(path: Path) -> Path:
    """As one would type it here."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
