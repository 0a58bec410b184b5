# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Converts the packets of the robot into SI units: odometry, sonar, battery, flags."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...protocol import ArcosTail, Command, Config, Encoders, Packet, Reset, Sip
from ..component import Component, Context
from ..devices.sonar_sequence import ARRAY
from ..events import BatteryChanged, OdometryStale, Ping, Report
from ..packet_clock import PacketClock
from .battery import BatteryMonitor
from .encoders import WheelEncoders
from .io_ports import PortReader
from .odometry import Odometer
from .rest import RestFilter

#: rad/s per unit of the SIP's own rotation velocity (ARCOS).
_ROTATION_STEP = math.radians(0.1)


class StateEstimator(Component):
    """Knows the state of one robot. It handles a packet before all other components.

    Attributes:
        odometer: The pose; a new one for another profile, with the same pose.
        encoders: Encoder ticks.
        battery: Voltage and level of the battery.
        ports: Digital and analog ports.
        report: The newest one; None before the first SIP.
        newest: The last ping of each sonar, by number.
        bad_pings: Readings of sonars that the profile does not have.
        jumped: The counters have jumped in the newest SIP.
    """

    def __init__(self, context: Context, driven: Callable[[], bool]) -> None:
        """Make an estimator at the origin.

        Args:
            context: The robot's.
            driven: Returns whether the wheels should turn.
        """
        super().__init__(context)
        self._profile = profile = context.profile()
        self.odometer = Odometer(profile)
        self.encoders = WheelEncoders()
        self.battery = BatteryMonitor(profile.battery)
        self.ports = PortReader(context)
        self.report: Report | None = None
        self.newest: dict[int, Ping] = {}
        self.bad_pings = 0
        self.jumped = False
        self._charges = False  #: the robot has reported that it charges
        self._driven = driven
        self._rest = RestFilter()
        self._clock = PacketClock(context, self._pose_age)
        context.on_packet(Sip, self._on_sip)
        context.on_packet(Encoders, self._on_encoders)
        context.on_packet(Reset, lambda packet, stamp, now: self.odometer.robot_reset())
        context.on_sent(Command.OPEN, lambda command, now: self.odometer.opened(now))

    # -- before the components handle a packet -----------------------------------------------------------------

    def measured(self, packet: Packet, stamp: float, size: int) -> tuple[Packet, float]:
        """Return a packet as the components handle it: a robot at rest reports no velocity.

        Args:
            packet: A packet of the session.
            stamp: Time in s at which its first byte was sent.
            size: Bytes of its frame.

        Returns:
            The packet, and the time (s) at which the robot took its values.
        """
        time = self._clock.measurement_time(packet, stamp, size)
        if isinstance(packet, Sip):
            packet = self._rest.filtered(packet, time, self._profile.units.velocity, driven=self._driven())
        return packet, time

    def on_early_sip(self, sip: Sip, stamp: float) -> None:
        """Take a SIP from before the session: an Erratic streams before OPEN, which zeroes its counters."""
        self.odometer.update(sip, stamp, self._clock.cycle)

    # -- session and packets -----------------------------------------------------------------------------------

    def on_profile(self) -> None:
        """Forget report and pings: old ones are no measurements any more. The pose continues."""
        self.report, self.newest = None, {}
        if self._context.profile() != self._profile:
            self._profile = self._context.profile()
            self.odometer = Odometer(self._profile, self.odometer)
            self.battery = BatteryMonitor(self._profile.battery)

    def on_session_start(self, now: float) -> None:
        """Count cycles and encoder ticks anew."""
        self.encoders.restart()
        self._clock.restart()

    def on_session_end(self, reason: str) -> None:
        """Set the velocity to unknown."""
        if not self.odometer.interrupted:
            self.odometer.interrupt()
            self._context.emit(OdometryStale(self.odometer.state))

    def _on_sip(self, sip: Sip, stamp: float, now: float) -> None:
        volts, charging = sip.volts, sip.charging
        self._charges |= bool(charging)
        if self.battery.update(volts, stamp):
            self._context.emit(BatteryChanged(self.battery.level, self.battery.voltage))
        jumps, pinged = self.odometer.jumps, stamp + self._pose_age()
        streamed = self.encoders.follows(stamp)
        reported_charge = None if sip.charge is None else sip.charge / 100
        self.report = Report(
            stamp=stamp,
            odometry=self.odometer.update(sip, stamp, self._clock.cycle),
            pings=self._pings(sip, pinged),
            sonar_ages=self._sonar_ages(pinged),
            volts=volts,
            motors_enabled=sip.motors_enabled,
            sonar_enabled=sip.sonar_enabled,
            moving=sip.moving,
            left_stalled=sip.left_stalled,
            right_stalled=sip.right_stalled,
            stop_button=sip.stop_button,
            # Many robots never report anything but "not charging", on the charger too (ARIA).
            charging=charging if self._charges else None,
            charge_state=sip.charge_name,
            faults=sip.fault_names,
            celsius=sip.celsius,
            turn_rate=None if sip.rotation_velocity is None else sip.rotation_velocity * _ROTATION_STEP,
            charge=self.battery.charge if reported_charge is None else reported_charge,
            reported_charge=reported_charge,
            ports=self.ports.state(sip, stamp),
            smoothed_volts=self.battery.voltage,
            frame=self.odometer.frame,
            wheels_streamed=streamed,
            pose_streamed=streamed and self.encoders.leading,
        )
        self._context.emit(self.report)
        self.jumped = self.odometer.jumps != jumps
        if self.jumped:
            self._context.notify("the robot's position counters jumped: the pose lacks what it moved meanwhile")

    def _on_encoders(self, packet: Encoders, stamp: float, now: float) -> None:
        for event in self.encoders.update(packet, stamp, self.odometer, self._profile, self._context.config()):
            self._context.emit(event)

    def _pose_age(self) -> float:
        """Return by how many s the pose in a SIP is older than the SIP: the time that the firmware's gyro takes."""
        config = self._context.config()
        if not (isinstance(config, Config) and isinstance(config.tail, ArcosTail)) or self.encoders.leading:
            return 0.0
        return (config.tail.kinematics_delay or 0) / 1000

    def _sonar_ages(self, stamp: float) -> tuple[float, ...]:
        """Return for each sonar the time (s) from its last reading to `stamp`; inf before the first."""
        ages = [math.inf] * len(self._profile.sonar.poses)
        for number, ping in self.newest.items():
            ages[number] = stamp - ping.stamp
        return tuple(ages)

    def _pings(self, sip: Sip, stamp: float) -> tuple[Ping, ...]:
        """Return the readings in time order; each array fires one sonar at a time, the last one before the SIP."""
        sonar, cycle, pings = self._profile.sonar, self._context.sonar_cycle, []
        counted: dict[int, int] = {}  #: readings of each array so far, from the end
        for reading in reversed(sip.sonar):
            number, array = reading.number, reading.number // ARRAY
            later = counted.get(array, 0)  # readings of this array that are newer
            counted[array] = later + 1
            if number >= len(sonar.poses):
                self.bad_pings += 1
                continue
            distance = reading.range * self._profile.units.range
            echo = max(distance, sonar.min_range) if distance < sonar.max_range else math.inf
            pings.append(Ping(number, echo, stamp - later * cycle))
        pings.reverse()
        for ping in pings:
            self.newest[ping.number] = ping
        return tuple(pings)
