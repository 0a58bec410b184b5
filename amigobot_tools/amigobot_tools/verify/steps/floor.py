# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Drives on the floor, measured with a tape: wheels, track, gyro, and a square."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from amigobot_driver.protocol import Command, Gyro, Sip

from ..client import Stamped
from ..figures import mean
from ..owner import Action, Measure, Request
from ..trial import StepFailed, Trial

#: mm/s, s: about 1 m
_VELOCITY, _TIME = 200, 4.6
#: deg/s, turns
_TURN, _TURNS = 45, 2
#: m, side of the square
_SIDE = 0.6
#: m and deg that a person measures with a tape, as standard uncertainty
_TAPE, _PROTRACTOR = 0.002, 0.5
#: share by which wheels and track matter to odometry
_WHEEL = 0.012
_MARK = "Put the robot on the free floor and mark the floor under the middle of its axle and under its nose."


def straight(trial: Trial) -> None:
    """A meter forward: the true distance of each wheel over the encoders'."""
    if not trial.owner.do(Request(Action.FLOOR, _MARK)):
        return
    with trial.motors() as client, trial.encoders():
        first = len(client.packets)
        client.wait(0.3)
        client.send(Command.VEL(_VELOCITY))
        client.wait(_TIME)
        trial.rest()
        log = trial.log(client.packets[first:])
    forward = trial.owner.measure(Measure.FORWARD, "How far is the axle from the mark, in the direction of the start?")
    left = trial.owner.measure(Measure.LEFT, "And how far to the left of that line (to the right: negative)?")
    rolled = log.rows[-1].travel - log.rows[0].travel
    if forward is None or left is None or rolled < 0.3:
        trial.number("wheel.left_scale", "true distance of the left wheel over the encoder's", None, "")
        trial.number("wheel.right_scale", "true distance of the right wheel over the encoder's", None, "")
        return
    # A body that drives a circle turns by twice the angle at which its end lies.
    turned = 2 * math.atan2(left, forward)
    chord = math.hypot(forward, left)
    distance = chord if abs(turned) < 1e-6 else chord * (turned / 2) / math.sin(turned / 2)
    half = turned * trial.profile.body.track / 2
    error = math.hypot(_TAPE / rolled, _TAPE / rolled * trial.profile.body.track / rolled, 0.002)
    for side, true in (("left", distance - half), ("right", distance + half)):
        title = f"true distance of the {side} wheel over the encoder's"
        trial.number(
            f"wheel.{side}_scale", title, true / rolled, "", error, tolerance=_WHEEL, parameter=f"wear.{side}_scale"
        )


def spin(trial: Trial) -> None:
    """Two turns on the spot: the track, and the scale of the gyro."""
    if not trial.owner.do(Request(Action.FLOOR, _MARK)):
        return
    gyro = bool(trial.configured("has_gyro"))
    with trial.motors() as client, trial.encoders():
        if gyro:
            client.send(Command.GYRO(1))
        first = len(client.packets)
        client.wait(1.5)
        client.send(Command.RVEL(_TURN))
        client.wait(360 * _TURNS / _TURN)
        trial.rest()
        client.wait(1.5)
        if gyro:
            client.send(Command.GYRO(0))
        packets = client.packets[first:]
        log = trial.log(packets)
    past = trial.owner.measure(
        Measure.TURNED, "How many degrees is the nose past its mark (counter-clockwise: positive)?"
    )
    if past is None:
        trial.number("wheel.track", "distance between the wheels", None, "m")
        return
    angle = math.tau * _TURNS + math.radians(past)
    ticks = [row.ticks for row in log.rows if row.ticks is not None]
    if ticks and trial.ticks_per_meter:
        left, right = (ticks[-1][side] - ticks[0][side] for side in (0, 1))
        scales = trial.found("wheel.left_scale", 1.0), trial.found("wheel.right_scale", 1.0)
        track = (right * scales[1] - left * scales[0]) / trial.ticks_per_meter / angle
        error = track * math.hypot(math.radians(_PROTRACTOR) / angle, 0.003)
        trial.number(
            "wheel.track",
            "distance between the wheels",
            track,
            "m",
            error,
            tolerance=_WHEEL * track,
            parameter="wear.track_scale",
        )
    else:
        trial.number("wheel.track", "distance between the wheels", None, "m")
    if gyro:
        _gyro(trial, packets, angle)


