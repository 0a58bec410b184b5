# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The sonars: how they measure a wall, how fast they fire."""

from __future__ import annotations

import math

import numpy as np

from ..trial import Played, StepError, Trial

_NEAR, _FAR = 0.5, 1.5  # m from the front to the wall


def wall(trial: Trial, played: Played) -> None:
    """Ranges to a wall at two distances, and their noise."""
    sonar, unit = trial.profile.sonar, trial.profile.units.range
    walls = []  # the ranges (m) of each front sonar, for each wall
    for name in ("near", "far"):
        times, numbers, ranges = trial.pings(played[name].packets).T
        echoes = [ranges[(numbers == number) & (ranges < sonar.max_range)] for number in trial.front_sonars]
        walls.append([each for each in echoes if each.size])
        if not walls[-1]:
            raise StepError(f"no echo from the {name} wall")
        if name == "near":
            trial.keep("sonar.period", float((times[-1] - times[0]) / np.count_nonzero(times < times[-1])))
    near, far = (float(np.mean([each.mean() for each in ranges])) for ranges in walls)
    scale = (_FAR - _NEAR) / (far - near)  # true size of the nominal unit
    trial.keep("sonar.unit", scale * unit)
    freedom = sum(map(len, walls[0])) - len(walls[0])
    noise = scale * math.sqrt(sum(float(np.sum((each - each.mean()) ** 2)) for each in walls[0]) / freedom)
    trial.keep("sonar.noise", noise, noise / math.sqrt(2 * freedom))
