"""Diagnostics: one status for each part of the robot, with the remedy, on /diagnostics once a second."""

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

#: Status of one part: level, message, values.
Finding = tuple[bytes, str, Mapping[str, object]]
#: The name of a part and its status.
Reading = tuple[str, Finding]

#: Late or missing packets in a minute, out of 600, above which the link is reported as bad.
MAX_GAPS = 30
#: How many faulty sonars the message describes; the values have all of them.
_MAX_DESCRIBED = 3


class _Increase:
    """How much counters have grown in the last calls; there is one call a second."""

    def __init__(self) -> None:
        self._counts: dict[str, deque[int]] = {}

    def __call__(self, name: str, count: int, seconds: int = 1) -> int:
        """Return the growth of a counter in the last `seconds`; call it once a second for each counter."""
        counts = self._counts.setdefault(name, deque([0], maxlen=seconds + 1))
        counts.append(count)
        return count - counts[0]


def _seconds(value: float) -> str:
    return "not measured" if math.isnan(value) else f"{value:.3f}"


def _metres(distance: float) -> str:
    if math.isnan(distance):
        return "none yet"
    return "no echo" if math.isinf(distance) else f"{distance:.2f} m"


def _reading(part: str, level: bytes, message: str, **values: object) -> Reading:
    return part, (level, message, values)


