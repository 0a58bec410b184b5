# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Accelerations, full power, no power, brakes, and the watchdog's brake, on lifted wheels."""

from __future__ import annotations

import math

import numpy as np

from amigobot_driver.protocol import Sip

from ..motion import Array, LineFit, MotionLog, fit_line, mean
from ..script import Phase, Played
from ..trial import StepError, Trial

_RAMP = 0.25, 0.8  # shares of the final velocity between which a ramp is straight
_FULL_POWER = 0.4, 0.985  # shares of the final speed between which the motors have full power and the rest shows
_ROLLING = 0.03  # m/s above which a velocity counts in a fit
_BRAKING = 6.0  # m/s^2, as long as it is not measured
_AT_ONCE = LineFit(0.0, 0.0)  # wheels that stop at once


def acceleration(trial: Trial, played: Played) -> None:
    """SETA, up and down."""
    logs = [(up.log, down.log) for up, down in zip(played.phases["up"], played.phases["down"], strict=True)]
    ramps = [(up.time, up.velocity, down.time, down.velocity) for up, down in logs]
    _keep_ramps(trial, ramps, {"motion.acceleration": 0.25, "motion.deceleration": -0.35})


def turn_acceleration(trial: Trial, played: Played) -> None:
    """SETRA, up and down."""
    half = trial.half_track
    logs = [(up.log, down.log) for up, down in zip(played.phases["up"], played.phases["down"], strict=True)]
    ramps = [(up.time, up.difference / half, down.time, down.difference / half) for up, down in logs]
    rates = {"motion.turn_acceleration": math.radians(50), "motion.turn_deceleration": math.radians(-70)}
    _keep_ramps(trial, ramps, rates)


def _keep_ramps(trial: Trial, ramps: list[tuple[Array, Array, Array, Array]], commanded: dict[str, float]) -> None:
    """Keep the slopes of ramps (times and velocities up, times and velocities down) over the commanded ones."""
    for at, (key, rate) in zip((0, 2), commanded.items(), strict=True):
        slopes = []
        for ramp in ramps:
            final = ramp[1][-1]
            share = ramp[at + 1] / final
            straight = (share > _RAMP[0]) & (share < _RAMP[1])
            if fit := fit_line(ramp[at][straight], share[straight]):
                slopes.append(fit.slope * abs(final) / rate)
        trial.keep(key, *mean(slopes))


def full_power(trial: Trial, played: Played) -> None:
    """The speed at full voltage, and how fast it is approached."""
    times, tops = [], []
    for phase in played.phases["full"]:
        log = phase.log
        top = float(log.velocity[log.time > log.time[-1] - 0.6].mean())
        tops.append(top)
        rows = (log.velocity > _FULL_POWER[0] * top) & (log.velocity < _FULL_POWER[1] * top)
        rest = top - log.velocity[rows]
        fit = fit_line(log.time[rows], np.log(rest), rest**2)
        if fit is not None and fit.slope < 0:
            times.append(-1 / fit.slope)
    trial.keep("motor.top_speed", *mean(tops))
    trial.keep("motor.time_constant", *mean(times))


def coast(trial: Trial, played: Played) -> None:
    """How a wheel without current slows down: a constant part and one that grows with the speed."""
    period = trial.found("telemetry.period", 0.1)
    before, after = [], []
    for phase in played.phases["coast"]:
        log = phase.log
        time, v = (values[log.time > phase.sent + 0.03] for values in (log.time, log.velocity))
        rows = (v[:-1] > v[1:]) & (v[1:] > _ROLLING) & (np.abs(np.diff(time) - period) < period / 2)
        before.append(v[:-1][rows])
        after.append(v[1:][rows])
    # v' = -(a + v / T) makes every velocity a linear function of the one a period before.
    fit = fit_line(np.concatenate(before), np.concatenate(after))
    if fit is None or not 0 < fit.slope < 1:
        raise StepError("the wheels do not slow down steadily after ENABLE 0")
    constant = -period / math.log(fit.slope)
    trial.keep("motor.coast_time", constant, constant**2 / period * fit.slope_error / fit.slope)
    loss = -fit.offset / (constant * (1 - fit.slope))
    error = abs(loss) * math.hypot(fit.offset_error / fit.offset, fit.slope_error / (1 - fit.slope)) / 2
    trial.keep("motor.coast_deceleration", loss, error)


