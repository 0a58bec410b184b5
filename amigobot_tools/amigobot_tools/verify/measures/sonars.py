# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The sonars: how they measure a wall, how fast they fire."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from amigobot_driver.protocol import Command, Sip

from ..client import Stamped
from ..motion import Array
from ..trial import Played, StepError, Trial

_WALLS = {0.5: 3000, 1.5: 300}  # m from the front to the wall: pings, for a standard deviation and for a mean
_SETTLE = 0.5  # s


def _readings(trial: Trial, packets: Sequence[Stamped]) -> Array:
    """Return time (s), sonar and range (m) of each reading, shape (n, 3)."""
    unit = trial.profile.units.range
    rows = [
        (stamped.time, reading.number, reading.range * unit)
        for stamped in packets
        if isinstance(stamped.packet, Sip)
        for reading in stamped.packet.sonar
    ]
    return np.array(rows, float).reshape(-1, 3)


def _fire(trial: Trial, numbers: Sequence[int]) -> bool:
    """Choose the sonars that fire, numbered from 0; return False for a robot whose sonars all fire."""
    if not trial.client.dialect.supports(Command.POLLING, ""):
        return False
    trial.client.send(Command.POLLING(bytes(number + 1 for number in numbers)))
    return True


def wall(trial: Trial, played: Played) -> None:
    """Ranges to a wall at two distances, and their noise."""
    client, person, profile = trial.client, trial.person, trial.profile
    poses, limit = profile.sonar.poses, profile.sonar.max_range
    flattest = min(abs(pose.heading) for pose in poses)
    front = [number for number, pose in enumerate(poses) if abs(pose.heading) < flattest + 0.01]
    client.send(Command.SONAR(1))
    # Where all of them fire, the time allows for a smaller share of readings from the front.
    share = trial.patience if _fire(trial, front) else trial.patience * len(front) / len(poses)
    walls = []  # the readings of each front sonar, for each wall
    for distance, count in _WALLS.items():
        text = f"Put the robot in front of a smooth wall, at a right angle to it, its front edge {distance:g} m away."
        if not person.ask("do", "WALL", text, distance):
            return
        client.wait(_SETTLE)
        readings = _collect(trial, front, round(share * count))
        ranges = [readings[(readings[:, 1] == number) & (readings[:, 2] < limit), 2] for number in front]
        walls.append([each for each in ranges if each.size])
        if not walls[-1]:
            raise StepError(f"no echo from the wall at {distance:g} m")
        if len(walls) == 1:
            times = readings[:, 0]
            trial.keep("sonar.period", float((times[-1] - times[0]) / np.count_nonzero(times < times[-1])))
    near, far = _WALLS
    means = [float(np.mean([each.mean() for each in ranges])) for ranges in walls]
    scale = (far - near) / (means[1] - means[0])  # true size of the nominal unit
    trial.keep("sonar.unit", scale * profile.units.range)
    freedom = sum(map(len, walls[0])) - len(walls[0])
    noise = scale * math.sqrt(sum(float(np.sum((each - each.mean()) ** 2)) for each in walls[0]) / freedom)
    trial.keep("sonar.noise", noise, noise / math.sqrt(2 * freedom))
    _fire(trial, range(len(poses)))
    person.ask("do", "AWAY", "Carry the robot away from the wall.")


def _collect(trial: Trial, sonars: Sequence[int], count: int) -> Array:
    """Wait for a number of readings of these sonars."""
    client, first = trial.client, len(trial.client.packets)
    limit, missing = client.now() + 0.3 * count + 10, count
    while missing > 0:
        missing -= int(np.isin(_readings(trial, client.wait(1.0))[:, 1], sonars).sum())
        if client.now() > limit:
            raise StepError(f"the sonars {', '.join(map(str, sonars))} fire too rarely")
    readings = _readings(trial, client.packets[first:])
    return readings[np.isin(readings[:, 1], sonars)]
