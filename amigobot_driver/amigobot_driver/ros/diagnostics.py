"""The robot's health in words: one status a part, each with its remedy, on /diagnostics once a second."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node
from std_msgs.msg import Header

from ..robot import BatteryLevel, Robot

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR

#: What another part of the node has found: level, message, values.
Finding = tuple[bytes, str, Mapping[str, object]]


class Diagnostics:
    """Publishes what is well and what is not."""

    def __init__(self, node: Node, robot: Robot, port: str) -> None:
        self._node = node
        self._robot = robot
        self._port = port
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self._checksum_errors = 0
        self._last_counts = (0, 0, 0)
        self._aux_dropped = 0
        self._others: dict[str, Callable[[], Finding]] = {}

    def add(self, part: str, look: Callable[[], Finding]) -> None:
        """Have another part looked at as well."""
        self._others[part] = look

    def publish(self) -> None:
        parts = (self._link, self._motors, self._battery, self._commands, self._streams, self._aux)
        header = Header(stamp=self._node.get_clock().now().to_msg())
        others = [self._status(part, level, message, **values) for part, (level, message, values) in self._findings()]
        self._publisher.publish(DiagnosticArray(header=header, status=[part() for part in parts] + others))

    def _findings(self) -> Iterator[tuple[str, Finding]]:
        return ((part, look()) for part, look in self._others.items())

    def _status(self, part: str, level: bytes, message: str, **values: object) -> DiagnosticStatus:
        identity = self._robot.session.identity
        return DiagnosticStatus(
            name=f"{self._node.get_fully_qualified_name().lstrip('/')}: {part}",
            hardware_id=identity.name if identity else self._port,
            level=level,
            message=message,
            values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
        )

    def _link(self) -> DiagnosticStatus:
        robot, stats = self._robot, self._robot.decoder.stats
        before, self._checksum_errors = self._checksum_errors, stats.checksum_errors
        level, message = (OK, robot.note) if robot.running else (ERROR, robot.note)
        if robot.running and stats.checksum_errors > before:
            damaged = stats.checksum_errors - before
            level = WARN
            message = f"{damaged} damaged packets in the last second: check cable, radio and line speed"
        return self._status(
            "link",
            level,
            message,
            state=robot.state.name.lower(),
            port=self._port,
            profile=robot.profile.name,
            connections=robot.session.connections,
            bytes_received=stats.bytes,
            packets_received=stats.frames,
            packets_standard=robot.packets.standard,
            packets_unknown=robot.packets.unknown,
            packets_malformed=robot.packets.malformed,
            checksum_errors=stats.checksum_errors,
            bytes_skipped=stats.skipped_bytes,
            frames_sent=robot.outbox.sent,
            odometry_jumps=robot.senses.odometer.jumps,
            sonar_readings_refused=robot.senses.bad_pings,
        )

    def _motors(self) -> DiagnosticStatus:
        report = self._robot.senses.report
        if not self._robot.running or report is None:
            return self._status("motors", ERROR, "unknown: no packets from the robot")
        stalled = [side for side, stall in (("left", report.left_stalled), ("right", report.right_stalled)) if stall]
        if self._robot.motion.emergency:
            level, message = WARN, "emergency stop latched: call clear_emergency_stop to drive again"
        elif stalled:
            level, message = ERROR, f"{' and '.join(stalled)} wheel stalled: free the robot"
        elif report.faults:
            level, message = ERROR, f"the robot reports: {', '.join(report.faults)}"
        elif not report.motors_enabled:
            level, message = WARN, "motors off: call enable_motors, or press MOTORS on the robot"
        else:
            level, message = OK, "motors on"
        return self._status(
            "motors",
            level,
            message,
            enabled=report.motors_enabled,
            moving=report.moving,
            stall_left=report.left_stalled,
            stall_right=report.right_stalled,
            emergency_stop=self._robot.motion.emergency,
            **({"temperature": report.celsius} if report.celsius is not None else {}),
        )

    def _battery(self) -> DiagnosticStatus:
        monitor, report = self._robot.senses.battery, self._robot.senses.report
        if not self._robot.running or report is None:
            return self._status("battery", ERROR, "unknown: no packets from the robot")
        level, message = {
            BatteryLevel.GOOD: (OK, "good"),
            BatteryLevel.LOW: (WARN, "low: charge the robot soon"),
            BatteryLevel.CRITICAL: (ERROR, f"nearly empty: the robot switches off at {monitor.battery.cutoff:.1f} V"),
        }[monitor.level]
        return self._status(
            "battery",
            level,
            f"{message} ({monitor.voltage:.1f} V)",
            voltage=f"{monitor.voltage:.2f}",
            charge_estimate=f"{monitor.charge:.2f}",
            low_at=monitor.battery.low,
            cutoff_at=monitor.battery.cutoff,
            # Not every packet says so, and what it does not say is not made up.
            **({"charger": report.charge_state} if report.charge_state else {}),
        )

    def _commands(self) -> DiagnosticStatus:
        stats = self._robot.motion.stats
        counts = (stats.refused, stats.timeouts, self._robot.envelope.limited)
        refused, timeouts, limited = (now - then for now, then in zip(counts, self._last_counts, strict=True))
        self._last_counts = counts
        level, message = OK, "as wanted"
        if refused:
            level, message = WARN, f"{refused} velocities refused in the last second, see the log"
        elif timeouts:
            level, message = WARN, "the velocity's sender fell silent: stopped by cmd_vel_timeout"
        elif limited:
            level, message = OK, "velocities are scaled down to the limits"
        return self._status(
            "commands",
            level,
            message,
            accepted=stats.accepted,
            refused=stats.refused,
            scaled_down=self._robot.envelope.limited,
            timeouts=stats.timeouts,
            max_linear_velocity=f"{self._robot.envelope.working[0]:.3f}",
            max_angular_velocity=f"{self._robot.envelope.working[1]:.3f}",
        )

    def _streams(self) -> DiagnosticStatus:
        """What the robot sends beside its SIPs, and what the line has no room for."""
        plan, flows = self._robot.budget.plan, self._robot.streams.flows
        streams = ", ".join(plan.accepted) or "none"
        level, message = OK, f"as wanted: {streams}"
        if plan.refused:
            level, message = WARN, "; ".join(plan.reasons.values())
        elif silent := [stream.name for stream, flow in flows.items() if flow.silent]:
            level, message = WARN, f"no {' and no '.join(silent)} comes, asked for again and again"
        return self._status(
            "streams",
            level,
            message,
            accepted=streams,
            left_out=", ".join(plan.refused) or "none",
            bytes_per_cycle=plan.needed,
            bytes_available=f"{plan.available:.0f}",
            **{f"{stream.name}_received": flow.packets for stream, flow in flows.items()},
            **{f"{stream.name}_asked_again": flow.asked_again for stream, flow in flows.items()},
            encoder_jumps=self._robot.encoders.jumps,
            gyro_centre=f"{self._robot.gyro.centre:.2f}" if self._robot.gyro.calibrated > -math.inf else "not measured",
        )

    def _aux(self) -> DiagnosticStatus:
        ports = self._robot.aux
        before, self._aux_dropped = self._aux_dropped, sum(port.writer.dropped for port in ports)
        level, message = OK, "as wanted"
        if self._aux_dropped > before:
            dropped = self._aux_dropped - before
            level, message = WARN, f"{dropped} bytes to write were dropped in the last second, see the log"
        counts: dict[str, int] = {}
        for port in ports:
            counts[f"aux{port.number}_written"] = port.writer.written
            counts[f"aux{port.number}_dropped"] = port.writer.dropped
            counts[f"aux{port.number}_received"] = port.reader.received
            counts[f"aux{port.number}_forgotten"] = port.reader.forgotten
            counts[f"aux{port.number}_asked_again"] = port.reader.asked_again
        return self._status("aux", level, message, **counts)
