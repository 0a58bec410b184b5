# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The sonars: which number is where, how they measure a wall, how fast they fire."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from amigobot_driver.protocol import Command, Sip

from ..client import Stamped
from ..figures import mean, standard_deviation
from ..owner import Action, Request
from ..trial import StepFailed, Trial

#: m from a sonar to the hand in front of it, and by how much it may be off
_HAND, _HAND_ERROR = 0.2, 0.1
#: m from the front of the robot to the wall
_NEAR, _FAR = 0.5, 1.5
#: pings at each distance: enough for a standard deviation, and enough for a mean
_NEAR_PINGS, _FAR_PINGS = 3000, 300
_SETTLE = 0.5


def _readings(packets: Sequence[Stamped]) -> list[tuple[float, int, int]]:
    """Return time, sonar and range (units) of each reading."""
    return [
        (stamped.time, reading.number, reading.range)
        for stamped in packets
        if isinstance(stamped.packet, Sip)
        for reading in stamped.packet.sonar
    ]


def numbering(trial: Trial) -> None:
    """A hand in front of each sonar in turn."""
    client, owner = trial.client, trial.owner
    poses = trial.profile.sonar.poses
    unit = trial.profile.units.range
    client.send(Command.SONAR(1))
    _fire(trial, range(len(poses)))
    found, touched = [], []
    for number, pose in enumerate(poses):
        where = f"sonar {number} (at {math.degrees(pose.heading):.0f} deg, counter-clockwise from the front)"
        if not owner.do(Request(Action.HAND, f"Hold a hand 20 cm in front of {where}.", number)):
            return
        client.wait(_SETTLE)
        newest = {sonar: value * unit for _, sonar, value in _readings(client.wait(1.2))}
        near = {sonar: abs(value - _HAND) for sonar, value in newest.items() if abs(value - _HAND) < _HAND_ERROR}
        found.append(min(near, key=lambda sonar: near[sonar]) if near else None)
        if number == 0 and owner.do(Request(Action.TOUCH, f"Lay the hand on {where}.", number)):
            client.wait(_SETTLE)
            touched = [value * unit for _, sonar, value in _readings(client.wait(1.2)) if sonar == number]
    owner.do(Request(Action.AWAY, "Take your hands and everything else at least 1 m away from the robot."))
    text = ", ".join(f"{place}: {'none' if sonar is None else sonar}" for place, sonar in enumerate(found))
    trial.fact("sonar.numbers", "sonar that sees the hand, by the profile's number", text)
    if touched:
        value = statistics.median(touched)
        trial.fact(
            "sonar.touched",
            "a touched sonar reports",
            "no echo" if value >= trial.profile.sonar.max_range else f"{10 * round(value * 10)} cm",
        )
    if _fire(trial, [0]):
        client.wait(_SETTLE)
        sonars = {sonar for _, sonar, _ in _readings(client.wait(1.0))}
        trial.fact("sonar.polling", "POLLING 1 fires", ", ".join(map(str, sorted(sonars))) or "nothing")
    _fire(trial, range(len(poses)))


def _fire(trial: Trial, numbers: Sequence[int]) -> bool:
    """Choose the sonars that fire, numbered from 0; return False for a robot whose sonars all fire."""
    if not trial.client.can_send(Command.POLLING):
        return False
    trial.client.send(Command.POLLING(bytes(number + 1 for number in numbers)))
    return True


