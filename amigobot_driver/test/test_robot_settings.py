# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Motors and sonar: asked for, sent again until the robot reports them, then followed; and the battery's level."""

from __future__ import annotations

from concurrent.futures import Future

import pytest
from bench import Bench, losing
from hypothesis import given
from hypothesis import strategies as st

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Command
from amigobot_driver.robot import BatteryLevel, Outcome
from amigobot_driver.robot.command_queue import ROOM
from amigobot_driver.robot.devices.switch import Switch
from amigobot_driver.robot.sensing.battery import BatteryMonitor

BATTERY = load_profile("amigo").battery


@pytest.fixture
def bench() -> Bench:
    return Bench().connect()


def motors(bench: Bench, on: bool) -> Future[Outcome]:
    return bench.ask(lambda: bench.robot.enable_motors(on, bench.now))


def sonar(bench: Bench, on: bool) -> Future[Outcome]:
    return bench.ask(lambda: bench.robot.enable_sonar(on, bench.now))


class TestSwitching:
    @pytest.mark.parametrize("on", [True, False])
    @pytest.mark.parametrize("switch", [motors, sonar])
    def test_succeeds_when_the_robot_reports_it(self, bench: Bench, switch: type[motors], on: bool) -> None:
        for value in (on, not on):
            answer = switch(bench, value)
            assert not answer.done(), "what a SIP said before is no confirmation"
            bench.until(answer.done, within=1.0)
            name, state = switch.__name__, "on" if value else "off"
            assert answer.result() == Outcome(True, f"{name} {state}, confirmed by the robot")
        report = bench.reports[-1]
        assert (report.motors_enabled if switch is motors else report.sonar_enabled) is not on

    def test_fails_with_the_reason_when_the_robot_ignores_it(self, bench: Bench) -> None:
        motors(bench, False)
        bench.run(1)
        bench.up.fault = losing(Command.ENABLE)
        since = bench.now
        answer = motors(bench, True)
        assert bench.until(answer.done) == pytest.approx(Switch.retries.duration, abs=0.1)
        assert answer.result() == Outcome(False, "sent ENABLE(1) 8 times in 2.4 s; the robot reports motors off")
        bench.run(10)
        assert bench.words(since).count("ENABLE(1)") == Switch.retries.limit, "and is left at that"


class TestButton:
    """The MOTORS button is the operator's word: it is followed, not fought."""

    @pytest.mark.parametrize("presses", [1, 2, 3])
    def test_is_followed(self, bench: Bench, presses: int) -> None:
        since = bench.now
        for _ in range(presses):
            bench.simulator.press_motors_button()
            bench.run(3)
        assert bench.reports[-1].motors_enabled is (presses % 2 == 0)
        assert not [word for word in bench.words(since) if word.startswith("ENABLE")]
        state = "on" if presses % 2 == 0 else "off"
        assert len(bench.notices) == presses
        assert bench.notices[-1] == f"the motors were switched {state} at the robot"

    def test_wins_over_a_command_that_has_been_confirmed(self, bench: Bench) -> None:
        for _ in range(10):  # at ten moments between two SIPs
            bench.run(1.01)
            motors(bench, True)
            bench.run(0.5)
            for _ in range(ROOM - 1):
                bench.robot.queue.put(Command.CONFIG())  # ENABLE waits behind these
            bench.until(motors(bench, True).done, within=1.0)
            bench.simulator.press_motors_button()
            bench.run(1)
            assert not bench.reports[-1].motors_enabled

    def test_is_remembered_over_a_reconnect(self, bench: Bench) -> None:
        bench.simulator.press_motors_button()
        bench.run(1)
        bench.unplug()
        bench.connect()
        bench.run(3)
        assert not bench.reports[-1].motors_enabled


class TestAfterReconnect:
    def test_what_was_wanted_is_wanted_again(self, bench: Bench) -> None:
        motors(bench, False)
        sonar(bench, False)
        bench.run(1)
        bench.switch_off()
        bench.run(3)
        bench.switch_on()
        bench.until(lambda: bench.robot.running)
        bench.run(2)
        report = bench.reports[-1]
        assert (report.motors_enabled, report.sonar_enabled) == (False, False)


class TestBattery:
    """AmigoBot: low under 11.0 V, critical half a volt before it switches itself off at 10.0 V."""

    @staticmethod
    def levels(*volts: float, seconds: float = 60.0) -> list[BatteryLevel]:
        """The levels it goes through while the battery has each voltage for a while."""
        monitor, levels, now = BatteryMonitor(BATTERY), [], 0.0
        for voltage in volts:
            for _ in range(round(seconds * 10)):
                now += 0.1
                if monitor.update(voltage, now):
                    levels.append(monitor.level)
        return levels

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
    def test_levels(self, volts: tuple[float, ...], levels: list[BatteryLevel]) -> None:
        assert self.levels(*volts) == levels

    @given(st.lists(st.tuples(st.floats(0, 40), st.floats(-10, 1e6)), min_size=1))
    def test_charge_is_a_share_whatever_comes(self, readings: list[tuple[float, float]]) -> None:
        monitor = BatteryMonitor(BATTERY)
        for volts, stamp in readings:
            monitor.update(volts, stamp)
        assert 0 <= monitor.charge <= 1
        assert 0 <= monitor.voltage <= 40