class Diagnostics:
    """Publishes the status of every part of the robot and the node."""

    def __init__(self, node: Node, robot: Robot, port: str) -> None:
        self._node = node
        self._robot = robot
        self._port = port
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self._increase = _Increase()
        self._added: dict[str, Callable[[], Finding]] = {}

    def add(self, part: str, check: Callable[[], Finding]) -> None:
        """Add the status of another part.

        Args:
            part: Name of the part, the end of the status name.
            check: Returns its status. It is called once a second, without the robot's lock.
        """
        self._added[part] = check

    def snapshot(self) -> list[Reading]:
        """Read the status of all parts of the robot. The caller holds the robot's lock, so this must not block."""
        parts = (self._link, self._motors, self._battery, self._sonar, self._commands, self._streams, self._aux)
        return [part() for part in parts]

    def message(self, robot: Iterable[Reading]) -> DiagnosticArray:
        """Return the message for a snapshot and all added parts. The caller must not hold the robot's lock."""
        header = Header(stamp=self._node.get_clock().now().to_msg())
        added = ((part, check()) for part, check in self._added.items())
        return DiagnosticArray(header=header, status=[self._status(*reading) for reading in (*robot, *added)])

    def current(self) -> DiagnosticArray:
        """Return the message for the present state, for programs in which one thread uses the robot."""
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
        damaged = self._increase("checksum_errors", stats.checksum_errors)
        timing, late = robot.link_timing, self._increase("gaps", robot.link_timing.gaps, 60)
        level, message = (OK, robot.note) if robot.running else (ERROR, robot.note)
        if robot.running and damaged:
            level = WARN
            message = f"{counted(damaged, 'damaged packet')} in the last second: check cable, radio and line speed"
        elif robot.running and late > MAX_GAPS:
            level = WARN
            message = (
                f"{counted(late, 'late or missing packet')} in the last minute, longest gap "
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
            odometry_jumps=robot.estimator.odometer.jumps,
            sonar_readings_refused=robot.estimator.bad_pings,
        )

    def _motors(self) -> Reading:
        report = self._robot.estimator.report
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
            message = f"the robot reports: {', '.join(report.faults)}. Stop it and inspect it; see its manual"
        elif obstacle := self._robot.motors.obstacle:
            level = WARN
            message = f"{obstacle}: call enable_motors, or press MOTORS on the robot; check radio and cable"
        elif obstacle := self._robot.standstill.obstacle:
            level, message = WARN, f"{obstacle}: call enable_motors if the motor button was pressed"
        elif not report.motors_enabled:
            level, message = WARN, "motors off: call enable_motors, or press MOTORS on the robot"
        elif self._robot.motors.reported is None:
            level, message = OK, "motors on (commanded); this robot does not report the state of its motors"
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
        monitor, report = self._robot.estimator.battery, self._robot.estimator.report
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
            # Only some packets have the state of the charger.
            **({"charger": report.charge_state} if report.charge_state else {}),
        )

    def _sonar(self) -> Reading:
        health, report = self._robot.sonar_health, self._robot.estimator.report
        if not self._robot.running or report is None:
            return _reading("sonar", ERROR, "unknown: no packets from the robot")
        troubles = health.troubles()
        if not self._robot.profile.sonar.poses:
            level, message = OK, "this robot has no sonars"
        elif troubles:
            level, message = WARN, "; ".join(trouble.text for trouble in troubles[:_MAX_DESCRIBED])
            if further := len(troubles) - _MAX_DESCRIBED:
                message += f"; and {further} more, see the values" if further > 0 else ""
        elif obstacle := self._robot.sonar.obstacle:
            level, message = WARN, f"{obstacle}: call enable_sonar; check radio and cable"
        elif not health.on:
            level, message = OK, "off: call enable_sonar to switch the sonars on"
        else:
            level, message = OK, "every sonar that fires is answering"
        values: dict[str, object] = {"enabled": health.on}
        wrong = {trouble.number: trouble.kind for trouble in troubles}
        for number, record in sorted(health.records.items()):
            distance = record.last.range if record.last else math.nan
            values[f"sonar_{number}"] = (
                f"{wrong.get(number, 'ok') if health.on else 'off'}, range {_metres(distance)}, "
                f"age {health.age(record):.1f} s, spikes {record.spikes.total}"
            )
        return _reading("sonar", level, message, **values)

    def _commands(self) -> Reading:
        robot, increase = self._robot, self._increase
        stats, queue = robot.motion.stats, robot.queue
        counters: dict[str, int] = {}
        for component in robot.components:
            counters.update(component.counters())
        given_up = {
            name.removesuffix("_given_up"): increase(name, count, 60)
            for name, count in counters.items()
            if name.endswith("_given_up")
        }
        failed = [name.replace("_", " ") for name, count in given_up.items() if count]
        refused, timeouts = increase("refused", stats.refused), increase("timeouts", stats.timeouts)
        overflow, limited = increase("overflow", queue.refused, 60), increase("limited", robot.limits.limited)
        level, message = OK, "no command failed"
        if refused:
            velocities = counted(refused, "velocity", "velocities")
            level, message = WARN, f"{velocities} refused in the last second, see the log"
        elif timeouts:
            level, message = WARN, "no new velocity within cmd_vel_timeout: the driver stopped the robot"
        elif overflow:
            commands = f"{counted(overflow, 'command')} refused in the last minute"
            level, message = WARN, f"{commands}: the queue was full ({MAX_ROUTINE} commands); send fewer at a time"
        elif failed:
            level = WARN
            message = (
                f"not confirmed by the robot in the last minute: {', '.join(failed)}; the service response or the log "
                "has the reason. If the robot can do this, check the link and try again"
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
        """Streams of packets besides the SIPs, and those that the line has no bandwidth for."""
        plan, states = self._robot.bandwidth.plan, self._robot.streams.states
        streams = ", ".join(plan.accepted) or "none"
        level, message = OK, f"received: {streams}"
        if plan.refused:
            level, message = WARN, "; ".join(plan.reasons.values())
        elif silent := [stream.name for stream, state in states.items() if state.silent]:
            level, message = WARN, f"no {' and no '.join(silent)} received; the driver keeps requesting it"
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
            gyro_centre=f"{self._robot.gyro.center:.2f}" if self._robot.gyro.calibrated > -math.inf else "not measured",
        )

    def _aux(self) -> Reading:
        ports = self._robot.aux
        dropped = self._increase("aux_dropped", sum(port.writer.dropped for port in ports))
        level, message = OK, "no bytes dropped"
        if dropped:
            level, message = WARN, f"{counted(dropped, 'byte')} not written in the last second, see the log"
        counts: dict[str, int] = {}
        for port in ports:
            counts[f"aux{port.number}_written"] = port.writer.written
            counts[f"aux{port.number}_dropped"] = port.writer.dropped
            counts[f"aux{port.number}_received"] = port.reader.received
            counts[f"aux{port.number}_forgotten"] = port.reader.forgotten
            counts[f"aux{port.number}_asked_again"] = port.reader.asked_again
        return _reading("aux", level, message, **counts)