def brake(trial: Trial, played: Played) -> None:
    """E_STOP: from a velocity in the middle of the braking and the distance that remains, at any phase of the cycle."""
    drives = [(phase, *_braking(phase)) for phase in played.phases["brake"]]
    speeds = np.concatenate([log.velocity[rows] for _, log, _, rows in drives])
    left = np.concatenate([log.travel[-1] - log.travel[rows] for _, log, _, rows in drives])
    fit = fit_line(speeds, left / speeds, speeds**2)
    if fit is None or fit.slope <= 0:
        raise StepError("the wheels do not brake steadily after E_STOP")
    deceleration = 0.5 / fit.slope
    trial.keep("motor.brake_deceleration", deceleration, deceleration * fit.slope_error / fit.slope)
    value, error = mean([_time_until_brake(phase, log, cruise, fit) for phase, log, cruise, _ in drives])
    trial.keep("command.delay", value, max(error, 0.001))
    trial.keep("motor.brake_lag", fit.offset, fit.offset_error)


def _braking(phase: Phase) -> tuple[MotionLog, float, Array]:
    """Return the motion, the velocity before the command (m/s), and which packets are in the middle of the braking."""
    log = phase.log
    before = log.velocity[(log.time > phase.sent - 0.4) & (log.time < phase.sent)]
    cruise = float(before.mean()) if before.size else 0.0
    if cruise < _ROLLING:
        raise StepError("the wheels do not turn")
    return log, cruise, (log.time > phase.sent) & (log.velocity > _ROLLING) & (log.velocity < 0.95 * cruise)


def _time_until_brake(phase: Phase, log: MotionLog, cruise: float, fit: LineFit) -> float:
    """Time in s from the last command until the brakes act, computed from the distance to rest."""
    last = np.flatnonzero(log.time <= phase.sent)[-1]
    distance = log.travel[-1] - (log.travel[last] + cruise * (phase.sent - log.time[last]))
    return float(distance / cruise - (fit.offset + fit.slope * cruise))


def watchdog(trial: Trial, played: Played) -> None:
    """The watchdog with the motors on: when and how it brakes, beside a STOP, and what the next command does."""
    deceleration = trial.found("motor.brake_deceleration", _BRAKING)
    hard = LineFit(0.5 / deceleration, trial.found("motor.brake_lag", 0.0))
    times = []
    for stop, silence in zip(played.phases["stop"], played.phases["silence"], strict=True):
        log, cruise, rows = _braking(stop)
        delay = _time_until_brake(stop, log, cruise, _AT_ONCE)
        log = silence.log
        if log.velocity[-1] > cruise / 2:
            trial.keep("watchdog.acts", "no")
            return
        packets = np.count_nonzero(rows)
        log, cruise, rows = _braking(silence)
        as_stop = np.count_nonzero(rows) > packets / 2
        if as_stop:
            times.append(_time_until_brake(silence, log, cruise, _AT_ONCE) - delay)
        else:
            times.append(_time_until_brake(silence, log, cruise, hard) - trial.found("command.delay", 0.0))
    trial.keep("watchdog.acts", "yes")
    trial.keep("watchdog.braking", "as STOP" if as_stop else "harder than STOP")
    trial.keep("watchdog.motors", "on" if played["silence"].of(Sip)[-1].motors_enabled else "off")
    resumed = played["after"].log.velocity.max() > cruise / 2
    trial.keep("watchdog.resumes", "yes" if resumed else "no")
    value, error = mean(times)
    trial.keep("watchdog.time", value, math.hypot(error, 0.005))
