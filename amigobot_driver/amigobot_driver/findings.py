# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The state of each part of a robot, with the remedy: what diagnostics and the tools show.

A finding is a function of this module marked with @part. It gets a `History` of snapshots and returns a `Finding`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from enum import IntEnum

from .robot import MAX_ROUTINE, BatteryLevel, RobotSnapshot
from .wording import counted


class Level(IntEnum):
    """How bad a finding is; the numbers are those of diagnostic_msgs/DiagnosticStatus."""

    OK = 0
    WARN = 1
    ERROR = 2


OK, WARN, ERROR = Level

#: Status of one part: level, message, values.
Finding = tuple[Level, str, Mapping[str, object]]

#: Late or missing packets in a minute, out of 600, above which the link is reported as bad.
MAX_GAPS = 30
#: How many faulty sonars the message describes; the values have all of them.
_MAX_DESCRIBED = 3
#: s, the longest time over which counters are compared.
_MINUTE = 60

_NO_PACKETS: Finding = (ERROR, "unknown: no packets from the robot", {})


class History:
    """The snapshots of the last minute, one for each second."""

    def __init__(self) -> None:
        self._snapshots: deque[RobotSnapshot] = deque(maxlen=_MINUTE + 1)

    def add(self, snapshot: RobotSnapshot, seconds: int = 1) -> None:
        """Add the present snapshot for the seconds since the last one."""
        self._snapshots.extend([snapshot] * min(seconds, _MINUTE + 1))

    @property
    def now(self) -> RobotSnapshot:
        """The newest snapshot."""
        return self._snapshots[-1]

    def increase(self, counter: Callable[[RobotSnapshot], int], seconds: int = 1) -> int:
        """Return how much a counter has grown in the last seconds; counters start from 0 with the driver."""
        snapshots = self._snapshots
        before = counter(snapshots[-1 - seconds]) if len(snapshots) > seconds else 0
        return counter(snapshots[-1]) - before


#: The findings by the name of the part, in the order of the message.
PARTS: dict[str, Callable[[History, str], Finding]] = {}


def part(name: str) -> Callable[[Callable[[History, str], Finding]], Callable[[History, str], Finding]]:
    """Make a function the status of a part; it is called with the history and the port URL."""

    def add(function: Callable[[History, str], Finding]) -> Callable[[History, str], Finding]:
        PARTS[name] = function
        return function

    return add


def _seconds(value: float) -> str:
    return "not measured" if math.isnan(value) else f"{value:.3f}"


def _meters(distance: float) -> str:
    if math.isnan(distance):
        return "none yet"
    return "no echo" if math.isinf(distance) else f"{distance:.2f} m"


@part("link")
def _link(history: History, port: str) -> Finding:
    state, link = history.now, history.now.link
    damaged = history.increase(lambda then: then.link.decoder.checksum_errors)
    late = history.increase(lambda then: then.link.gaps, _MINUTE)
    level, message = (OK if link.running else ERROR), link.note
    if link.running and damaged:
        level = WARN
        message = f"{counted(damaged, 'damaged packet')} in the last second: check cable, radio and line speed"
    elif link.running and late > MAX_GAPS:
        level = WARN
        message = (
            f"{counted(late, 'late or missing packet')} in the last minute, longest gap "
            f"{link.longest_gap:.1f} s: check radio and cable, and whether the computer is overloaded"
        )
    values = {
        "state": link.state.name.lower(),
        "port": port,
        "line_baud": link.baud or "none",
        "profile": state.profile.name,
        "profile_reason": state.profile_reason,
        "connections": link.connections,
        "bytes_received": link.decoder.bytes,
        "packets_received": link.decoder.frames,
        "packets_standard": link.packets.standard,
        "packets_unknown": link.packets.unknown,
        "packets_malformed": link.packets.malformed,
        "packet_period": _seconds(link.period),
        "packet_gaps": link.gaps,
        "longest_gap_in_last_minute": _seconds(link.longest_gap),
        "latency_of_an_answer": _seconds(link.answer_latency),
        "latency_of_driving_off": _seconds(link.start_latency),
        "checksum_errors": link.decoder.checksum_errors,
        "bytes_skipped": link.decoder.skipped_bytes,
        "frames_sent": state.commands.queue.sent,
        "odometry_jumps": state.odometry_jumps,
        "sonar_readings_refused": state.bad_pings,
    }
    return level, message, values


