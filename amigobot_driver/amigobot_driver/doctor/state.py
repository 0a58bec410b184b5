# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The state of each part of a robot while the driver runs: the rows of the table that need snapshots only.

    history = History()
    history.add(robot.snapshot())
    for finding in live_findings(history, port):
        ...

/diagnostics, `amigobot monitor` and the dashboard show one finding for each part, with the values of that part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

from ..robot import MAX_ROUTINE, BatteryLevel, Report
from ..wording import counted
from . import sonar_checks  # noqa: F401 - its measures
from .evidence import Evidence
from .finding import Finding, Severity
from .history import MINUTE, History
from .table import capitalized, evaluate, measure

#: Late or missing packets in a minute, out of 600, above which the link is reported as bad.
MAX_GAPS = 30
#: How many problems of one part the message describes.
_MAX_DESCRIBED = 3

Values = Mapping[str, object]


def live_findings(history: History, port: str) -> Iterator[Finding]:
    """Yield one finding for each part, in the order of the message.

    Args:
        history: The snapshots; at least one.
        port: URL of the port.
    """
    for part, (show, values) in _PARTS.items():
        measured = {**values(history), **({"port": port} if part == "link" else {})}
        if part in _NEED_PACKETS and not (history.now.link.running and history.now.report):
            yield Finding(part, Severity.ERROR, "unknown: no packets from the robot", values=measured)
            continue
        problems = list(evaluate(part, history, live=True))
        if not problems:
            yield Finding(part, Severity.OK, show(history), values=measured)
            continue
        texts = [row.cause.format(seen.text) for row, seen in problems[:_MAX_DESCRIBED]]
        remedies = dict.fromkeys(row.remedy for row, _ in problems[:_MAX_DESCRIBED] if row.remedy)
        text = " ".join([*(capitalized(text) for text in texts), *remedies])
        yield Finding(part, max(row.severity for row, _ in problems), text, values=measured)


# -- link -------------------------------------------------------------------------------------------------------------


@measure("not-connected")
def _not_connected(history: History) -> str:
    link = history.now.link
    return "" if link.running else link.note


@measure("damaged-now")
def _damaged(history: History) -> str:
    damaged = history.increase(lambda then: then.link.decoder.checksum_errors)
    return f"{counted(damaged, 'damaged packet')} in the last second" if damaged and history.now.link.running else ""


@measure("late-now")
def _late(history: History) -> str:
    late, link = history.increase(lambda then: then.link.gaps, MINUTE), history.now.link
    if late <= MAX_GAPS or not link.running:
        return ""
    return f"{counted(late, 'late or missing packet')} in the last minute, longest gap {link.longest_gap:.1f} s"


def _link(history: History) -> Values:
    state, link = history.now, history.now.link
    return {
        "state": link.state.name.lower(),
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
        "checksum_errors": link.decoder.checksum_errors,
        "bytes_skipped": link.decoder.skipped_bytes,
        "frames_sent": state.commands.queue.sent,
        "odometry_jumps": state.odometry_jumps,
        "sonar_readings_refused": state.bad_pings,
    }


# -- motors -----------------------------------------------------------------------------------------------------------


@measure("stop-latched")
def _stop_latched(history: History) -> str:
    return "The emergency stop is latched" if history.now.emergency_stop else ""


@measure("stalled")
def _stalled(history: History) -> str:
    history = history.history
    stalled = {wheel: stall.duration for wheel, stall in history.now.stalls.items() if stall.duration is not None}
    counts = {
        wheel: history.increase(lambda then, wheel=wheel: then.stalls[wheel].count)  # type: ignore[misc]
        for wheel in history.now.stalls
    }
    wheels = [wheel for wheel in counts if wheel in stalled or counts[wheel]]
    if not wheels:
        return ""
    which = "Both wheels" if len(wheels) == 2 else f"The {wheels[0]} wheel"
    since = f" for {max(1, round(max(stalled.values())))} s" if stalled else ", now and then"
    return f"{which} stalled{since}"


@measure("controller-fault")
def _controller_fault(history: History | Evidence) -> str:
    return ", ".join(sorted({fault for report in _reports(history) for fault in report.faults}))


