# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What the motors do without the servo's help: full power, no power, brakes, and the watchdog's brake."""

from __future__ import annotations

import math
from itertools import pairwise

from amigobot_driver.protocol import Command, Instruction, Sip

from ..client import Client
from ..figures import LineFit, fit_line, mean
from ..motion import MotionLog, Row
from ..trial import StepFailed, Trial
from .session import watchdog_seconds

_REPEATS = 4
#: mm/s that no robot of the family reaches, so that its motors get full power
_UNREACHABLE = 2000
#: mm/s^2 that no motor reaches
_FASTEST = 10000
_COAST_VELOCITY, _BRAKE_VELOCITY, _WATCHDOG_VELOCITY = 600, 600, 200
#: number of brakings, spread over the cycle of the standard packets
_BRAKINGS = 10
#: shares of the final speed between which the motors have full power and the rest still differs from zero
_FULL_POWER, _CLOSE = 0.4, 0.985
#: m/s above which a velocity counts in a fit
_ROLLING = 0.03
_FLOOR = 0.003
#: of wheels that stop at once
_AT_ONCE = LineFit(0.0, 0.0, 0.0, 0.0)
#: s that adapters and network bridges may need
_LATENCY = 0.02


def full_power(trial: Trial) -> None:
    """The speed at full voltage, and how fast it is approached."""
    top = trial.configured("trans_vel_top") or _UNREACHABLE
    fastest = trial.configured("trans_acc_top") or _FASTEST
    times, tops = [], []
    with trial.motors() as client:
        client.send(Command.SETV(min(top, _UNREACHABLE)), Command.SETA(fastest), Command.SETA(-1000))
        for repeat in range(_REPEATS):
            trial.next_sip()
            client.wait(repeat * 0.1 / _REPEATS)
            log = trial.drive(1.8, Command.VEL(min(top, _UNREACHABLE)))
            final = [row.velocity for row in log.rows if row.time > log.rows[-1].time - 0.6]
            speed = sum(final) / len(final)
            tops.append(speed)
            rows = [row for row in log.rows if _FULL_POWER * speed < row.velocity < _CLOSE * speed]
            rest = [speed - row.velocity for row in rows]
            fit = fit_line([row.time for row in rows], [math.log(r) for r in rest], [r * r for r in rest])
            if fit is not None and fit.slope < 0:
                times.append(-1 / fit.slope)
            if repeat == 0:
                _plot(trial, "motor.full_power", "Full power", log)
            trial.rest()
    value, error = mean(tops)
    trial.number(
        "motor.top_speed",
        "speed of a lifted wheel at full power",
        value,
        "m/s",
        math.hypot(error, value * _FLOOR),
        parameter="physics.free_speed",
    )
    value, error = mean(times)
    trial.number(
        "motor.time_constant",
        "time constant of motor and wheel",
        value,
        "s",
        math.hypot(error, value * _FLOOR),
        parameter="physics.motor_time",
    )


def _plot(trial: Trial, key: str, title: str, log: MotionLog) -> None:
    zero = log.rows[0].time
    trial.plot(key, title, "time, s", "velocity, m/s", [(row.time - zero, row.velocity) for row in log.rows])


def coast(trial: Trial) -> None:
    """How a wheel without current slows down: a constant part and one that grows with the speed."""
    before, after = [], []
    period = trial.found("telemetry.period", 0.1)
    client = trial.client
    for repeat in range(_REPEATS):
        with trial.motors():
            client.send(Command.SETA(1000), Command.VEL(_COAST_VELOCITY))
            client.wait(1.6)
            trial.next_sip()
            client.wait(repeat * period / _REPEATS)
            sent = client.now()
            log = trial.drive(2.0, Command.ENABLE(0))
            rows = [row for row in log.rows if row.time > sent + 0.03]
            for a, b in pairwise(rows):
                if a.velocity > b.velocity > _ROLLING and abs(b.time - a.time - period) < period / 2:
                    before.append(a.velocity)
                    after.append(b.velocity)
            if repeat == 0:
                _plot(trial, "motor.coast", "Motors off", log)
    # v' = -(a + v / T) makes every velocity a linear function of the one a period before.
    fit = fit_line(before, after)
    if fit is None or not 0 < fit.slope < 1:
        raise StepFailed("the wheels do not slow down steadily after ENABLE 0")
    constant = -period / math.log(fit.slope)
    error = constant**2 / period * fit.slope_error / fit.slope
    trial.number(
        "motor.coast_time",
        "time constant of coasting",
        constant,
        "s",
        math.hypot(error, constant * _FLOOR),
        parameter="physics.coast_time",
    )
    loss = -fit.offset / (constant * (1 - fit.slope))
    error = abs(loss) * math.hypot(fit.offset_error / fit.offset, fit.slope_error / (1 - fit.slope)) / 2
    trial.number(
        "motor.coast_deceleration",
        "deceleration of coasting near rest",
        loss,
        "m/s^2",
        math.hypot(error, loss * _FLOOR),
        parameter="physics.coast_deceleration",
    )


