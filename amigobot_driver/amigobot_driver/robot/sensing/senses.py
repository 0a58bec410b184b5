"""What the standard packet tells, in SI units: odometry, sonar, battery, flags."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from ...profiles import Profile
from ...protocol import Sip
from ..devices.digital_io import port_state
from ..devices.sonar_sequence import ARRAY
from ..events import BatteryChanged, Event, Ping, Report
from .battery import BatteryMonitor
from .odometry import STATED_STEP, Odometer


class Senses:
    """Converts the SIPs of one robot; goes on from where `before` was, if there was one."""

    def __init__(self, profile: Profile, before: Senses | None = None, *, same_robot: bool = False) -> None:
        self.odometer: Odometer = Odometer(profile, before.odometer if before else None, same_robot=same_robot)
        self.battery: BatteryMonitor = BatteryMonitor(profile.battery, before.battery if before else None)
        self.report: Report | None = None  #: the newest
        self.newest: dict[int, Ping] = {}  #: the last ping of each sonar
        self.bad_pings = 0  #: readings of a sonar that this robot does not have
        self.sonar_cycle = profile.sonar.cycle  #: s from one ping of an array to the next
        self._profile = profile

    def perceive(self, sip: Sip, stamp: float, cycle: float) -> Iterator[Event]:
        """Take a SIP of the time `stamp` (s); the robot sends one each `cycle` (s)."""
        odometry, pings, newest = self.odometer.update(sip, stamp, cycle), self._pings(sip, stamp), self.newest
        sonars = range(len(self._profile.sonar.poses))
        self.report = Report(
            stamp=stamp,
            odometry=odometry,
            pings=pings,
            sonar_ages=tuple([stamp - newest[number].stamp if number in newest else None for number in sonars]),
            volts=sip.volts,
            motors_enabled=sip.motors_enabled,
            sonar_enabled=sip.sonar_enabled,
            moving=sip.moving,
            left_stalled=sip.left_stalled,
            right_stalled=sip.right_stalled,
            stop_button=sip.stop_button,
            charging=sip.charging,
            charge_state=sip.charge_name,
            faults=sip.fault_names,
            celsius=sip.celsius,
            turn_rate=None if sip.rotation_velocity is None else sip.rotation_velocity * STATED_STEP,
            charge=None if sip.charge is None else sip.charge / 100,
            ports=port_state(sip),
        )
        if self.battery.update(sip.volts, stamp, sip.charging):
            yield BatteryChanged(self.battery.level, self.battery.voltage)
        yield self.report

    def _pings(self, sip: Sip, stamp: float) -> tuple[Ping, ...]:
        """The readings in the order they were made; each array fires one sonar at a time, the last before the SIP."""
        sonar, pings, places = self._profile.sonar, [], Counter[int]()
        for reading in reversed(sip.sonar):
            place = places[reading.number // ARRAY]
            places[reading.number // ARRAY] += 1
            if reading.number >= len(sonar.poses):
                self.bad_pings += 1
                continue
            distance = reading.range * self._profile.units.range
            pings.append(
                Ping(
                    number=reading.number,
                    range=max(distance, sonar.min_range) if distance < sonar.max_range else math.inf,
                    stamp=stamp - place * self.sonar_cycle,
                )
            )
        pings.reverse()
        self.newest.update({ping.number: ping for ping in pings})
        return tuple(pings)