@measure("stop-button")
def _stop_button(history: History | Evidence) -> str:
    pressed = any(report.stop_button for report in _reports(history))
    return "The emergency stop button is pressed" if pressed else ""


@measure("motors-disobey")
def _motors_disobey(history: History) -> str:
    return capitalized(history.now.motors.problem)


@measure("standstill")
def _standstill(history: History) -> str:
    return capitalized(history.now.standstill)


@measure("motors-off")
def _motors_off(history: History) -> str:
    report, motors = history.now.report, history.now.motors
    known = motors.problem or history.now.emergency_stop
    return "The motors are off" if report and not report.motors_enabled and not known else ""


def _motors_shown(history: History) -> str:
    known = history.now.motors.reported is not None
    return "motors on" if known else "motors on (commanded); this robot does not report the state of its motors"


def _motors(history: History) -> Values:
    state, report = history.now, history.now.report
    if report is None:
        return {}
    return {
        "enabled": report.motors_enabled,
        "moving": report.moving,
        "stall_left": report.left_stalled,
        "stall_right": report.right_stalled,
        "stalls_left": state.stalls["left"].count,
        "stalls_right": state.stalls["right"].count,
        "emergency_stop": state.emergency_stop,
    } | ({} if report.celsius is None else {"temperature": report.celsius})


def _reports(history: History | Evidence) -> tuple[Report, ...]:
    """Every report of an observation; of a running driver, the newest one."""
    if isinstance(history, Evidence):
        return history.reports
    return (history.now.report,) if history.now.report else ()


# -- battery ----------------------------------------------------------------------------------------------------------


def _battery_at(history: History, level: BatteryLevel) -> str:
    state = history.history.now
    battery, charging = state.battery, state.report is not None and state.report.charging
    return f"{battery.voltage:.1f} V" if battery.level is level and not charging and battery.voltage > 1.0 else ""


@measure("battery-critical")
def _battery_critical(history: History) -> str:
    return _battery_at(history, BatteryLevel.CRITICAL)


@measure("battery-low")
def _battery_low(history: History) -> str:
    return _battery_at(history, BatteryLevel.LOW)


def _battery_shown(history: History) -> str:
    report, volts = history.now.report, history.now.battery.voltage
    return f"{'charging' if report and report.charging else 'good'}: {volts:.1f} V"


def _battery(history: History) -> Values:
    state, report = history.now, history.now.report
    if report is None:
        return {}
    return {
        "voltage": f"{state.battery.voltage:.2f}",
        "charge": f"{report.charge:.2f}",
        "low_at": state.profile.battery.low,
        "cutoff_at": state.profile.battery.cutoff,
    } | ({"charger": report.charge_state} if report.charge_state else {})


# -- sonars -----------------------------------------------------------------------------------------------------------


@measure("sonar-disobeys")
def _sonar_disobeys(history: History) -> str:
    return capitalized(history.history.now.sonar.problem)


def _sonar_shown(history: History) -> str:
    if not history.now.profile.sonar.poses:
        return "this robot has no sonars"
    if not history.now.sonar_on:
        return "off: call enable_sonar to switch the sonars on"
    return "every sonar that fires gives readings; `amigobot doctor` examines them"


def _sonar(history: History) -> Values:
    return {"enabled": history.now.sonar_on} | {
        f"sonar_{sonar.number}": f"range {_meters(sonar.range)}, age {_seconds(sonar.age)}"
        for sonar in history.now.sonars
    }


# -- commands ---------------------------------------------------------------------------------------------------------


@measure("refused-velocities")
def _refused(history: History) -> str:
    refused = history.increase(lambda then: then.commands.motion.refused)
    return f"{counted(refused, 'velocity', 'velocities')} refused in the last second" if refused else ""


@measure("timeout")
def _timeout(history: History) -> str:
    timeouts = history.increase(lambda then: then.commands.motion.timeouts)
    return "No new velocity within cmd_vel_timeout" if timeouts else ""


@measure("full-queue")
def _full_queue(history: History) -> str:
    refused = history.increase(lambda then: then.commands.queue.refused, MINUTE)
    full = f"refused in the last minute: the queue was full ({MAX_ROUTINE} commands)"
    return f"{counted(refused, 'command')} {full}" if refused else ""