def wall(trial: Trial) -> None:
    """Ranges to a wall at two distances, and their noise."""
    client, owner = trial.client, trial.owner
    poses = trial.profile.sonar.poses
    unit = trial.profile.units.range
    limit = trial.profile.sonar.max_range
    flattest = min(abs(pose.heading) for pose in poses)
    front = [number for number, pose in enumerate(poses) if abs(pose.heading) < flattest + 0.01]
    client.send(Command.SONAR(1))
    # Where all of them fire, the time allows for a smaller share of readings from the front.
    share = 1.0 if _fire(trial, front) else len(front) / len(poses)
    means: list[float] = []
    near: dict[int, list[float]] = {}
    for distance, count in ((_NEAR, _NEAR_PINGS * trial.patience), (_FAR, _FAR_PINGS)):
        text = f"Put the robot in front of a smooth wall, at a right angle to it, its front edge {distance:g} m away."
        if not owner.do(Request(Action.WALL, text, distance)):
            return
        client.wait(_SETTLE)
        readings = _collect(trial, front, round(share * count))
        by_sonar = {n: [value * unit for _, sonar, value in readings if sonar == n] for n in front}
        echoes = {n: [v for v in values if v < limit] for n, values in by_sonar.items()}
        if not any(echoes.values()):
            raise StepFailed(f"no echo from the wall at {distance:g} m")
        means.append(statistics.fmean(statistics.fmean(values) for values in echoes.values() if values))
        if distance == _NEAR:
            near = echoes
            _echoes(trial, echoes, by_sonar)
            _period(trial, readings)
    scale = (_FAR - _NEAR) / (means[1] - means[0]) * unit
    trial.number("sonar.unit", "unit of a sonar range", scale, "m", scale * 0.004, parameter="profile.units.range")
    _noise(trial, near, scale / unit)
    offset = means[0] * scale / unit
    trial.number(
        "sonar.near", f"range of the front sonars {_NEAR:g} m in front of a wall", offset, "m", 0.004, tolerance=0.03
    )
    _fire(trial, range(len(poses)))
    owner.do(Request(Action.AWAY, "Carry the robot away from the wall."))


def _collect(trial: Trial, sonars: Sequence[int], count: int) -> list[tuple[float, int, int]]:
    """Wait for a number of readings of these sonars."""
    client = trial.client
    first, missing = len(client.packets), count
    limit = client.now() + 0.3 * count + 10
    while missing > 0:
        missing -= sum(sonar in sonars for _, sonar, _ in _readings(client.wait(1.0)))
        if client.now() > limit:
            raise StepFailed(f"the sonars {', '.join(map(str, sonars))} fire too rarely")
    return [reading for reading in _readings(client.packets[first:]) if reading[1] in sonars]


def _noise(trial: Trial, echoes: dict[int, list[float]], share: float) -> None:
    """The noise of the echoes, in units whose true size is `share` of the nominal one."""
    deviations = [(standard_deviation(values)[0], len(values)) for values in echoes.values() if len(values) > 1]
    total = sum(count for _, count in deviations)
    if not total:
        return
    noise = share * math.sqrt(sum(d * d * count for d, count in deviations) / total)
    error = noise / math.sqrt(2 * total)
    title = f"standard deviation of a range at {_NEAR:g} m"
    trial.number("sonar.noise", title, noise, "m", error, parameter="sonar.noise")


def _echoes(trial: Trial, echoes: dict[int, list[float]], readings: dict[int, list[float]]) -> None:
    """How many pings return no echo of the wall."""
    total = sum(map(len, readings.values()))
    share = (total - sum(map(len, echoes.values()))) / total
    trial.number("sonar.no_echo", "share of readings without an echo of the wall", share, "", 0.005, tolerance=0.02)
    values = next(values for values in echoes.values() if values)
    center = statistics.fmean(values)
    points = [(number, 1000 * (value - center)) for number, value in enumerate(values[:500])]
    trial.plot("sonar", f"Ranges at {_NEAR:g} m", "ping", "beside the mean, mm", points)


def _period(trial: Trial, readings: Sequence[tuple[float, int, int]]) -> None:
    """The time between two pings, from the packets with readings."""
    times = [time for time, _, _ in readings]
    count = sum(time < times[-1] for time in times)
    value, error = mean([(times[-1] - times[0]) / count])
    parameter = "" if trial.configured("sonar_cycle") else "profile.sonar.cycle"
    trial.number(
        "sonar.period", "time between two pings", value, "s", math.hypot(error, value * 0.005), parameter=parameter
    )
