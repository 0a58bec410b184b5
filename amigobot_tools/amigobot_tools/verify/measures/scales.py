# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Directions and scales on lifted wheels: the robot says in four ways how far it has driven.

The command times its duration, the wheel velocities, X and Y, and the encoders. If one of them deviates from the
others, this one is taken as wrong: the median of the four is the true distance.
"""

from __future__ import annotations

import math

import numpy as np

from amigobot_driver.protocol import Sip

from ..motion import Array, MotionLog, fit_line, mean
from ..script import Phase, Played
from ..trial import StepError, Trial

_VELOCITY = 0.3  # m/s that the script commands
_WHEEL_STEPS = 15  # of VEL2
_TURN = math.radians(30)  # rad/s
_YES = {True: "yes", False: "no"}


def directions(trial: Trial, played: Played) -> None:
    """Which wheel turns in which direction."""
    both, left, turn = (played[name].log for name in ("both", "left", "turn"))
    trial.keep("wheels.forward", _YES.get(played.answers["WHEELS_FORWARD"]))
    trial.keep("wheels.signs", _signs(both.left[-1], both.right[-1]))
    if both.counted.any():
        trial.keep("wheels.encoders", _signs(*both.ticks[both.counted][-1]))
    trial.keep("wheels.left", _YES.get(played.answers["LEFT_WHEEL_ONLY"]))
    trial.keep("wheels.left_signs", _signs(left.left[-1], left.right[-1]))
    trial.keep("wheels.turn_signs", _signs(turn.left[-1], turn.right[-1]))
    trial.keep("wheels.heading", "grows" if turn.heading[-1] > 0 else "falls")
    if not trial.client.is_erratic:  # an Erratic has 24 bits
        x = played["back"].of(Sip)[-1].x
        trial.keep("position.bits", 16 if x >= 0x8000 else 15 if x >= 0x4000 else "?")


def _signs(left: float, right: float) -> str:
    return ", ".join("+" if value > 0 else "-" if value < 0 else "0" for value in (left, right))


def translation(trial: Trial, played: Played) -> None:
    """Four measures of the same distance, forward and back."""
    trial.figures = {key: figure for key, figure in trial.figures.items() if not key.startswith("scale.")}
    units, ticks = trial.profile.units, trial.nominal_ticks
    found: dict[str, list[float]] = {"velocity": [], "position": [], "encoder": []}
    for name, truth in (("forward", _VELOCITY), ("back", -_VELOCITY)):
        log = played[name].log
        found["velocity"].append(float(log.velocity.mean()) / truth)
        if fit := fit_line(log.time, log.x):
            found["position"].append(fit.slope / truth)
        if ticks and (fit := fit_line(log.time[log.counted], log.ticks[log.counted].mean(axis=1))):
            found["encoder"].append(fit.slope / ticks / truth)
    ratios = {name: mean(values) for name, values in found.items() if values}
    if any(value <= 0 for value, _ in ratios.values()):
        raise StepError("VEL 300 and VEL -300 turn the wheels in a wrong direction, or not at all")
    vote = float(np.median([1.0, *(value for value, _ in ratios.values())]))
    trial.keep("scale.command", vote, max(error for _, error in ratios.values()))
    for name, nominal, power in (
        ("velocity", units.velocity, 1),
        ("position", units.distance, 1),
        ("encoder", ticks, -1),
    ):
        if name in ratios and nominal:
            value, error = ratios[name]
            scale = nominal * (vote / value) ** power
            trial.keep(f"scale.{name}", scale, scale * error / value)
        else:
            trial.keep(f"scale.{name}", None)


def wheel_velocity(trial: Trial, played: Played) -> None:
    """The unit of VEL2, and its two spellings."""
    found = [
        mean(played[name].log.velocity / steps) for name, steps in (("forward", _WHEEL_STEPS), ("back", -_WHEEL_STEPS))
    ]
    value, error = mean([value for value, _ in found])
    trial.keep("scale.wheel", value, math.hypot(error, *(error for _, error in found)))


def rotation(trial: Trial, played: Played) -> None:
    """RVEL and the unit of the heading, against the encoders and RevCount."""
    rates, units = [], []
    for name, commanded in (("left", _TURN), ("right", -_TURN)):
        log = played[name].log
        known, angle = log.counted, _turned(trial, log)
        if fit := fit_line(log.time[known], angle) if trial.nominal_ticks else None:
            rates.append(fit.slope / commanded)
            fit = fit_line(angle, log.heading[known])
            if fit is not None and fit.slope:  # that of a gyro stays where it is while the wheels turn in the air
                units.append(1 / fit.slope)
        else:  # without encoders the velocities of the wheels are all there is
            rates.append(float(log.difference.mean()) / trial.half_track / commanded)
    trial.keep("scale.turn", *mean(rates))
    trial.keep("scale.heading", *mean(units))


def _turned(trial: Trial, log: MotionLog) -> Array:
    """Angles in rad that the encoders have turned, by the robot's own RevCount or the profile's track."""
    ticks = log.ticks[log.counted]
    return (ticks[:, 1] - ticks[:, 0]) / 2 / (trial.nominal_ticks or math.nan) / trial.half_track


def headings(trial: Trial, played: Played) -> None:
    """How a command of a heading counts and what it starts from: CONTROL of the standard packet shows the target."""
    for key in played.phases:
        trial.keep(key, _target(trial, played[key]))


def _target(trial: Trial, phase: Phase) -> str:
    """Target of the heading servo, as a text rounded to 10 deg."""
    unit = trial.found("scale.heading", trial.profile.units.angle)
    return f"{10 * round(math.degrees(phase.of(Sip)[-1].control * unit) / 10)} deg"
