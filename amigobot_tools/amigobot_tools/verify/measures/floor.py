# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Drives on the floor, measured with a tape: wheels, track, gyro, and a square."""

from __future__ import annotations

import math

import numpy as np

from amigobot_driver.protocol import Gyro

from ..motion import Array, MotionLog, mean
from ..script import Phase, Played
from ..trial import StepError, Trial

_TURNS = 2
_TAPE, _PROTRACTOR = 0.002, math.radians(0.5)  # m, rad: standard uncertainties of a person's measurements
_SHARE = 0.002  # share by which a distance on the floor is uncertain besides


def straight(trial: Trial, played: Played) -> None:
    """A meter forward: the true distance of each wheel over the encoders'."""
    forward, left = played.answers["FORWARD"], played.answers["LEFT"]
    log, track = played["drive"].log, trial.profile.body.track
    rolled = float(log.travel[-1] - log.travel[0])
    if forward is None or left is None or rolled < 0.3:
        trial.keep("wheel.left_scale", None)
        trial.keep("wheel.right_scale", None)
        return
    # A body that drives a circle turns by twice the angle at which its end lies.
    turned = 2 * math.atan2(left, forward)
    chord = math.hypot(forward, left)
    distance = chord if abs(turned) < 1e-6 else chord * (turned / 2) / math.sin(turned / 2)
    error = math.hypot(_TAPE / rolled, _TAPE / rolled * track / rolled, _SHARE)
    trial.keep("wheel.left_scale", (distance - turned * track / 2) / rolled, error)
    trial.keep("wheel.right_scale", (distance + turned * track / 2) / rolled, error)


def spin(trial: Trial, played: Played) -> None:
    """Two turns on the spot: the track, and the scale of the gyro."""
    past, log = played.answers["TURNED"], played["turn"].log
    track = error = math.nan
    if past is not None and log.counted.any() and trial.ticks_per_meter:
        angle = math.tau * _TURNS + math.radians(past)
        left, right = _rolled(trial, log)[-1]
        track = (right - left) / angle
        error = track * math.hypot(_PROTRACTOR / angle, 0.003)
    trial.keep("wheel.track", track, error)
    if past is not None and trial.configured("has_gyro"):
        _gyro(trial, played["turn"], log, angle=math.tau * _TURNS + math.radians(past))


def _rolled(trial: Trial, log: MotionLog) -> Array:
    """The distances of the wheels in m by the measured scales, shape (n, 2)."""
    scales = trial.found("wheel.left_scale", 1.0), trial.found("wheel.right_scale", 1.0)
    return log.ticks[log.counted] / trial.ticks_per_meter * scales


def _gyro(trial: Trial, phase: Phase, log: MotionLog, angle: float) -> None:
    """The scale and the period of the gyro from a turn by a known angle, at rest before and after."""
    packets = [(s.time, s.packet) for s in phase.packets if isinstance(s.packet, Gyro)]
    if len(packets) < 20:
        trial.keep("gyro.scale", None)
        return
    sizes = [len(packet.samples) for _, packet in packets]
    counts = np.array([sample.rate for _, packet in packets for sample in packet.samples], float)
    times = np.repeat([time for time, _ in packets], sizes)
    moving = log.time[(log.left != 0) | (log.right != 0)]
    center, error = mean(counts[(times < moving[0] - 0.3) | (times > moving[-1] + 0.4)])
    period = (times[-1] - times[0]) / sum(sizes[1:])
    total = float(np.sum(center - counts)) * period
    trial.keep("gyro.period", float(period))
    share = math.hypot(_PROTRACTOR / angle, error * len(counts) * period / total)
    trial.keep("gyro.scale", angle / total, abs(angle / total) * share)


def square(trial: Trial, played: Played) -> None:
    """A square: where it ends, against what encoders, wheels and track predict."""
    forward, left = played.answers["FORWARD"], played.answers["LEFT"]
    if forward is None or left is None or not trial.ticks_per_meter:
        trial.keep("odometry.square", None)
        return
    steps = np.diff(_rolled(trial, played["path"].log), axis=0)
    if len(steps) < 10:
        raise StepError("no encoder packets during the square")
    turns = (steps[:, 1] - steps[:, 0]) / trial.found("wheel.track", trial.profile.body.track)
    headings = np.cumsum(turns) - turns / 2
    x, y = (float(np.sum(steps.mean(axis=1) * part)) for part in (np.cos(headings), np.sin(headings)))
    trial.keep("odometry.gap", math.hypot(forward, left), _TAPE)
    trial.keep("odometry.square", math.hypot(x - forward, y - left), _TAPE)
