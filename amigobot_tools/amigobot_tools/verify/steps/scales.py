# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Directions and scales on lifted wheels: the robot says in four ways how far it has driven.

The command times its duration, the wheel velocities, X and Y, and the encoders. If one of them deviates from the
others, this one is taken as wrong: the median of the four is the true distance.
"""

from __future__ import annotations

import math
import statistics

from amigobot_driver.protocol import Command, Instruction, Sip

from ..figures import fit_line, mean
from ..owner import Look
from ..trial import StepFailed, Trial

#: mm/s of the drives, s until the velocity is constant, and s of measuring
_VELOCITY, _SETTLE, _DRIVE = 300, 2.5, 3.0
#: steps of VEL2 for each wheel
_WHEEL_STEPS = 15
#: deg/s, s until it is constant, s of measuring; together less than half a turn, where a heading cannot wrap
_TURN, _TURN_SETTLE, _TURN_DRIVE = 30, 1.5, 3.5
#: share by which a scale is uncertain beside its scatter
_FLOOR = 0.002


def directions(trial: Trial) -> None:
    """Which wheel turns in which direction."""
    client, owner = trial.client, trial.owner
    with trial.motors(), trial.encoders():
        log = trial.drive(1.5, Command.VEL(100))
        seen = owner.look(Look.WHEELS_FORWARD, "Did both wheels turn forward?")
        trial.fact("wheels.forward", "VEL 100: both wheels turn forward", _yes(seen))
        trial.fact("wheels.signs", "and their velocities are", _signs(log.rows[-1].left, log.rows[-1].right))
        if log.rows[-1].ticks is not None:
            trial.fact("wheels.encoders", "and their encoders count", _signs(*log.rows[-1].ticks))
        trial.rest()
        log = trial.drive(1.5, Command.VEL2(_word(10, 0)))
        seen = owner.look(Look.LEFT_WHEEL_ONLY, "Did only the left wheel turn, forward?")
        trial.fact("wheels.left", "VEL2 with 10 in the high byte: only the left wheel turns", _yes(seen))
        trial.fact(
            "wheels.left_signs", "and the velocities (left, right) are", _signs(log.rows[-1].left, log.rows[-1].right)
        )
        trial.rest()
        log = trial.drive(1.5, Command.RVEL(40))
        trial.fact(
            "wheels.turn_signs",
            "RVEL 40: the velocities (left, right) are",
            _signs(log.rows[-1].left, log.rows[-1].right),
        )
        trial.fact(
            "wheels.heading", "and the heading", "grows" if log.rows[-1].heading > log.rows[0].heading else "falls"
        )
        trial.rest()
        client.send(Command.SETO())
        log = trial.drive(1.5, Command.VEL(-100))
        trial.rest()
        sip = client.wait_for(Sip, 1.0)
        if sip is not None and not client.is_erratic:  # an Erratic has 24 bits
            bits = 16 if sip.x >= 0x8000 else 15 if sip.x >= 0x4000 else "?"
            trial.fact("position.bits", "bits of X, by its value behind the origin", bits)


def _yes(seen: bool | None) -> str | None:
    return None if seen is None else "yes" if seen else "no"


def _signs(left: float, right: float) -> str:
    return ", ".join("+" if value > 0 else "-" if value < 0 else "0" for value in (left, right))


def _word(left: int, right: int) -> int:
    """The argument of VEL2."""
    return (left & 0xFF) << 8 | right & 0xFF


def translation(trial: Trial) -> None:
    """Four measures of the same distance, forward and back."""
    units, nominal_ticks = trial.profile.units, trial.nominal_ticks
    ratios: dict[str, list[float]] = {"velocity": [], "position": [], "encoder": []}
    trial.figures = {key: figure for key, figure in trial.figures.items() if not key.startswith("scale.")}
    with trial.motors() as client, trial.encoders():
        for commanded in (_VELOCITY, -_VELOCITY):
            client.send(Command.SETO(), Command.VEL(commanded))
            client.wait(_SETTLE)
            log = trial.log(client.wait(_DRIVE))
            truth = commanded / 1000
            times = [row.time for row in log.rows]
            ratios["velocity"].append(statistics.fmean(row.velocity for row in log.rows) / truth)
            if (fit := fit_line(times, [row.x for row in log.rows])) is not None:
                ratios["position"].append(fit.slope / truth)
            counted = [(row.time, sum(row.ticks) / 2) for row in log.rows if row.ticks is not None]
            fit = fit_line(*zip(*counted, strict=True)) if len(counted) > 3 else None
            if fit is not None and nominal_ticks:
                ratios["encoder"].append(fit.slope / nominal_ticks / truth)
            trial.rest()
    means = {name: mean(values) for name, values in ratios.items() if values}
    if any(value <= 0 for value, _ in means.values()):
        raise StepFailed("VEL 300 and VEL -300 turn the wheels in a wrong direction, or not at all")
    vote = statistics.median([1.0, *(value for value, _ in means.values())])
    error = max((e for _, e in means.values()), default=0.0)
    trial.number(
        "scale.command",
        "velocity over the commanded one",
        vote,
        "",
        math.hypot(error, _FLOOR),
        parameter="physics.velocity_ratio",
    )

    def scale(name: str, title: str, nominal: float, unit: str, parameter: str, *, inverse: bool) -> None:
        if name not in means or not nominal:
            trial.number(f"scale.{name}", title, None, unit)
            return
        value, error = means[name]
        share = vote / value if inverse else value / vote
        trial.number(
            f"scale.{name}",
            title,
            nominal * share,
            unit,
            nominal * share * math.hypot(error / value, _FLOOR),
            parameter=parameter,
        )

    scale("velocity", "unit of the wheel velocities", units.velocity, "m/s", "profile.units.velocity", inverse=True)
    scale("position", "unit of X and Y", units.distance, "m", "profile.units.distance", inverse=True)
    scale("encoder", "encoder ticks for a meter", nominal_ticks, "1/m", "", inverse=False)


def wheel_velocity(trial: Trial) -> None:
    """The unit of VEL2, and its two spellings."""
    values, errors = [], []
    with trial.motors() as client:
        for steps in (_WHEEL_STEPS, -_WHEEL_STEPS):
            client.send(Command.VEL2(_word(steps, steps)))
            client.wait(_SETTLE)
            log = trial.log(client.wait(1.5))
            value, error = mean([row.velocity / steps for row in log.rows])
            values.append(value)
            errors.append(error)
            trial.rest()
    value, error = mean(values)
    trial.number(
        "scale.wheel",
        "unit of VEL2",
        value,
        "m/s",
        math.hypot(error, value * _FLOOR, *errors),
        parameter="profile.units.wheel_velocity",
    )


def rotation(trial: Trial) -> None:
    """RVEL and the unit of the heading, against the encoders and RevCount."""
    commanded, angles = [], []
    half_track = trial.half_track
    with trial.motors() as client, trial.encoders():
        for rate in (_TURN, -_TURN):
            client.send(Command.SETO(), Command.RVEL(rate))
            client.wait(_TURN_SETTLE)
            log = trial.log(client.wait(_TURN_DRIVE))
            turned = [(row, _turned(trial, row.ticks)) for row in log.rows]
            by_time = [(row.time, angle) for row, angle in turned if angle is not None]
            if len(by_time) < 4:
                # Without encoders the velocities of the wheels are all there is.
                commanded.append(statistics.fmean(row.difference for row in log.rows) / half_track / math.radians(rate))
            elif (fit := fit_line(*zip(*by_time, strict=True))) is not None:
                commanded.append(fit.slope / math.radians(rate))
                fit = fit_line(
                    [angle for _, angle in turned if angle is not None], [r.heading for r, a in turned if a is not None]
                )
                if fit is not None and fit.slope:  # that of a gyro stays where it is while the wheels turn in the air
                    angles.append(1 / fit.slope)
            trial.rest()
    value, error = mean(commanded)
    trial.number(
        "scale.turn",
        "turn rate over the commanded one",
        value,
        "",
        math.hypot(error, _FLOOR),
        parameter="physics.turn_rate_ratio",
    )
    value, error = mean(angles)
    trial.number(
        "scale.heading",
        "unit of the heading",
        value,
        "rad",
        math.hypot(error, value * _FLOOR),
        parameter="profile.units.angle",
    )


def _turned(trial: Trial, ticks: tuple[int, int] | None) -> float | None:
    """Angle in rad that the encoders have turned, by the robot's own RevCount or the profile's track."""
    if ticks is None or not trial.nominal_ticks:
        return None
    return (ticks[1] - ticks[0]) / 2 / trial.nominal_ticks / trial.half_track


def headings(trial: Trial) -> None:
    """How HEAD counts and what DHEAD starts from: CONTROL of the standard packet shows the target."""
    with trial.motors() as client:
        trial.fact("head.negative", "target of HEAD -30", _target(trial, Command.HEAD(-30)))
        trial.rest()
        client.send(Command.SETO())
        trial.fact("head.large", "target of HEAD 330", _target(trial, Command.HEAD(330)))
        trial.rest()
        client.send(Command.SETO())
        trial.fact("head.relative", "target of DHEAD 40 twice within 20 ms", _target(trial, *[Command.DHEAD(40)] * 2))
        if client.is_erratic:
            trial.rest()
            client.send(Command.SETO())
            twice = _target(trial, *[Command.DCHEAD(40)] * 2)
            trial.fact("head.from_target", "target of DCHEAD 40 twice within 50 ms", twice)


def _target(trial: Trial, *instructions: Instruction) -> str | None:
    """Target of the heading servo after commands, as a text rounded to 10 deg."""
    trial.client.send(*instructions)
    trial.client.wait(0.5)
    sip = trial.client.wait_for(Sip, 1.0)
    unit = trial.found("scale.heading", trial.profile.units.angle)
    return None if sip is None else f"{10 * round(math.degrees(sip.control * unit) / 10)} deg"
