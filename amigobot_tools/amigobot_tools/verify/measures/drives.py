# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Scales, motors and brakes on lifted wheels, and drives on the floor that are measured with a tape.

The robot says in four ways how far it has driven: the command times its duration, the wheel velocities, X and Y, and
the encoders. If one of them deviates from the others, this one is taken as wrong: the median is the true distance.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from amigobot_driver.protocol import Gyro, Sip

from ..measured_motion import Instant, fit_line, mean
from ..step_data import Figure, Phase, StepData, StepError

_WHEEL_STEPS = 15, -15  # units of VEL2 that the step commands, one in each byte
_RAMP = 0.25, 0.8  # velocity / final velocity, between which a ramp is straight
_FULL_POWER = 0.4, 0.985  # speed / final speed, between which the motors have full power and the rest shows
_ROLLING = 0.03  # m/s above which a velocity counts in a fit
_TURNS = 2  # of the step `spin`
_TAPE = 0.002  # m, standard uncertainty of a length that a person measures
_PROTRACTOR = math.radians(0.5)  # rad, standard uncertainty of an angle that a person measures
_SHORTEST = 0.3  # m of a drive that can be compared with a tape
_FLOOR = 0.002  # uncertainty / distance on the floor, beside that of the tape


def _both(data: StepData, commanded: Iterable[float], found: Callable[[list[Instant]], float]) -> tuple[float, float]:
    """Return what two drives show, one way and back, over what was commanded; with its standard uncertainty."""
    return mean(found(phase.log) / target for (phase, *_), target in zip(data.phases.values(), commanded, strict=True))


def _mean_velocity(log: list[Instant]) -> float:
    return statistics.fmean(at.velocity for at in log)


def translation(data: StepData) -> Iterator[Figure]:
    """Four measures of the same distance, forward and back."""
    units, ticks = data.robot.profile.units, data.robot.nominal_ticks
    shown: dict[str, tuple[float, int, Callable[[list[Instant]], float]]] = {  # unit, its power, the velocity
        "velocity": (units.velocity, 1, _mean_velocity),
        "position": (units.distance, 1, lambda log: fit_line((at.time, at.x) for at in log).slope),
        "encoder": (ticks, -1, lambda log: fit_line((at.time, at.middle_ticks) for at in log).slope / ticks),
    }
    commanded = [value / 1000 for value in data.step.arguments("VEL")]  # m/s
    ratios = {name: _both(data, commanded, velocity) for name, (_, _, velocity) in shown.items()}
    known = [ratio for ratio in ratios.values() if math.isfinite(ratio[0])]
    if any(value <= 0 for value, _ in known):
        raise StepError("VEL 300 and VEL -300 turn the wheels in a wrong direction, or not at all")
    vote = statistics.median([1.0, *(value for value, _ in known)])
    yield data.figure("scale.command", vote, max(error for _, error in known))
    for name, (value, error) in ratios.items():
        nominal, power, _ = shown[name]
        scale = nominal * (vote / value) ** power
        yield data.figure(f"scale.{name}", scale, scale * error / value)


def wheel_velocity(data: StepData) -> Iterator[Figure]:
    """The unit of VEL2, and its two spellings."""
    yield data.figure("scale.wheel", *_both(data, _WHEEL_STEPS, _mean_velocity))


def rotation(data: StepData) -> Iterator[Figure]:
    """RVEL and the unit of the heading, against the encoders and RevCount."""

    def turned(at: Instant) -> float:
        """Angle in rad that the encoders have turned, by the robot's own RevCount or the profile's track."""
        left, right = at.ticks
        return (right - left) / 2 / data.robot.nominal_ticks / data.robot.half_track

    def rate(log: list[Instant]) -> float:
        found = fit_line((at.time, turned(at)) for at in log).slope
        # Without encoders the velocities of the wheels are all there is.
        return found if math.isfinite(found) else statistics.fmean(at.difference for at in log) / data.robot.half_track

    yield data.figure("scale.turn", *_both(data, map(math.radians, data.step.arguments("RVEL")), rate))
    units = [fit_line((turned(at), at.heading) for at in data.phase(name).log).slope for name in ("left", "right")]
    # The heading of a gyro stays where it is while the wheels turn in the air.
    yield data.figure("scale.heading", *mean(1 / unit for unit in units if unit))


def acceleration(data: StepData) -> Iterator[Figure]:
    """SETA, up and down."""
    return _ramps(data, lambda at: at.velocity, (value / 1000 for value in data.step.arguments("SETA")))


def turn_acceleration(data: StepData) -> Iterator[Figure]:
    """SETRA, up and down."""
    half_track = data.robot.half_track
    return _ramps(data, lambda at: at.difference / half_track, map(math.radians, data.step.arguments("SETRA")))


