# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The gyro at rest: packets come, their center is where it should be, their noise is small."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from ..check import Case, Stage, check
from ..finding import Cause, Finding, Severity

#: Counts of a gyro at rest, how far its center may be off, and the largest standard deviation (docs/protocol.md 5.9).
_CENTER, _OFF, _NOISE = 512, 60, 8.0
#: Samples that a judgment needs.
_ENOUGH = 20


@check("gyro", Stage.CONNECTED)
def gyro(case: Case) -> Iterator[Finding]:
    """The gyro, if there is one, shows a robot at rest."""
    observation = case.observation
    config = observation.after.config
    if config is None or case.line_fault or not config.value("has_gyro"):
        return
    samples = [sample.rate for packet in observation.gyro for sample in packet.samples]
    again = case.target.command()
    if len(samples) < _ENOUGH:
        if config.value("has_gyro") != 1:
            yield Finding(
                "gyro", Severity.OK, f"the controller uses it by itself (HasGyro is {config.value('has_gyro')})"
            )
            return
        text = "The robot reports a gyro, and sends no gyro packets."
        action = "Check its cable, or set HasGyro to 0 if there is none. Then:"
        yield Finding("gyro", Severity.WARNING, "no packets", (Cause("gyro", text, action, again),))
        return
    mean, noise = statistics.fmean(samples), statistics.pstdev(samples)
    values = {"center": round(mean, 1), "noise": round(noise, 2), "samples": len(samples)}
    shown = f"center {mean:.0f} of {_CENTER}, noise {noise:.1f} counts, {len(samples)} samples"
    if abs(mean - _CENTER) > _OFF or noise > _NOISE:
        text = "The gyro does not show a robot at rest: it is moved, shaken, or broken."
        action = "Put the robot on the floor and leave it alone. Then:"
        yield Finding("gyro", Severity.WARNING, shown, (Cause("gyro", text, action, again),), values=values)
    else:
        yield Finding("gyro", Severity.OK, shown, values=values)
