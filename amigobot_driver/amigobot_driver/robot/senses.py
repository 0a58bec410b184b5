"""What the standard packet tells, in SI units: odometry, sonar, battery, flags."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..profiles import Profile
from ..protocol import Sip
from .battery import BatteryMonitor
from .events import BatteryChanged, Event, Ping, Report
from .odometry import Odometer
from .ports import port_state


class Senses:
    """Converts the SIPs of one robot; goes on from where `before` was, if there was one."""

    def __init__(self, profile: Profile, before: Senses | None = None) -> None:
        self.odometer: Odometer = Odometer(profile, before.odometer if before else None)
        self.battery: BatteryMonitor = BatteryMonitor(profile.battery, before.battery if before else None)
        self.report: Report | None = None  #: the newest
        self.newest: dict[int, Ping] = {}  #: the last ping of each sonar
        self.bad_pings = 0  #: readings of a sonar that this robot does not have
        self._profile = profile

    def perceive(self, sip: Sip, stamp: float) -> Iterator[Event]:
        """Take a SIP that was sent at `stamp`."""
        self.report = Report(
            stamp=stamp,
            odometry=self.odometer.update(sip, stamp),
            pings=self._pings(sip, stamp),
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
            ports=port_state(sip),
        )
        if self.battery.update(sip.volts, stamp, sip.charging):
            yield BatteryChanged(self.battery.level, self.battery.voltage)
        yield self.report

    def _pings(self, sip: Sip, stamp: float) -> tuple[Ping, ...]:
        """The readings in the order they were made; the sonars fire one at a time, the last just before the SIP."""
        sonar, pings = self._profile.sonar, []
        for place, reading in enumerate(reversed(sip.sonar)):
            if reading.number >= len(sonar.poses):
                self.bad_pings += 1
                continue
            distance = reading.range * self._profile.units.range
            pings.append(
                Ping(
                    number=reading.number,
                    range=max(distance, sonar.min_range) if distance <= sonar.max_range else math.inf,
                    stamp=stamp - place * sonar.cycle,
                )
            )
        pings.reverse()
        self.newest.update({ping.number: ping for ping in pings})
        return tuple(pings)
