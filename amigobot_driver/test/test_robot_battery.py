# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The battery's voltage and level."""

from __future__ import annotations

import pytest

from amigobot_driver.profiles import load_profile
from amigobot_driver.robot import BatteryLevel
from amigobot_driver.robot.sensing.battery import BatteryMonitor
from amigobot_driver.sim.battery import BatteryModel


def test_a_warning_comes_well_before_the_end() -> None:
    battery = load_profile("amigo").battery
    cells, monitor, now, levels = BatteryModel(battery, 0.5), BatteryMonitor(battery), 0.0, []
    while cells.volts > battery.cutoff:
        cells.drain(0.3, True, 1.0)
        now += 1.0
        monitor.update(round(cells.volts * 10) / 10, now)
        levels.append(monitor.level)
    assert levels[0] is BatteryLevel.GOOD
    assert levels.count(BatteryLevel.LOW) + levels.count(BatteryLevel.CRITICAL) > 300


@pytest.mark.parametrize("damaged", [0.2, 116.6])
def test_a_damaged_reading_is_no_alarm(damaged: float) -> None:
    """The checksum adds 16-bit words: of two damaged bytes one may undo the other."""
    monitor = BatteryMonitor(load_profile("amigo").battery)
    for number, volts in enumerate([12.5, damaged, 12.5]):
        monitor.update(volts, 0.1 * number)
        assert (monitor.voltage, monitor.level) == (pytest.approx(12.5, abs=0.1), BatteryLevel.GOOD)