@measure("unconfirmed")
def _unconfirmed(history: History) -> str:
    failed = [
        name.removesuffix("_given_up").replace("_", " ")
        for name in history.now.commands.requests
        if name.endswith("_given_up") and history.increase(lambda then, name=name: then.commands.requests[name], MINUTE)  # type: ignore[misc]
    ]
    return f"Not confirmed by the robot in the last minute: {', '.join(failed)}" if failed else ""


def _commands_shown(history: History) -> str:
    limited = history.increase(lambda then: then.commands.limited)
    return "velocities are scaled down to the limits" if limited else "no command failed"


def _commands(history: History) -> Values:
    commands = history.now.commands
    return {
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


# -- streams, aux, bumpers --------------------------------------------------------------------------------------------


@measure("silent-streams")
def _silent_streams(history: History) -> str:
    """Streams of packets besides the SIPs that do not come, or that the line has no bandwidth for."""
    problems = list(history.now.plan.reasons.values())
    if silent := [stream.name for stream in history.now.streams if stream.silent]:
        pronoun = "it" if len(silent) == 1 else "them"
        problems.insert(0, f"no {' and no '.join(silent)} received; the driver keeps requesting {pronoun}")
    return capitalized("; ".join(problems))


def _streams(history: History) -> Values:
    state, plan = history.now, history.now.plan
    return {
        "accepted": ", ".join(plan.accepted) or "none",
        "left_out": ", ".join(plan.reasons) or "none",
        "bytes_per_cycle": plan.needed,
        "bytes_available": f"{plan.available:.0f}",
        **{f"{stream.name}_received": stream.packets for stream in state.streams},
        **{f"{stream.name}_asked_again": stream.resent for stream in state.streams},
        "encoder_jumps": state.encoder_jumps,
        "gyro_centre": "not measured" if math.isnan(state.gyro_center) else f"{state.gyro_center:.2f}",
    }


@measure("dropped-bytes")
def _dropped(history: History) -> str:
    dropped = history.increase(lambda then: sum(port.dropped for port in then.aux))
    return f"{counted(dropped, 'byte')} not written in the last second" if dropped else ""


def _aux(history: History) -> Values:
    return {
        f"aux{port.number}_{counter}": getattr(port, counter)
        for port in history.now.aux
        for counter in ("written", "dropped", "received", "forgotten", "asked_again")
    }


@measure("bumper-pressed")
def _pressed(history: History) -> str:
    """Pressed segments, numbered as in the message of the topic bumpers."""
    bumpers = history.history.now.bumpers
    rings = {} if bumpers is None else {"front": bumpers.front, "rear": bumpers.rear}
    pressed = [
        f"{ring} bumper {number}"
        for ring, segments in rings.items()
        for number, touched in enumerate(segments)
        if touched
    ]
    return f"Pressed: {', '.join(pressed)}" if pressed else ""


def _bumpers(history: History) -> Values:
    bumpers = history.now.bumpers
    return {} if bumpers is None else {"front_segments": len(bumpers.front), "rear_segments": len(bumpers.rear)}


#: The parts: what is shown if nothing is wrong, and the values.
_PARTS: Mapping[str, tuple[Callable[[History], str], Callable[[History], Values]]] = {
    "link": (lambda history: history.now.link.note, _link),
    "motors": (_motors_shown, _motors),
    "battery": (_battery_shown, _battery),
    "sonar": (_sonar_shown, _sonar),
    "commands": (_commands_shown, _commands),
    "streams": (lambda history: f"received: {', '.join(history.now.plan.accepted) or 'none'}", _streams),
    "aux": (lambda history: "no bytes dropped", _aux),
    "bumpers": (
        lambda history: "this robot has no bumpers" if history.now.bumpers is None else "no bumper pressed",
        _bumpers,
    ),
}
#: Parts that nothing is known of without packets.
_NEED_PACKETS = {"motors", "battery", "sonar", "bumpers"}


def _seconds(value: float) -> str:
    return "not measured" if math.isnan(value) else f"{value:.3f}"


def _meters(distance: float) -> str:
    if math.isnan(distance):
        return "none yet"
    return "no echo" if math.isinf(distance) else f"{distance:.2f} m"