def _ramps(data: StepData, velocity: Callable[[Instant], float], commanded: Iterable[float]) -> Iterator[Figure]:
    """Yield the slopes of ramps over the commanded ones, up and down."""
    for key, name, rate in zip(data.step.figures, ("up", "down"), commanded, strict=True):
        slopes = []
        for up, ramp in zip(data.phases["up"], data.phases[name], strict=True):
            final = velocity(up.log[-1])
            shares = [(at.time, velocity(at) / final) for at in ramp.log if final]
            fit = fit_line((time, share) for time, share in shares if _RAMP[0] < share < _RAMP[1])
            slopes.append(fit.slope * abs(final) / rate)
        yield data.figure(key, *mean(slopes))


def full_power(data: StepData) -> Iterator[Figure]:
    """The speed at full voltage, and how fast it is approached."""
    times, tops = [], []
    for phase in data.phases["full"]:
        log = phase.log
        top = statistics.fmean(at.velocity for at in log if at.time > log[-1].time - 0.6)
        tops.append(top)
        rows = [at for at in log if _FULL_POWER[0] * top < at.velocity < _FULL_POWER[1] * top]
        rests = [(at.time, top - at.velocity) for at in rows]
        fit = fit_line([(time, math.log(rest)) for time, rest in rests], [rest * rest for _, rest in rests])
        if fit.slope < 0:
            times.append(-1 / fit.slope)
    yield data.figure("motor.top_speed", *mean(tops))
    yield data.figure("motor.time_constant", *mean(times))


def coast(data: StepData) -> Iterator[Figure]:
    """How a wheel without current slows down: a constant part and one that grows with the speed."""
    period = data.robot.found("telemetry.period", 0.1)
    # v' = -(a + v / T) makes every velocity a linear function of the one a period before.
    fit = fit_line(
        (before.velocity, after.velocity)
        for phase in data.phases["coast"]
        for before, after in pairwise(at for at in phase.log if at.time > phase.sent + 0.03)
        if before.velocity > after.velocity > _ROLLING and abs(after.time - before.time - period) < period / 2
    )
    if not 0 < fit.slope < 1:
        raise StepError("the wheels do not slow down steadily after ENABLE 0")
    constant = -period / math.log(fit.slope)
    yield data.figure("motor.coast_time", constant, constant**2 / period * fit.slope_error / fit.slope)
    loss = -fit.offset / (constant * (1 - fit.slope))
    error = abs(loss) * math.hypot(fit.offset_error / fit.offset, fit.slope_error / (1 - fit.slope)) / 2
    yield data.figure("motor.coast_deceleration", loss, error)


def brake(data: StepData) -> Iterator[Figure]:
    """E_STOP: from a velocity in the middle of the braking and the distance that remains, at any phase of the cycle."""
    drives = [(phase, *_braking(phase)) for phase in data.phases["brake"]]
    points = [(at.velocity, log[-1].travel - at.travel) for _, log, _, rows in drives for at in rows]
    fit = fit_line([(speed, left / speed) for speed, left in points], [speed * speed for speed, _ in points])
    if not fit.slope > 0:
        raise StepError("the wheels do not brake steadily after E_STOP")
    deceleration = 0.5 / fit.slope
    yield data.figure("motor.brake_deceleration", deceleration, deceleration * fit.slope_error / fit.slope)
    delays = [_time_to_rest(phase, log, cruise) - fit.offset - fit.slope * cruise for phase, log, cruise, _ in drives]
    value, error = mean(delays)
    yield data.figure("command.delay", value, max(error, 0.001))


def _braking(phase: Phase) -> tuple[list[Instant], float, list[Instant]]:
    """Return the motion, the velocity before the command (m/s), and the middle of the braking."""
    log = phase.log
    before = [at.velocity for at in log if phase.sent - 0.4 < at.time < phase.sent]
    cruise = statistics.fmean(before) if before else math.nan
    if not cruise >= _ROLLING:
        raise StepError("the wheels do not turn" if before else "no packets came before the stop; repeat the step")
    return log, cruise, [at for at in log if at.time > phase.sent and _ROLLING < at.velocity < 0.95 * cruise]


def _time_to_rest(phase: Phase, log: Sequence[Instant], cruise: float) -> float:
    """Return the distance rolled after the last command over the velocity before it, s."""
    last = [at for at in log if at.time <= phase.sent][-1]
    distance = log[-1].travel - (last.travel + cruise * (phase.sent - last.time))
    return distance / cruise


