# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Scales, motors and brakes on lifted wheels, and drives on the floor that are measured with a tape.

The robot says in four ways how far it has driven: the command times its duration, the wheel velocities, X and Y, and
the encoders. If one of them deviates from the others, this one is taken as wrong: the median is the true distance.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from amigobot_driver.protocol import Gyro, Sip

from ..motion import Array, LineFit, MotionLog, fit_line, mean
from ..trial import Phase, Played, StepError, Trial

_VELOCITY = 0.3  # m/s that the script commands
_WHEEL_STEPS = 15  # of VEL2
_TURN = math.radians(30)  # rad/s
_RAMP = 0.25, 0.8  # shares of the final velocity between which a ramp is straight
_FULL_POWER = 0.4, 0.985  # shares of the final speed between which the motors have full power and the rest shows
_ROLLING = 0.03  # m/s above which a velocity counts in a fit
_BRAKING = 6.0  # m/s^2, as long as it is not measured
_AT_ONCE = LineFit(0.0, 0.0)  # wheels that stop at once
_TURNS = 2
_TAPE, _PROTRACTOR = 0.002, math.radians(0.5)  # m, rad: standard uncertainties of a person's measurements
_SHARE = 0.002  # share by which a distance on the floor is uncertain besides


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


def acceleration(trial: Trial, played: Played) -> None:
    """SETA, up and down."""
    _ramps(trial, played, lambda log: log.velocity, 0.25, -0.35)


def turn_acceleration(trial: Trial, played: Played) -> None:
    """SETRA, up and down."""
    _ramps(trial, played, lambda log: log.difference / trial.half_track, math.radians(50), math.radians(-70))


def _ramps(trial: Trial, played: Played, velocity: Callable[[MotionLog], Array], *commanded: float) -> None:
    """Keep the slopes of ramps over the commanded ones, up and down."""
    assert trial.step is not None
    for key, name, rate in zip(trial.step.figures, ("up", "down"), commanded, strict=True):
        slopes = []
        for up, ramp in zip(played.phases["up"], played.phases[name], strict=True):
            final = velocity(up.log)[-1]
            share = velocity(ramp.log) / final
            straight = (share > _RAMP[0]) & (share < _RAMP[1])
            if fit := fit_line(ramp.log.time[straight], share[straight]):
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
        scales = trial.found("wheel.left_scale", 1.0), trial.found("wheel.right_scale", 1.0)
        left, right = log.ticks[log.counted][-1] / trial.ticks_per_meter * scales
        track = (right - left) / angle
        error = track * math.hypot(_PROTRACTOR / angle, 0.003)
    trial.keep("wheel.track", track, error)
    if past is not None and trial.configured("has_gyro"):
        _gyro(trial, played["turn"], log, angle=math.tau * _TURNS + math.radians(past))


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
