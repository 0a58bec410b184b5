# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The sonars: how they measure a wall, how fast they fire."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator

from amigobot_driver.protocol import Sip

from ..step_data import Figure, Phase, StepData, StepError


def wall(data: StepData) -> Iterator[Figure]:
    """Ranges to a wall at two distances, and their noise."""
    sonar, unit = data.robot.profile.sonar, data.robot.profile.units.range
    walls = []  # the ranges (m) of each front sonar, for each wall
    for name in ("near", "far"):
        pings = data.robot.pings(data.phase(name).packets)
        echoing = [(one.number, one.range * unit) for _, one in pings if one.range * unit < sonar.max_range]
        echoes = [[distance for number, distance in echoing if number == front] for front in data.robot.front_sonars]
        walls.append([each for each in echoes if each])
        if not walls[-1]:
            raise StepError(f"no echo from the {name} wall")
        if name == "near":
            (first, _), (last, _) = pings[0], pings[-1]
            yield data.figure("sonar.period", (last - first) / sum(time < last for time, _ in pings))
    near, far = (statistics.fmean(map(statistics.fmean, ranges)) for ranges in walls)
    true_near, true_far = data.step.arguments("do WALL")  # m from the front
    scale = (true_far - true_near) / (far - near)  # true size of the nominal unit
    yield data.figure("sonar.unit", scale * unit)
    freedom = sum(map(len, walls[0])) - len(walls[0])
    noise = scale * math.sqrt(sum(statistics.pvariance(each) * len(each) for each in walls[0]) / freedom)
    yield data.figure("sonar.noise", noise, noise / math.sqrt(2 * freedom))


def range_of_first_sonar(phase: Phase) -> str | None:
    """Median range of sonar 0, rounded to 10 cm."""
    sonar, unit = phase.robot.profile.sonar, phase.robot.profile.units.range
    ranges = [reading.range * unit for sip in phase.of(Sip) for reading in sip.sonar if reading.number == 0]
    if not ranges:
        return None
    value = statistics.median(ranges)
    return "no echo" if value >= sonar.max_range else f"{10 * round(value * 10)} cm"
