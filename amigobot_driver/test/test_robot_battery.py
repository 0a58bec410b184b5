# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The battery of an AmigoBot: low under 11.0 V, critical half a volt before it switches itself off at 10.0 V."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amigobot_driver.profiles import load_profile
from amigobot_driver.robot import BatteryLevel
from amigobot_driver.robot.sensing.battery import BatteryMonitor
from amigobot_driver.sim.battery import BatteryModel

BATTERY = load_profile("amigo").battery


@pytest.fixture
def monitor() -> BatteryMonitor:
    return BatteryMonitor(BATTERY)


@pytest.mark.parametrize(
    ("volts", "levels"),
    [
        ((12.5,), []),
        ((12.5, 10.9), [BatteryLevel.LOW]),
        ((12.5, 10.9, 10.4), [BatteryLevel.LOW, BatteryLevel.CRITICAL]),
        ((10.2,), [BatteryLevel.CRITICAL]),
        ((10.9, 12.5), [BatteryLevel.LOW, BatteryLevel.GOOD]),
        ((10.9, 11.2), [BatteryLevel.LOW]),
        ((10.9, 11.4), [BatteryLevel.LOW, BatteryLevel.GOOD]),
        ((10.2, 10.7, 10.9), [BatteryLevel.CRITICAL, BatteryLevel.LOW]),
    ],
    ids=str,
)
def test_each_voltage_for_a_minute_has_its_level(
    monitor: BatteryMonitor, volts: tuple[float, ...], levels: list[BatteryLevel]
) -> None:
    readings = (voltage for voltage in volts for _ in range(600))
    assert [monitor.level for cycle, voltage in enumerate(readings) if monitor.update(voltage, 0.1 * cycle)] == levels


@given(st.lists(st.tuples(st.floats(0, 40), st.floats(-10, 1e6)), min_size=1))
def test_charge_is_a_share_whatever_comes(readings: list[tuple[float, float]]) -> None:
    monitor = BatteryMonitor(BATTERY)
    for volts, stamp in readings:
        monitor.update(volts, stamp)
    assert 0 <= monitor.charge <= 1
    assert 0 <= monitor.voltage <= 40


def test_a_warning_comes_well_before_the_end(monitor: BatteryMonitor) -> None:
    cells, now, levels = BatteryModel(BATTERY, 0.5), 0.0, []
    while cells.volts > BATTERY.cutoff:
        cells.drain(0.3, True, 1.0)
        now += 1.0
        monitor.update(round(cells.volts * 10) / 10, now)
        levels.append(monitor.level)
    assert levels[0] is BatteryLevel.GOOD
    assert levels.count(BatteryLevel.LOW) + levels.count(BatteryLevel.CRITICAL) > 300


@pytest.mark.parametrize("damaged", [0.2, 116.6])
def test_a_damaged_reading_is_no_alarm(monitor: BatteryMonitor, damaged: float) -> None:
    """The checksum adds 16-bit words: of two damaged bytes one may undo the other."""
    for number, volts in enumerate([12.5, damaged, 12.5]):
        monitor.update(volts, 0.1 * number)
        assert (monitor.voltage, monitor.level) == (pytest.approx(12.5, abs=0.1), BatteryLevel.GOOD)