def watchdog(data: StepData) -> Iterator[Figure]:
    """The watchdog with the motors on: whether it brakes as STOP does, then when, and what the next command does."""
    times = []
    for stop, silence in zip(data.phases["stop"], data.phases["silence"], strict=True):
        log, cruise, braking = _braking(stop)
        stopping = _time_to_rest(stop, log, cruise)
        log, cruise, rows = _braking(silence)
        if log[-1].velocity > cruise / 2:
            yield data.figure("watchdog.acts", False)
            return
        if len(rows) > len(braking) / 2:
            times.append(_time_to_rest(silence, log, cruise) - stopping)
    yield data.figure("watchdog.acts", True)
    as_stop = len(times) == len(data.phases["silence"])
    yield data.figure("watchdog.braking", "as STOP" if as_stop else "harder than STOP")
    yield data.figure("watchdog.motors", "on" if data.phase("silence").of(Sip)[-1].motors_enabled else "off")
    yield data.figure("watchdog.resumes", max(at.velocity for at in data.phase("after").log) > cruise / 2)
    if as_stop:
        value, error = mean(times)
        yield data.figure("watchdog.time", value, math.hypot(error, 0.005))


def straight(data: StepData) -> Iterator[Figure]:
    """A meter forward: the true distance of each wheel over the encoders'."""
    forward, left = data.answers["FORWARD"], data.answers["LEFT"]
    log, track = data.phase("drive").log, data.robot.profile.body.track
    rolled = log[-1].travel - log[0].travel
    if rolled < _SHORTEST:
        raise StepError(f"the robot has rolled {rolled:.2f} m; a measurement needs {_SHORTEST} m or more")
    # A body that drives a circle turns by twice the angle at which its end lies.
    turned = 2 * math.atan2(left, forward)
    chord = math.hypot(forward, left)
    distance = chord if abs(turned) < 1e-6 else chord * (turned / 2) / math.sin(turned / 2)
    error = math.hypot(_TAPE / rolled, _TAPE / rolled * track / rolled, _FLOOR)
    yield data.figure("wheel.left_scale", (distance - turned * track / 2) / rolled, error)
    yield data.figure("wheel.right_scale", (distance + turned * track / 2) / rolled, error)


def spin(data: StepData) -> Iterator[Figure]:
    """Two turns on the spot: the track, and the scale of the gyro."""
    log, angle = data.phase("turn").log, math.tau * _TURNS + math.radians(data.answers["TURNED"])
    left, right = (
        count / data.robot.ticks_per_meter * data.robot.found(f"wheel.{side}_scale", 1.0)
        for side, count in zip(("left", "right"), log[-1].ticks, strict=True)
    )
    track = (right - left) / angle
    yield data.figure("wheel.track", track, track * math.hypot(_PROTRACTOR / angle, 0.003))
    if data.robot.configured("has_gyro"):
        yield from _gyro(data, data.phase("turn"), log, angle)


def _gyro(data: StepData, phase: Phase, log: Sequence[Instant], angle: float) -> Iterator[Figure]:
    """The scale and the period of the gyro from a turn by a known angle, at rest before and after."""
    packets = [(s.time, s.packet) for s in phase.packets if isinstance(s.packet, Gyro)]
    if len(packets) < 20:
        yield data.figure("gyro.scale", None)
        return
    samples = [(time, sample.rate) for time, packet in packets for sample in packet.samples]
    moving = [at.time for at in log if at.left or at.right]
    center, error = mean(rate for time, rate in samples if not moving[0] - 0.3 <= time <= moving[-1] + 0.4)
    period = (samples[-1][0] - samples[0][0]) / sum(len(packet.samples) for _, packet in packets[1:])
    total = sum(center - rate for _, rate in samples) * period
    yield data.figure("gyro.period", period)
    share = math.hypot(_PROTRACTOR / angle, error * len(samples) * period / total)
    yield data.figure("gyro.scale", angle / total, abs(angle / total) * share)


def _signs(left: float, right: float) -> str:
    return ", ".join("+" if value > 0 else "-" if value < 0 else "0" for value in (left, right))


def velocity_signs(phase: Phase) -> str:
    """The directions of the wheels, by their velocities."""
    return _signs(phase.log[-1].left, phase.log[-1].right)


def encoder_signs(phase: Phase) -> str | None:
    """In which directions the encoders count."""
    left, right = phase.log[-1].ticks
    return None if math.isnan(left) else _signs(left, right)


def heading_target(phase: Phase) -> str:
    """Target of the heading servo, rounded to 10 deg: CONTROL of the SIP shows it."""
    unit = phase.robot.found("scale.heading", phase.robot.profile.units.angle)
    return f"{10 * round(math.degrees(phase.of(Sip)[-1].control * unit) / 10)} deg"


def position_bits(phase: Phase) -> int | str | None:
    """Bits of X, by its value behind the origin."""
    if phase.robot.profile.erratic:  # 24 bits
        return None
    x = phase.of(Sip)[-1].x
    return 16 if x >= 0x8000 else 15 if x >= 0x4000 else "?"