def brake(trial: Trial) -> None:
    """E_STOP: from a velocity in the middle of the braking and the distance that remains, at any phase of the cycle."""
    speeds, shares, delays = [], [], []
    period = trial.found("telemetry.period", 0.1)
    client = trial.client
    drives: list[tuple[float, float, list[Row]]] = []
    with trial.motors(), trial.encoders():
        client.send(Command.SETA(1000))
        for repeat in range(_BRAKINGS):
            client.send(Command.VEL(_BRAKE_VELOCITY))
            first = len(client.packets)
            client.wait(1.4)
            trial.next_sip()
            client.wait((repeat + 0.5) * period / _BRAKINGS)
            sent = client.send(Command.E_STOP())
            client.wait(0.8)
            log = trial.log(client.packets[first:])
            cruise, rows = _braking(log, sent)
            drives.append((sent, cruise, log.rows))
            end = log.rows[-1].travel
            for row in rows:
                speeds.append(row.velocity)
                shares.append((end - row.travel) / row.velocity)
            if repeat == 0:
                _plot(trial, "motor.brake", "E_STOP", trial.log(client.packets[first:]))
    fit = fit_line(speeds, shares, [v * v for v in speeds])
    if fit is None or fit.slope <= 0:
        raise StepFailed("the wheels do not brake steadily after E_STOP")
    deceleration = 0.5 / fit.slope
    error = deceleration * fit.slope_error / fit.slope
    trial.number(
        "motor.brake_deceleration",
        "deceleration of E_STOP",
        deceleration,
        "m/s^2",
        math.hypot(error, deceleration * _FLOOR),
        parameter="physics.brake_deceleration",
    )
    for sent, cruise, rows in drives:
        delays.append(_time_until_brake(rows, sent, cruise, fit))
    value, error = mean(delays)
    trial.number(
        "command.delay",
        "time from E_STOP to the brakes, line and adapter included",
        value,
        "s",
        max(error, 0.001),
        tolerance=_LATENCY,
        parameter="physics.command_delay",
    )
    trial.number("motor.brake_lag", "braking distance over velocity", fit.offset, "s", fit.offset_error, compared=False)


def _braking(log: MotionLog, sent: float) -> tuple[float, list[Row]]:
    """Return the velocity before a command, and the packets from the middle of the braking after it."""
    cruise = [row.velocity for row in log.rows if sent - 0.4 < row.time < sent]
    if not cruise:
        raise StepFailed("no packet shows the velocity before E_STOP")
    speed = sum(cruise) / len(cruise)
    if speed < _ROLLING:
        raise StepFailed("the wheels do not turn")
    return speed, [row for row in log.rows if row.time > sent and _ROLLING < row.velocity < 0.95 * speed]


def _time_until_brake(rows: list[Row], sent: float, cruise: float, fit: LineFit) -> float:
    """Time in s from a moment of constant velocity until the brakes act, computed from the distance to rest."""
    last = next(row for row in reversed(rows) if row.time <= sent)
    distance = rows[-1].travel - (last.travel + cruise * (sent - last.time))
    return distance / cruise - (fit.offset + fit.slope * cruise)


def watchdog(trial: Trial) -> None:
    """The watchdog with the motors on: when and how it brakes, beside a STOP, and what the next command does."""
    limit = watchdog_seconds(trial)
    client: Client = trial.client
    deceleration = trial.found("motor.brake_deceleration", 6.0)
    hard = LineFit(0.5 / deceleration, trial.found("motor.brake_lag", 0.0), 0.0, 0.0)
    times = []
    with trial.motors(), trial.encoders():
        for _ in range(2):
            log, sent = _cruise(trial, Command.STOP(), 2.0)
            cruise, normal = _braking(log, sent)
            stop = _time_until_brake(log.rows, sent, cruise, _AT_ONCE)
            log, sent = _cruise(trial, Command.VEL(_WATCHDOG_VELOCITY), limit * 1.3 + 2.0)
            if log.rows[-1].velocity > 0.5 * _WATCHDOG_VELOCITY / 1000:
                trial.rest()
                trial.fact("watchdog.acts", "a silence stops the wheels", "no")
                return
            cruise, rows = _braking(log, sent)
            normally = len(rows) > len(normal) / 2
            if normally:
                times.append(_time_until_brake(log.rows, sent, cruise, _AT_ONCE) - stop)
            else:
                times.append(_time_until_brake(log.rows, sent, cruise, hard) - trial.found("command.delay", 0.0))
            _plot(trial, "watchdog", "Silence after a command", log)
            sip = client.wait_for(Sip, 0.5, alive=False)
            client.send(Command.PULSE())
            log = trial.log(client.wait(1.0))
            trial.rest()
    trial.fact("watchdog.acts", "a silence stops the wheels", "yes")
    trial.fact("watchdog.braking", "how it stops them", "as STOP" if normally else "harder than STOP")
    trial.fact("watchdog.motors", "motors after it", None if sip is None else "on" if sip.motors_enabled else "off")
    resumed = log.rows[-1].velocity > 0.5 * cruise
    trial.fact("watchdog.resumes", "PULSE after it lets the robot drive on", "yes" if resumed else "no")
    value, error = mean(times)
    trial.number(
        "watchdog.time",
        "silence until the brakes act",
        value,
        "s",
        math.hypot(error, 0.005),
        parameter="physics.watchdog_ratio",
    )


def _cruise(trial: Trial, then: Instruction, seconds: float) -> tuple[MotionLog, float]:
    """Drive, send a command and nothing after it; return the packets from before it on, and when it was sent."""
    client: Client = trial.client
    client.send(Command.VEL(_WATCHDOG_VELOCITY))
    client.wait(1.4)
    first = len(client.packets)
    client.wait(0.5)
    sent = client.send(then)
    client.wait(seconds, alive=False)
    return trial.log(client.packets[first:]), sent
