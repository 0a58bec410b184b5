"""The robot's health in words: one status a part, each with its remedy, on /diagnostics once a second."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node
from std_msgs.msg import Header

from ..robot import BatteryLevel, Robot
from ..robot.command_queue import MAX_ROUTINE
from ..wording import counted

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR

#: What another part of the node has found: level, message, values.
Finding = tuple[bytes, str, Mapping[str, object]]
#: The part that was looked at, and what was found.
Reading = tuple[str, Finding]

#: Late or missing packets in a minute, of 600, that a sound cable does not have.
MANY_GAPS = 30
#: Sonars whose trouble is told in full.
_TOLD = 3


class _Recent:
    """How much counters have grown in the last looks, of which there is one a second."""

    def __init__(self) -> None:
        self._seen: dict[str, deque[int]] = {}

    def __call__(self, name: str, count: int, looks: int = 1) -> int:
        """Since so many looks ago; call it once a look."""
        seen = self._seen.setdefault(name, deque([0], maxlen=looks + 1))
        seen.append(count)
        return count - seen[0]


def _seconds(value: float) -> str:
    return "not measured" if math.isnan(value) else f"{value:.3f}"


def _metres(distance: float) -> str:
    if math.isnan(distance):
        return "none yet"
    return "no echo" if math.isinf(distance) else f"{distance:.2f} m"


def _reading(part: str, level: bytes, message: str, **values: object) -> Reading:
    return part, (level, message, values)


class Diagnostics:
    """Publishes what is well and what is not."""

    def __init__(self, node: Node, robot: Robot, port: str) -> None:
        self._node = node
        self._robot = robot
        self._port = port
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self._recent = _Recent()
        self._others: dict[str, Callable[[], Finding]] = {}

    def add(self, part: str, look: Callable[[], Finding]) -> None:
        """Have another part looked at as well; `look` is called without the robot's lock."""
        self._others[part] = look

    def snapshot(self) -> list[Reading]:
        """Read the state of the robot. The caller holds the robot's lock, so nothing here may take long."""
        parts = (self._link, self._motors, self._battery, self._sonar, self._commands, self._streams, self._aux)
        return [part() for part in parts]

    def message(self, robot: Iterable[Reading]) -> DiagnosticArray:
        """A message of a snapshot and of all other parts. The caller does not hold the robot's lock."""
        header = Header(stamp=self._node.get_clock().now().to_msg())
        others = ((part, look()) for part, look in self._others.items())
        return DiagnosticArray(header=header, status=[self._status(*reading) for reading in (*robot, *others)])

    def look(self) -> DiagnosticArray:
        """Both at once, where only one thread uses the robot."""
        return self.message(self.snapshot())

    def publish(self, message: DiagnosticArray) -> None:
        """Publish a message on /diagnostics."""
        self._publisher.publish(message)

    def _status(self, part: str, finding: Finding) -> DiagnosticStatus:
        level, message, values = finding
        identity = self._robot.session.identity
        return DiagnosticStatus(
            name=f"{self._node.get_fully_qualified_name().lstrip('/')}: {part}",
            hardware_id=identity.name if identity else self._port,
            level=level,
            message=message,
            values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
        )

    def _link(self) -> Reading:
        robot, stats = self._robot, self._robot.link.decoder.stats
        damaged = self._recent("checksum_errors", stats.checksum_errors)
        timing, late = robot.link_timing, self._recent("gaps", robot.link_timing.gaps, 60)
        level, message = (OK, robot.note) if robot.running else (ERROR, robot.note)
        if robot.running and damaged:
            level = WARN
            message = f"{counted(damaged, 'damaged packet')} in the last second: check cable, radio and line speed"
        elif robot.running and late > MANY_GAPS:
            level = WARN
            message = (
                f"packets came late or not at all {counted(late, 'time')} in the last minute, the longest gap was "
                f"{timing.longest_gap:.1f} s: check radio and cable, and whether the computer is overloaded"
            )
        return _reading(
            "link",
            level,
            message,
            state=robot.state.name.lower(),
            port=self._port,
            line_baud=robot.line.baud or "none",
            profile=robot.profile.name,
            profile_reason=robot.profile_reason,
            connections=robot.session.connections,
            bytes_received=stats.bytes,
            packets_received=stats.frames,
            packets_standard=robot.link.packets.standard,
            packets_unknown=robot.link.packets.unknown,
            packets_malformed=robot.link.packets.malformed,
            packet_period=_seconds(timing.period),
            packet_gaps=timing.gaps,
            longest_gap_in_last_minute=_seconds(timing.longest_gap),
            latency_of_an_answer=_seconds(timing.answer),
            latency_of_driving_off=_seconds(timing.start),
            checksum_errors=stats.checksum_errors,
            bytes_skipped=stats.skipped_bytes,
            frames_sent=robot.queue.sent,
            odometry_jumps=robot.senses.odometer.jumps,
            sonar_readings_refused=robot.senses.bad_pings,
        )

    def _motors(self) -> Reading:
        report = self._robot.senses.report
        if not self._robot.running or report is None:
            return _reading("motors", ERROR, "unknown: no packets from the robot")
        stalls = self._robot.stalls
        stalled = stalls.active
        if self._robot.motion.emergency:
            level, message = WARN, "emergency stop latched: call clear_emergency_stop to drive again"
        elif stalled:
            wheels = "both wheels" if len(stalled) == 2 else f"{''.join(stalled)} wheel"
            level = ERROR
            since = max(1, round(max(stalled.values())))
            message = f"{wheels} stalled for {since} s: stop, and free the robot or drive it back"
        elif report.faults:
            level = ERROR
            message = f"the robot reports: {', '.join(report.faults)}. Stop it and look at it; its manual says more"
        elif obstacle := self._robot.motors.obstacle:
            level = WARN
            message = f"{obstacle}: call enable_motors, or press MOTORS on the robot; check radio and cable"
        elif obstacle := self._robot.standstill.obstacle:
            level, message = WARN, f"{obstacle}: call enable_motors if the button for its motors was pressed"
        elif not report.motors_enabled:
            level, message = WARN, "motors off: call enable_motors, or press MOTORS on the robot"
        elif self._robot.motors.reported is None:
            level, message = OK, "motors on, as they were told; the packets of this robot do not say whether they are"
        else:
            level, message = OK, "motors on"
        return _reading(
            "motors",
            level,
            message,
            enabled=report.motors_enabled,
            moving=report.moving,
            stall_left=report.left_stalled,
            stall_right=report.right_stalled,
            stalls_left=stalls.left.count,
            stalls_right=stalls.right.count,
            emergency_stop=self._robot.motion.emergency,
            **({"temperature": report.celsius} if report.celsius is not None else {}),
        )

    def _battery(self) -> Reading:
        monitor, report = self._robot.senses.battery, self._robot.senses.report
        if not self._robot.running or report is None:
            return _reading("battery", ERROR, "unknown: no packets from the robot")
        volts, cutoff, minutes = monitor.voltage, monitor.battery.cutoff, monitor.minutes_left
        left = "" if math.isnan(minutes) else f", about {minutes:.0f} min to the cut-off at {cutoff:.1f} V"
        level, message = {
            BatteryLevel.GOOD: (OK, f"good: {volts:.1f} V{left}"),
            BatteryLevel.LOW: (WARN, f"low: {volts:.1f} V{left}. Bring the robot to its charger"),
            BatteryLevel.CRITICAL: (
                ERROR,
                f"nearly empty: {volts:.1f} V, the robot switches off at {cutoff:.1f} V. Stop and charge it now",
            ),
        }[monitor.level]
        if report.charging:
            level, message = OK, f"charging: {volts:.1f} V"
        return _reading(
            "battery",
            level,
            message,
            minutes_to_cutoff="unknown" if math.isnan(minutes) else f"{minutes:.0f}",
            voltage=f"{monitor.voltage:.2f}",
            charge_estimate=f"{monitor.charge:.2f}",
            low_at=monitor.battery.low,
            cutoff_at=monitor.battery.cutoff,
            # Not every packet says so, and what it does not say is not made up.
            **({"charger": report.charge_state} if report.charge_state else {}),
        )

    def _sonar(self) -> Reading:
        health, report = self._robot.sonar_health, self._robot.senses.report
        if not self._robot.running or report is None:
            return _reading("sonar", ERROR, "unknown: no packets from the robot")
        troubles = health.troubles()
        if not self._robot.profile.sonar.poses:
            level, message = OK, "this robot has none"
        elif troubles:
            level, message = WARN, "; ".join(trouble.text for trouble in troubles[:_TOLD])
            if further := len(troubles) - _TOLD:
                message += f"; and {further} more, see the values" if further > 0 else ""
        elif obstacle := self._robot.sonar.obstacle:
            level, message = WARN, f"{obstacle}: call enable_sonar; check radio and cable"
        elif not health.on:
            level, message = OK, "off: call enable_sonar to switch them on"
        else:
            level, message = OK, "all that fire are heard"
        values: dict[str, object] = {"enabled": health.on}
        wrong = {trouble.number: trouble.kind for trouble in troubles}
        for number, ear in sorted(health.ears.items()):
            distance = ear.last.range if ear.last else math.nan
            values[f"sonar_{number}"] = (
                f"{wrong.get(number, 'ok') if health.on else 'off'}, range {_metres(distance)}, "
                f"age {health.age(ear):.1f} s, spikes {ear.spikes.total}"
            )
        return _reading("sonar", level, message, **values)

    def _commands(self) -> Reading:
        robot, recent = self._robot, self._recent
        stats, queue = robot.motion.stats, robot.queue
        counters: dict[str, int] = {}
        for component in robot.components:
            counters.update(component.counters())
        given_up = {
            name.removesuffix("_given_up"): recent(name, count, 60)
            for name, count in counters.items()
            if name.endswith("_given_up")
        }
        failed = [name.replace("_", " ") for name, count in given_up.items() if count]
        refused, timeouts = recent("refused", stats.refused), recent("timeouts", stats.timeouts)
        overflow, limited = recent("overflow", queue.refused, 60), recent("limited", robot.limits.limited)
        level, message = OK, "as wanted"
        if refused:
            told = counted(refused, "velocity", "velocities")
            level, message = WARN, f"{told} refused in the last second, see the log"
        elif timeouts:
            level, message = WARN, "the velocity's sender fell silent: stopped by cmd_vel_timeout"
        elif overflow:
            told = f"{counted(overflow, 'command')} refused in the last minute"
            level, message = WARN, f"{told}, {MAX_ROUTINE} waited already: send fewer at a time"
        elif failed:
            level = WARN
            message = (
                f"not done by the robot in the last minute: {', '.join(failed)}; the answer or the log said why. "
                "If it can do this, check the link and ask again"
            )
        elif limited:
            level, message = OK, "velocities are scaled down to the limits"
        return _reading(
            "commands",
            level,
            message,
            accepted=stats.accepted,
            refused=stats.refused,
            scaled_down=robot.limits.limited,
            timeouts=stats.timeouts,
            sent=queue.sent,
            queue_full=queue.refused,
            replaced=queue.replaced,
            dropped=queue.dropped,
            withheld=queue.withheld,
            raw_refused=robot.raw_refused,
            **counters,
            max_linear_velocity=f"{robot.limits.working[0]:.3f}",
            max_angular_velocity=f"{robot.limits.working[1]:.3f}",
        )

    def _streams(self) -> Reading:
        """What the robot sends beside its SIPs, and what the line has no room for."""
        plan, states = self._robot.bandwidth.plan, self._robot.streams.states
        streams = ", ".join(plan.accepted) or "none"
        level, message = OK, f"as wanted: {streams}"
        if plan.refused:
            level, message = WARN, "; ".join(plan.reasons.values())
        elif silent := [stream.name for stream, state in states.items() if state.silent]:
            level, message = WARN, f"no {' and no '.join(silent)} comes, asked for again and again"
        return _reading(
            "streams",
            level,
            message,
            accepted=streams,
            left_out=", ".join(plan.refused) or "none",
            bytes_per_cycle=plan.needed,
            bytes_available=f"{plan.available:.0f}",
            **{f"{stream.name}_received": state.packets for stream, state in states.items()},
            **{f"{stream.name}_asked_again": state.resent for stream, state in states.items()},
            encoder_jumps=self._robot.encoders.jumps,
            gyro_centre=f"{self._robot.gyro.centre:.2f}" if self._robot.gyro.calibrated > -math.inf else "not measured",
        )

    def _aux(self) -> Reading:
        ports = self._robot.aux
        dropped = self._recent("aux_dropped", sum(port.writer.dropped for port in ports))
        level, message = OK, "as wanted"
        if dropped:
            level, message = WARN, f"not written in the last second: {counted(dropped, 'byte')}, see the log"
        counts: dict[str, int] = {}
        for port in ports:
            counts[f"aux{port.number}_written"] = port.writer.written
            counts[f"aux{port.number}_dropped"] = port.writer.dropped
            counts[f"aux{port.number}_received"] = port.reader.received
            counts[f"aux{port.number}_forgotten"] = port.reader.forgotten
            counts[f"aux{port.number}_asked_again"] = port.reader.asked_again
        return _reading("aux", level, message, **counts)
