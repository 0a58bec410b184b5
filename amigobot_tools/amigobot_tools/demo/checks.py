# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What must be true of a demo: each check is a reason to fail, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator

from .comparison import Comparison
from .recording import Recording

#: share by which a rate may be off
_RATE = 0.15
#: m that must have been driven; m and share by which that may differ from the planned path: corners, and coming to rest
_DISTANCE, _REST, _CORNERS = 0.8, 0.5, 0.1
#: share of the packets that may be lost or damaged
_DAMAGE = 0.02
#: m and rad that odometry may be off at the end, and its largest deviation from the path in m
_END, _ANGLE, _DEVIATION = 0.05, math.radians(2), 0.05


def check_recording(recording: Recording, planned: float) -> Iterator[str]:
    """What is wrong with the recording of a drive whose planned path is this long (m)."""
    for topic, expected in recording.expected.items():
        rate = recording.rates.get(topic, 0.0)
        if not recording.counts.get(topic):
            yield f"no {topic} came"
        elif abs(rate - expected) > max(_RATE * expected, 1.5 / recording.seconds):
            yield f"{topic} came at {rate:.1f} Hz, expected {expected:.1f}"
    distance = recording.odometry.length
    if distance < _DISTANCE:
        yield f"the robot drove only {distance:.2f} m"
    elif abs(distance - planned) > _REST + _CORNERS * planned:
        yield f"the robot drove {distance:.2f} m on a path of {planned:.2f} m"
    if recording.corrupt + recording.lost > _DAMAGE * recording.received:
        yield f"of {recording.received} packets {recording.lost} were lost and {recording.corrupt} corrupt"


def check_comparison(comparison: Comparison) -> Iterator[str]:
    """What is wrong with the odometry."""
    if comparison.end > _END or comparison.end_angle > _ANGLE or comparison.max_deviation > _DEVIATION:
        yield (
            f"odometry is {100 * comparison.end:.1f} cm and {math.degrees(comparison.end_angle):.1f} deg off the truth"
            f" at the end, and up to {100 * comparison.max_deviation:.1f} cm off the path"
        )
