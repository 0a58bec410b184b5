# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What the parts of a robot count of themselves: retries, gaps, latency, stalls."""

from __future__ import annotations

import pytest
from bench import Bench, losing, losing_some

from amigobot_driver.protocol import Command
from amigobot_driver.robot.devices.switch import Switch
from amigobot_driver.sim import Faults, Window


def counters(bench: Bench) -> dict[str, int]:
    return {name: count for component in bench.robot.components for name, count in component.counters().items()}


def test_lost_motor_requests_are_repeated_in_the_next_session() -> None:
    """Motors that were to be on when connecting, and a radio that was bad just then."""
    bench = Bench()
    bench.up.fault = losing(Command.ENABLE)
    bench.connect()
    bench.run(Switch.retries.duration + 1)
    assert not bench.reports[-1].motors_enabled
    assert bench.robot.motors.problem == "the robot does not switch its motors on"
    assert "motors-disobey" in bench.live_causes
    assert counters(bench)["motors_given_up"] == 1
    assert bench.notices == ["sent ENABLE(1) 8 times in 2.4 s; the robot reports motors off"]
    since = bench.now
    bench.run(10)
    assert not [command for command in bench.commands(since) if command.startswith("ENABLE")], "not in this session"
    bench.up.fault = None
    bench.unplug()
    bench.connect()
    assert bench.reports[-1].motors_enabled
    assert not bench.robot.motors.problem


class TestLinkTiming:
    def test_link_timing_is_right_on_a_good_line(self) -> None:
        bench = Bench().connect()
        bench.run(20)
        timing = bench.robot.link_timing
        assert timing.period == pytest.approx(0.1, abs=0.01)
        assert timing.gaps <= 1  # a CONFIGpac takes its time
        assert 0.02 < timing.answer_latency < 0.5

    def test_gaps_are_counted_and_the_longest_is_known(self) -> None:
        bench = Bench().connect()
        bench.down.fault = losing_some(1, 0.1)
        bench.run(60)
        assert 20 < bench.robot.link_timing.gaps < 90
        bench.down.fault = None
        bench.lose_link()
        bench.run(0.8)
        bench.restore_link()
        bench.run(1)
        assert 0.7 < bench.robot.link_timing.longest_gap < 1.0
        bench.run(61)
        assert bench.robot.link_timing.longest_gap < 0.2


def test_stalls_have_a_beginning_and_an_end() -> None:
    bench = Bench().connect()
    bench.simulator.faults = Faults(jam=Window(0.0, 1e6))
    bench.run(8, cmd_vel=(0.2, 0.0))
    wheels = bench.robot.stalls.wheels.values()
    assert all(wheel.duration and 4 < wheel.duration < 8 for wheel in wheels)
    assert all(wheel.count == 1 for wheel in wheels), "the firmware's retries are one stall"
    bench.simulator.faults = Faults()
    bench.run(5)
    assert not any(wheel.duration for wheel in wheels)