def _gyro(trial: Trial, packets: Sequence[Stamped], angle: float) -> None:
    """The scale and the period of the gyro from a turn by a known angle, at rest before and after."""
    counts: list[int] = []
    times: list[tuple[float, int]] = []
    for stamped in packets:
        if isinstance(stamped.packet, Gyro):
            counts += [sample.rate for sample in stamped.packet.samples]
            times.append((stamped.time, len(counts)))
    if len(times) < 20:
        trial.number("gyro.scale", "turn rate for a count of the gyro", None, "rad/s")
        return
    moving = [
        t.time for t in packets if isinstance(t.packet, Sip) and (t.packet.left_velocity or t.packet.right_velocity)
    ]
    period = (times[-1][0] - times[0][0]) / (times[-1][1] - times[0][1])
    still = [
        sample.rate
        for stamped in packets
        if isinstance(stamped.packet, Gyro) and not moving[0] - 0.3 < stamped.time < moving[-1] + 0.4
        for sample in stamped.packet.samples
    ]
    center, error = mean(still)
    total = sum(center - count for count in counts) * period
    scale = angle / total
    trial.number(
        "gyro.period",
        "time between two samples of the gyro",
        period,
        "s",
        period * 0.002,
        parameter="physics.gyro_period",
    )
    share = math.hypot(math.radians(_PROTRACTOR) / angle, error * len(counts) * period / total, 0.002)
    trial.number(
        "gyro.scale",
        "turn rate for a count of the gyro",
        scale,
        "rad/s",
        abs(scale) * share,
        parameter="physics.gyro_scale",
    )
    trial.plot("gyro", "Gyro during two turns", "sample", "counts", list(enumerate(counts)))


def square(trial: Trial) -> None:
    """A square: where it ends, against what encoders, wheels and track predict."""
    if not trial.owner.do(Request(Action.FLOOR, _MARK)):
        return
    with trial.motors() as client, trial.encoders():
        first = len(client.packets)
        client.wait(0.3)
        for side in range(4):
            start = len(client.packets)
            client.send(Command.VEL(_VELOCITY))
            end = client.now() + 2 * _SIDE * 1000 / _VELOCITY
            while client.now() < end:
                client.wait(0.05)
                log = trial.log(client.packets[start:])
                if len(log) > 1 and log.rows[-1].travel > _SIDE - 0.03:
                    break
            trial.rest()
            client.send(Command.HEAD((90 * (side + 1) + 180) % 360 - 180))
            client.wait(2.8)
        trial.rest()
        log = trial.log(client.packets[first:])
    forward = trial.owner.measure(Measure.FORWARD, "How far is the axle from the mark, forward (behind it: negative)?")
    left = trial.owner.measure(Measure.LEFT, "And to the left (to the right: negative)?")
    path = _path(trial, [row.ticks for row in log.rows if row.ticks is not None])
    if forward is None or left is None or not path:
        trial.number("odometry.square", "end of a square beside the predicted one", None, "m")
        return
    if len(path) < 10:
        raise StepFailed("no encoder packets during the square")
    x, y = path[-1]
    error = math.hypot(x - forward, y - left)
    trial.number(
        "odometry.gap", "end of the square beside its start", math.hypot(forward, left), "m", _TAPE, compared=False
    )
    trial.number("odometry.square", "end of a square beside the predicted one", error, "m", _TAPE, tolerance=0.04)
    trial.plot("square", "Square, as the encoders have it", "x, m", "y, m", path)


def _path(trial: Trial, ticks: Sequence[tuple[int, int]]) -> list[tuple[float, float]]:
    """Integrate the encoders with the measured wheels and track."""
    if not trial.ticks_per_meter:
        return []
    scales = trial.found("wheel.left_scale", 1.0), trial.found("wheel.right_scale", 1.0)
    track = trial.found("wheel.track", trial.profile.body.track)
    x = y = heading = 0.0
    path = [(x, y)]
    for a, b in pairwise(ticks):
        left, right = ((b[i] - a[i]) / trial.ticks_per_meter * scales[i] for i in (0, 1))
        turn = (right - left) / track
        distance = (left + right) / 2
        x += distance * math.cos(heading + turn / 2)
        y += distance * math.sin(heading + turn / 2)
        heading += turn
        path.append((x, y))
    return path