@part("motors")
def _motors(history: History, port: str) -> Finding:
    state, report = history.now, history.now.report
    if not state.link.running or report is None:
        return _NO_PACKETS
    stalled = {wheel: stall.duration for wheel, stall in state.stalls.items() if stall.duration is not None}
    level, message = OK, "motors on"
    if state.emergency_stop:
        level, message = WARN, "emergency stop latched: call clear_emergency_stop to drive again"
    elif stalled:
        wheels = "both wheels" if len(stalled) == 2 else f"{''.join(stalled)} wheel"
        level = ERROR
        since = max(1, round(max(stalled.values())))
        message = f"{wheels} stalled for {since} s: stop, and free the robot or drive it back"
    elif report.faults:
        level = ERROR
        message = f"the robot reports: {', '.join(report.faults)}. Stop it and inspect it; see its manual"
    elif problem := state.motors.problem:
        level = WARN
        message = f"{problem}: call enable_motors, or press MOTORS on the robot; check radio and cable"
    elif problem := state.standstill:
        level, message = WARN, f"{problem}: call enable_motors if the motor button was pressed"
    elif not report.motors_enabled:
        level, message = WARN, "motors off: call enable_motors, or press MOTORS on the robot"
    elif state.motors.reported is None:
        message = "motors on (commanded); this robot does not report the state of its motors"
    values = {
        "enabled": report.motors_enabled,
        "moving": report.moving,
        "stall_left": report.left_stalled,
        "stall_right": report.right_stalled,
        "stalls_left": state.stalls["left"].count,
        "stalls_right": state.stalls["right"].count,
        "emergency_stop": state.emergency_stop,
    }
    if report.celsius is not None:
        values["temperature"] = report.celsius
    return level, message, values


@part("battery")
def _battery(history: History, port: str) -> Finding:
    state, report = history.now, history.now.report
    if not state.link.running or report is None:
        return _NO_PACKETS
    battery, limits = state.battery, state.profile.battery
    volts, cutoff = battery.voltage, limits.cutoff
    level, message = OK, f"good: {volts:.1f} V"
    if report.charging:
        message = f"charging: {volts:.1f} V"
    elif battery.level is BatteryLevel.LOW:
        level, message = WARN, f"low: {volts:.1f} V. Bring the robot to its charger"
    elif battery.level is BatteryLevel.CRITICAL:
        level = ERROR
        message = f"nearly empty: {volts:.1f} V, the robot switches off at {cutoff:.1f} V. Stop and charge it now"
    values: dict[str, object] = {
        "voltage": f"{volts:.2f}",
        "charge": f"{report.charge:.2f}",
        "low_at": limits.low,
        "cutoff_at": cutoff,
    }
    if report.charge_state:  # only some packets have the state of the charger
        values["charger"] = report.charge_state
    return level, message, values


@part("sonar")
def _sonar(history: History, port: str) -> Finding:
    state = history.now
    if not state.link.running or state.report is None:
        return _NO_PACKETS
    troubles = state.sonar_troubles
    level, message = OK, "every sonar that fires is answering"
    if not state.profile.sonar.poses:
        message = "this robot has no sonars"
    elif troubles:
        level, message = WARN, "; ".join(trouble.text for trouble in troubles[:_MAX_DESCRIBED])
        if len(troubles) > _MAX_DESCRIBED:
            message += f"; and {len(troubles) - _MAX_DESCRIBED} more, see the values"
    elif problem := state.sonar.problem:
        level, message = WARN, f"{problem}: call enable_sonar; check radio and cable"
    elif not state.sonar_on:
        message = "off: call enable_sonar to switch the sonars on"
    wrong = {trouble.number: trouble.kind for trouble in troubles}
    values: dict[str, object] = {"enabled": state.sonar_on}
    for sonar in state.sonars:
        values[f"sonar_{sonar.number}"] = (
            f"{wrong.get(sonar.number, 'ok') if state.sonar_on else 'off'}, range {_meters(sonar.range)}, "
            f"age {sonar.age:.1f} s, spikes {sonar.spikes}"
        )
    return level, message, values


