# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Motors and sonar: requested, sent again until the robot reports them, then followed."""

from __future__ import annotations

from concurrent.futures import Future

import pytest
from bench import Bench, losing

from amigobot_driver.protocol import Command
from amigobot_driver.robot import Outcome
from amigobot_driver.robot.command_queue import ROOM
from amigobot_driver.robot.devices.switch import Switch


@pytest.fixture
def bench() -> Bench:
    return Bench().connect()


def motors(bench: Bench, on: bool) -> Future[Outcome]:
    return bench.request(lambda: bench.robot.enable_motors(on, bench.now))


def sonar(bench: Bench, on: bool) -> Future[Outcome]:
    return bench.request(lambda: bench.robot.sonar.set(on, bench.now))


class TestSwitching:
    @pytest.mark.parametrize("on", [True, False])
    @pytest.mark.parametrize("switch", [motors, sonar])
    def test_a_switch_is_confirmed_by_the_robot(self, bench: Bench, switch: type[motors], on: bool) -> None:
        for value in (on, not on):
            answer = switch(bench, value)
            assert not answer.done(), "what a SIP said before is no confirmation"
            bench.until(answer.done, within=1.0)
            name, state = switch.__name__, "on" if value else "off"
            assert answer.result() == Outcome(True, f"{name} {state}, confirmed by the robot")
        report = bench.reports[-1]
        assert (report.motors_enabled if switch is motors else report.sonar_enabled) is not on

    def test_an_ignored_switch_fails_with_the_reason(self, bench: Bench) -> None:
        motors(bench, False)
        bench.run(1)
        bench.up.fault = losing(Command.ENABLE)
        since = bench.now
        answer = motors(bench, True)
        assert bench.until(answer.done) == pytest.approx(Switch.retries.duration, abs=0.1)
        assert answer.result() == Outcome(False, "sent ENABLE(1) 8 times in 2.4 s; the robot reports motors off")
        bench.run(10)
        assert bench.commands(since).count("ENABLE(1)") == Switch.retries.limit, "and is left at that"


class TestButton:
    """The MOTORS button is the operator's word: it is followed, not fought."""

    @pytest.mark.parametrize("presses", [1, 2, 3])
    def test_the_motors_button_is_followed(self, bench: Bench, presses: int) -> None:
        since = bench.now
        for _ in range(presses):
            bench.simulator.press_motors_button()
            bench.run(3)
        assert bench.reports[-1].motors_enabled is (presses % 2 == 0)
        assert not [command for command in bench.commands(since) if command.startswith("ENABLE")]
        state = "on" if presses % 2 == 0 else "off"
        assert len(bench.notices) == presses
        assert bench.notices[-1] == f"the motors were switched {state} at the robot"

    def test_the_motors_button_wins_over_confirmed_commands(self, bench: Bench) -> None:
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

    def test_the_motors_button_is_remembered_after_a_reconnect(self, bench: Bench) -> None:
        bench.simulator.press_motors_button()
        bench.run(1)
        bench.unplug()
        bench.connect()
        bench.run(3)
        assert not bench.reports[-1].motors_enabled


def test_switches_are_restored_after_a_reconnect(bench: Bench) -> None:
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
