# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Accelerations on lifted wheels, measured against the commanded ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from amigobot_driver.protocol import Command, Instruction

from ..figures import fit_line, mean
from ..motion import Row
from ..trial import Trial

#: mm/s^2 and mm/s
_ACCELERATION, _DECELERATION, _VELOCITY = 250, 350, 500
#: deg/s^2 and deg/s
_TURN_ACCELERATION, _TURN_DECELERATION, _TURN = 50, 70, 120
#: shares of the final velocity between which a ramp is straight
_BEGIN, _END = 0.25, 0.8
_REPEATS = 2
_FLOOR = 0.003


def translation(trial: Trial) -> None:
    """SETA, up and down."""
    _measure(
        trial,
        ("motion.acceleration", "acceleration over the commanded one", "physics.acceleration_ratio"),
        ("motion.deceleration", "deceleration over the commanded one", "physics.deceleration_ratio"),
        (Command.SETA(_ACCELERATION), Command.SETA(-_DECELERATION)),
        lambda sign: (Command.VEL(sign * _VELOCITY), Command.VEL(0)),
        (_ACCELERATION / 1000, _DECELERATION / 1000, _VELOCITY / 1000),
        lambda row: row.velocity,
    )


def rotation(trial: Trial) -> None:
    """SETRA, up and down."""
    half_track = trial.half_track
    _measure(
        trial,
        ("motion.turn_acceleration", "turning acceleration over the commanded one", "physics.turn_acceleration_ratio"),
        ("motion.turn_deceleration", "turning deceleration over the commanded one", "physics.turn_deceleration_ratio"),
        (Command.SETRA(_TURN_ACCELERATION), Command.SETRA(-_TURN_DECELERATION)),
        lambda sign: (Command.RVEL(sign * _TURN), Command.RVEL(0)),
        (math.radians(_TURN_ACCELERATION), math.radians(_TURN_DECELERATION), math.radians(_TURN)),
        lambda row: row.difference / half_track,
    )


def _measure(
    trial: Trial,
    up: tuple[str, str, str],
    down: tuple[str, str, str],
    settings: tuple[Instruction, ...],
    commands: Callable[[int], tuple[Instruction, Instruction]],
    nominal: tuple[float, float, float],
    velocity: Callable[[Row], float],
) -> None:
    """Drive trapezoids in both directions and compare the slopes.

    Args:
        trial: The run.
        up: Key, title and parameter of the acceleration.
        down: The same of the deceleration.
        settings: Set the accelerations.
        commands: Return, for a direction, the command that starts and the one that stops.
        nominal: Acceleration, deceleration and velocity that are commanded, in SI units.
        velocity: Returns the measured velocity in the same unit.
    """
    acceleration, deceleration, top = nominal
    found: tuple[list[float], list[float]] = [], []
    points: list[tuple[float, float]] = []
    with trial.motors() as client:
        client.send(*settings)
        for repeat in range(2 * _REPEATS):
            sign = 1 if repeat % 2 == 0 else -1
            start, stop = commands(sign)
            rising = trial.drive(top / acceleration + 1.5, start)
            falling = trial.drive(top / deceleration + 1.0, stop)
            for log, slopes, rate in ((rising, found[0], acceleration), (falling, found[1], -deceleration)):
                slope = _slope([(row.time, sign * velocity(row)) for row in log.rows], sign * velocity(rising.rows[-1]))
                if slope is not None:
                    slopes.append(slope / rate)
            if repeat == 0:
                zero = rising.rows[0].time
                points = [(row.time - zero, velocity(row)) for row in (*rising.rows, *falling.rows)]
        trial.rest()
    for (key, title, parameter), slopes in ((up, found[0]), (down, found[1])):
        value, error = mean(slopes)
        trial.number(key, title, value, "", math.hypot(error, _FLOOR), parameter=parameter)
    unit = "m/s" if up[0] == "motion.acceleration" else "rad/s"
    trial.plot(up[0], up[1].partition(" over")[0].capitalize(), "time, s", f"velocity, {unit}", points)


def _slope(points: Sequence[tuple[float, float]], final: float) -> float | None:
    """Slope of the straight part of a ramp between rest and a final velocity."""
    ramp = [(time, velocity) for time, velocity in points if _BEGIN * final < velocity < _END * final]
    fit = fit_line([time for time, _ in ramp], [velocity for _, velocity in ramp])
    return None if fit is None else fit.slope