@part("commands")
def _commands(history: History, port: str) -> Finding:
    commands = history.now.commands
    failed = [
        name.removesuffix("_given_up").replace("_", " ")
        for name in commands.requests
        if name.endswith("_given_up")
        and history.increase(lambda then, name=name: then.commands.requests[name], _MINUTE)  # type: ignore[misc]
    ]
    level, message = OK, "no command failed"
    if refused := history.increase(lambda then: then.commands.motion.refused):
        velocities = counted(refused, "velocity", "velocities")
        level, message = WARN, f"{velocities} refused in the last second, see the log"
    elif history.increase(lambda then: then.commands.motion.timeouts):
        level, message = WARN, "no new velocity within cmd_vel_timeout: the driver stopped the robot"
    elif overflow := history.increase(lambda then: then.commands.queue.refused, _MINUTE):
        full = f"{counted(overflow, 'command')} refused in the last minute"
        level, message = WARN, f"{full}: the queue was full ({MAX_ROUTINE} commands); send fewer at a time"
    elif failed:
        level = WARN
        message = (
            f"not confirmed by the robot in the last minute: {', '.join(failed)}; the service response or the log "
            "has the reason. If the robot can do this, check the link and try again"
        )
    elif history.increase(lambda then: then.commands.limited):
        message = "velocities are scaled down to the limits"
    values = {
        "accepted": commands.motion.accepted,
        "refused": commands.motion.refused,
        "scaled_down": commands.limited,
        "timeouts": commands.motion.timeouts,
        "sent": commands.queue.sent,
        "queue_full": commands.queue.refused,
        "replaced": commands.queue.replaced,
        "dropped": commands.queue.dropped,
        "withheld": commands.queue.withheld,
        "raw_refused": commands.raw_refused,
        **commands.requests,
        "max_linear_velocity": f"{commands.max_linear:.3f}",
        "max_angular_velocity": f"{commands.max_angular:.3f}",
    }
    return level, message, values


@part("streams")
def _streams(history: History, port: str) -> Finding:
    """Streams of packets besides the SIPs, and those that the line has no bandwidth for."""
    state, plan = history.now, history.now.plan
    accepted = ", ".join(plan.accepted) or "none"
    level, message = OK, f"received: {accepted}"
    problems = list(plan.reasons.values())
    if silent := [stream.name for stream in state.streams if stream.silent]:
        pronoun = "it" if len(silent) == 1 else "them"
        problems.insert(0, f"no {' and no '.join(silent)} received; the driver keeps requesting {pronoun}")
    if problems:
        level, message = WARN, "; ".join(problems)
    values = {
        "accepted": accepted,
        "left_out": ", ".join(plan.refused) or "none",
        "bytes_per_cycle": plan.needed,
        "bytes_available": f"{plan.available:.0f}",
        **{f"{stream.name}_received": stream.packets for stream in state.streams},
        **{f"{stream.name}_asked_again": stream.resent for stream in state.streams},
        "encoder_jumps": state.encoder_jumps,
        "gyro_centre": "not measured" if math.isnan(state.gyro_center) else f"{state.gyro_center:.2f}",
    }
    return level, message, values


@part("aux")
def _aux(history: History, port: str) -> Finding:
    level, message = OK, "no bytes dropped"
    if dropped := history.increase(lambda then: sum(port.dropped for port in then.aux)):
        level, message = WARN, f"{counted(dropped, 'byte')} not written in the last second, see the log"
    values = {
        f"aux{port.number}_{counter}": getattr(port, counter)
        for port in history.now.aux
        for counter in ("written", "dropped", "received", "forgotten", "asked_again")
    }
    return level, message, values


@part("bumpers")
def _bumpers(history: History, port: str) -> Finding:
    """Pressed segments, numbered as in the message of the topic bumpers."""
    bumpers = history.now.bumpers
    if not history.now.link.running:
        return _NO_PACKETS
    if bumpers is None:
        return OK, "this robot has no bumpers", {}
    rings = {"front": bumpers.front, "rear": bumpers.rear}
    pressed = [
        f"{ring} bumper {number}"
        for ring, segments in rings.items()
        for number, touched in enumerate(segments)
        if touched
    ]
    values = {f"{ring}_segments": len(segments) for ring, segments in rings.items()}
    if pressed:
        return WARN, f"{', '.join(pressed)} pressed: free the robot", values
    return OK, "no bumper pressed", values
