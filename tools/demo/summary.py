"""The report, as lines of text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from .checks import expected_rates
from .comparison import Comparison
from .recording import Recording


def summary(recording: Recording, comparison: Comparison | None, picture: Path, bag: Path) -> Iterator[str]:
    """What was measured; `comparison` only where the truth is known."""
    yield ""
    yield f"  {'topic':17}{'type':32}{'messages':>9}{'Hz':>8}{'expected':>10}"
    for topic, expected in expected_rates(recording).items():
        kind = recording.kinds.get(topic, "nothing came").replace("/msg/", "/")
        count, rate = recording.counts.get(topic, 0), recording.rates.get(topic, 0.0)
        rates = f"{'latched':>18}" if math.isnan(expected) else f"{rate:8.2f}{expected:10.2f}"
        yield f"  {topic:17}{kind:32}{count:9}{rates}"
    yield ""
    yield f"  driven    {recording.odometry.length:.2f} m in {recording.seconds:.1f} s"
    if comparison:
        end, angle, most = 100 * comparison.end, math.degrees(comparison.end_angle), 100 * comparison.most
        yield f"  odometry  {end:.1f} cm and {angle:.2f} deg off at the end, {most:.1f} cm beside the true path at most"
    yield f"  packets   {recording.received} received, {recording.lost} lost, {recording.corrupt} corrupt"
    yield f"  picture   {_short(picture)}"
    topics, messages = len(recording.counts), sum(recording.counts.values())
    yield f"  bag       {_short(bag)}: {messages} messages of {topics} topics, written, read back and counted"
    yield ""


def _short(path: Path) -> Path:
    """As one would type it here."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
