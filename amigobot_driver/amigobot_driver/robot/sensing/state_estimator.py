# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Converts the SIP into SI units: odometry, sonar, battery, flags."""

from __future__ import annotations

import math

from ...profiles import Profile
from ...protocol import Sip
from ..devices.digital_io import port_state
from ..devices.sonar_sequence import ARRAY
from ..events import BatteryChanged, Event, Ping, Report
from .battery import BatteryMonitor
from .odometry import Odometer

#: rad/s per unit of the SIP's own rotation velocity (ARCOS).
_ROTATION_STEP = math.radians(0.1)


class StateEstimator:
    """Converts the SIPs of one robot.

    Attributes:
        report: The newest one; None before the first SIP.
        newest: The last ping of each sonar, by number.
        bad_pings: Readings of sonars that the profile does not have.
        sonar_cycle: Time in s from one ping of an array to the next.
    """

    def __init__(self, profile: Profile, before: StateEstimator | None = None) -> None:
        self.odometer: Odometer = Odometer(profile, before.odometer if before else None)
        self.battery = BatteryMonitor(profile.battery)
        self.report: Report | None = None
        self.newest: dict[int, Ping] = {}
        self.bad_pings = 0
        self.sonar_cycle = profile.sonar.cycle
        self._profile = profile
        self._charges: bool = before is not None and before._charges  #: the robot has reported that it charges

    def forget_sonars(self) -> None:
        """Forget report and pings: a new session begins, and old ones are no measurements any more."""
        self.report, self.newest = None, {}

    def update(
        self,
        sip: Sip,
        stamp: float,
        cycle: float,
        *,
        pose_age: float = 0.0,
        wheels_streamed: bool = False,
        pose_streamed: bool = False,
    ) -> tuple[Event, ...]:
        """Take a SIP.

        Args:
            sip: The packet.
            stamp: When the robot was at the pose, s.
            cycle: Time between two SIPs of the robot, s.
            pose_age: Time from `stamp` to the last ping, s.
            wheels_streamed: See `Report`.
            pose_streamed: See `Report`.

        Returns:
            The events that it causes; the last one is its `Report`.
        """
        volts, charging = sip.volts, sip.charging
        self._charges |= bool(charging)
        if not self._charges:
            charging = None  # many robots never report anything but "not charging", on the charger too (ARIA)
        level_changed = self.battery.update(volts, stamp)
        reported_charge = None if sip.charge is None else sip.charge / 100
        self.report = Report(
            stamp=stamp,
            odometry=self.odometer.update(sip, stamp, cycle),
            pings=self._pings(sip, stamp + pose_age),
            sonar_ages=self._sonar_ages(stamp + pose_age),
            volts=volts,
            motors_enabled=sip.motors_enabled,
            sonar_enabled=sip.sonar_enabled,
            moving=sip.moving,
            left_stalled=sip.left_stalled,
            right_stalled=sip.right_stalled,
            stop_button=sip.stop_button,
            charging=charging,
            charge_state=sip.charge_name,
            faults=sip.fault_names,
            celsius=sip.celsius,
            turn_rate=None if sip.rotation_velocity is None else sip.rotation_velocity * _ROTATION_STEP,
            charge=self.battery.charge if reported_charge is None else reported_charge,
            reported_charge=reported_charge,
            ports=port_state(sip),
            smoothed_volts=self.battery.voltage,
            frame=self.odometer.frame,
            wheels_streamed=wheels_streamed,
            pose_streamed=pose_streamed,
        )
        if level_changed:
            return BatteryChanged(self.battery.level, self.battery.voltage), self.report
        return (self.report,)

    def _sonar_ages(self, stamp: float) -> tuple[float | None, ...]:
        """Return for each sonar the time (s) from its last reading to `stamp`; None before the first."""
        ages: list[float | None] = [None] * len(self._profile.sonar.poses)
        for number, ping in self.newest.items():
            ages[number] = stamp - ping.stamp
        return tuple(ages)

    def _pings(self, sip: Sip, stamp: float) -> tuple[Ping, ...]:
        """Return the readings in time order; each array fires one sonar at a time, the last one before the SIP."""
        sonar, pings = self._profile.sonar, []
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
            pings.append(Ping(number, echo, stamp - later * self.sonar_cycle))
        pings.reverse()
        for ping in pings:
            self.newest[ping.number] = ping
        return tuple(pings)
