# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""How long the battery lasts: the countdown against a battery that really drains."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from amigobot_driver.profiles import Battery, load_profile
from amigobot_driver.robot import BatteryLevel
from amigobot_driver.robot.sensing.battery import BatteryMonitor
from amigobot_driver.sim.battery import BatteryModel

PROFILE = load_profile("amigo").battery
#: s
SIP = 1.0


def drained(
    load: Callable[[float], float], charge: float, robot: str = "amigo"
) -> list[tuple[float, float, float, BatteryLevel]]:
    """Until the cut-off: minutes to it, V as the robot reports it, minutes as foretold, the level; a second each."""
    battery = load_profile(robot).battery
    cells, monitor, now, log = BatteryModel(battery, charge), BatteryMonitor(battery), 0.0, []
    while cells.volts > battery.cutoff:
        cells.drain(load(now), True, SIP)
        now += SIP
        volts = round(cells.volts * 10) / 10
        monitor.update(volts, now)
        log.append((now, volts, monitor.minutes_left, monitor.level))
    return [((now - then) / 60, volts, told, level) for then, volts, told, level in log]


def steady(now: float) -> float:
    return 0.3


def now_and_then(now: float) -> float:
    """Two minutes of driving, one of standing."""
    return 0.8 * (now % 180 < 120)


class TestCountdown:
    @pytest.mark.parametrize("load", [steady, now_and_then])
    @pytest.mark.parametrize("robot", ["amigo", "amigo-sh"])
    def test_comes_true(self, load: Callable[[float], float], robot: str) -> None:
        log = drained(load, 0.3, robot)
        last_half_hour = [(left, told) for left, _, told, _ in log if 1 < left < 20]
        heard = [(left, told) for left, told in last_half_hour if not math.isnan(told)]
        assert len(heard) > 0.8 * len(last_half_hour)
        assert all(abs(told - left) < max(5.0, 0.4 * left) for left, told in heard)

    def test_a_warning_comes_well_before_the_end(self) -> None:
        log = drained(steady, 0.5)
        assert next(left for left, _, _, level in log if level is BatteryLevel.LOW) > 5
        assert next(left for left, _, told, _ in log if told < 15) > 8

    def test_a_load_that_is_switched_on_is_no_trend(self) -> None:
        monitor = BatteryMonitor(PROFILE)
        for second in range(1800):
            monitor.update(11.8 if second < 900 else 11.5, float(second))
            assert math.isnan(monitor.minutes_left)

    def test_a_battery_that_holds_has_none(self) -> None:
        monitor = BatteryMonitor(PROFILE)
        for second in range(1800):
            monitor.update(11.7 if second % 7 else 11.6, float(second))
        assert math.isnan(monitor.minutes_left)

    def falling(self, monitor: BatteryMonitor, start: float = 0.0) -> float:
        """Ten minutes from 11.4 to 11.0 V; when it ends, s."""
        for second in range(600):
            monitor.update(11.4 - 0.4 * second / 600, start + second)
        return start + 600

    def test_says_what_a_straight_line_says(self) -> None:
        """0.08 of the charge in ten minutes, 0.1 left: the curve ends at 10.5 V."""
        monitor = BatteryMonitor(Battery())
        self.falling(monitor)
        assert monitor.minutes_left == pytest.approx(12.5, abs=0.3)

    def test_takes_its_time(self) -> None:
        monitor = BatteryMonitor(PROFILE)
        for second in range(290):
            monitor.update(11.4 - 0.01 * second / 10, float(second))
            assert math.isnan(monitor.minutes_left)

    def test_another_battery_begins_anew(self) -> None:
        monitor = BatteryMonitor(PROFILE)
        now = self.falling(monitor)
        assert monitor.minutes_left > 0
        for second in range(60):
            monitor.update(12.6, now + second)
        assert math.isnan(monitor.minutes_left)

    def test_a_charger_ends_it(self) -> None:
        monitor = BatteryMonitor(PROFILE)
        now = self.falling(monitor)
        monitor.update(11.0, now, charging=True)
        assert math.isnan(monitor.minutes_left)

    @pytest.mark.parametrize("rise", [0.02, 0.1])
    def test_a_voltage_that_rises_ends_it(self, rise: float) -> None:
        """Most robots do not report that they charge; `rise` is in V/min."""
        monitor = BatteryMonitor(PROFILE)
        now = self.falling(monitor)
        assert monitor.minutes_left > 0
        for second in range(1800):
            monitor.update(round(11.0 + rise * second / 60, 1), now + second)
            assert second < 180 or math.isnan(monitor.minutes_left)

    def test_goes_on_over_a_reconnect_of_the_same_robot(self) -> None:
        monitor = BatteryMonitor(PROFILE)
        self.falling(monitor)
        again = BatteryMonitor(PROFILE, monitor)
        again.update(11.0, 605.0)
        assert again.minutes_left == pytest.approx(monitor.minutes_left, abs=0.2)
        assert math.isnan(BatteryMonitor(Battery(low=11.5), monitor).minutes_left)


@pytest.mark.parametrize("damaged", [0.2, 116.6])
@pytest.mark.parametrize("before", [0, 1, 50])
def test_a_damaged_reading_is_no_alarm_and_is_forgotten(before: int, damaged: float) -> None:
    """The checksum adds 16-bit words: of two damaged bytes one may undo the other."""
    monitor = BatteryMonitor(load_profile("amigo").battery)
    for number, volts in enumerate([12.5] * before + [damaged] + [12.5] * 3):
        monitor.update(volts, 0.1 * number)
        assert not before or (monitor.voltage, monitor.level) == (pytest.approx(12.5), BatteryLevel.GOOD)
    assert (monitor.voltage, monitor.level) == (pytest.approx(12.5), BatteryLevel.GOOD)


def test_another_battery_is_believed_with_its_second_reading() -> None:
    monitor = BatteryMonitor(load_profile("amigo").battery)
    for number, volts in enumerate([12.5] * 10 + [8.0] * 2):
        monitor.update(volts, 0.1 * number)
    assert (monitor.voltage, monitor.level) == (8.0, BatteryLevel.CRITICAL)
