# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The sonars: which number is where, how they measure a wall, how fast they fire."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from amigobot_driver.protocol import Command, Sip

from ..client import Stamped
from ..motion import Array
from ..person import Action, Request
from ..script import Played
from ..trial import StepError, Trial

_HAND, _HAND_ERROR = 0.2, 0.1  # m from a sonar to the hand in front of it, and by how much it may be off
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


def _listen(trial: Trial) -> Array:
    """Return the readings of about a second, after the sonars have settled."""
    trial.client.wait(_SETTLE)
    return _readings(trial, trial.client.wait(1.2))


def _fire(trial: Trial, numbers: Sequence[int]) -> bool:
    """Choose the sonars that fire, numbered from 0; return False for a robot whose sonars all fire."""
    if not trial.client.can_send(Command.POLLING):
        return False
    trial.client.send(Command.POLLING(bytes(number + 1 for number in numbers)))
    return True


def numbering(trial: Trial, played: Played) -> None:
    """A hand in front of each sonar in turn."""
    person, poses = trial.person, trial.profile.sonar.poses
    trial.client.send(Command.SONAR(1))
    _fire(trial, range(len(poses)))
    seen = []
    for number, pose in enumerate(poses):
        where = f"sonar {number} (at {math.degrees(pose.heading):.0f} deg, counter-clockwise from the front)"
        if not person.do(Request(Action.HAND, f"Hold a hand 20 cm in front of {where}.", number)):
            return
        newest = {int(sonar): abs(value - _HAND) for _, sonar, value in _listen(trial)}
        nearest = min(newest, key=lambda sonar: newest[sonar], default=None)
        seen.append("none" if nearest is None or newest[nearest] >= _HAND_ERROR else str(nearest))
        if number == 0 and person.do(Request(Action.TOUCH, f"Lay the hand on {where}.", number)):
            _touched(trial)
    person.do(Request(Action.AWAY, "Take your hands and everything else at least 1 m away from the robot."))
    trial.keep("sonar.numbers", ", ".join(f"{place}: {sonar}" for place, sonar in enumerate(seen)))
    if _fire(trial, [0]):
        numbers = sorted({int(number) for number in _listen(trial)[:, 1]})
        trial.keep("sonar.polling", ", ".join(map(str, numbers)) or "nothing")
    _fire(trial, range(len(poses)))


def _touched(trial: Trial) -> None:
    readings = _listen(trial)
    ranges = readings[readings[:, 1] == 0, 2]
    if ranges.size:
        value = float(np.median(ranges))
        silent = value >= trial.profile.sonar.max_range
        trial.keep("sonar.touched", "no echo" if silent else f"{10 * round(value * 10)} cm")


def wall(trial: Trial, played: Played) -> None:
    """Ranges to a wall at two distances, and their noise."""
    client, person, profile = trial.client, trial.person, trial.profile
    poses, limit = profile.sonar.poses, profile.sonar.max_range
    flattest = min(abs(pose.heading) for pose in poses)
    front = [number for number, pose in enumerate(poses) if abs(pose.heading) < flattest + 0.01]
    client.send(Command.SONAR(1))
    # Where all of them fire, the time allows for a smaller share of readings from the front.
    share = trial.patience if _fire(trial, front) else trial.patience * len(front) / len(poses)
    means, echoes = [], []
    for distance, count in _WALLS.items():
        text = f"Put the robot in front of a smooth wall, at a right angle to it, its front edge {distance:g} m away."
        if not person.do(Request(Action.WALL, text, distance)):
            return
        client.wait(_SETTLE)
        readings = _collect(trial, front, round(share * count))
        found = [ranges[ranges < limit] for ranges in (readings[readings[:, 1] == number, 2] for number in front)]
        found = [ranges for ranges in found if ranges.size]
        if not found:
            raise StepError(f"no echo from the wall at {distance:g} m")
        means.append(float(np.mean([ranges.mean() for ranges in found])))
        if not echoes:
            echoes = found
            trial.keep("sonar.no_echo", 1 - sum(map(len, found)) / len(readings), 0.005)
            times = readings[:, 0]
            trial.keep("sonar.period", float((times[-1] - times[0]) / np.count_nonzero(times < times[-1])))
    near, far = _WALLS
    scale = (far - near) / (means[1] - means[0])  # true size of the nominal unit
    trial.keep("sonar.unit", scale * profile.units.range)
    freedom = sum(map(len, echoes)) - len(echoes)
    noise = scale * math.sqrt(sum(float(np.sum((ranges - ranges.mean()) ** 2)) for ranges in echoes) / freedom)
    trial.keep("sonar.noise", noise, noise / math.sqrt(2 * freedom))
    trial.keep("sonar.near", means[0] * scale, 0.004)
    _fire(trial, range(len(poses)))
    person.do(Request(Action.AWAY, "Carry the robot away from the wall."))


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
