# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The services: each answers when the robot has done it or with the reason why not, and none holds up another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from ros_bench import Bench, Robot, shared_bench, stamp_of
from sensor_msgs.msg import Range
from std_srvs.srv import SetBool, Trigger

from amigobot_driver.protocol import Command
from amigobot_msgs.msg import RobotStatus
from amigobot_msgs.srv import GetPid

bench = shared_bench(Robot, enable_stamped_cmd_vel=False)


@pytest.fixture(autouse=True)
def as_it_was(bench: Bench) -> Iterator[None]:
    """Each test leaves the robot stopped, and ignoring no command."""
    yield
    bench.robot.ignored.clear()
    bench.publish("cmd_vel", bench.client.velocity(0.0))
    bench.wait_until(lambda: bench.robot.stopped)


def switch(bench: Bench, service: str, on: bool) -> Any:
    return bench.call(SetBool, service, SetBool.Request(data=on))


def commands(bench: Bench, since: int) -> list[Command]:
    return [instruction.command for instruction in bench.robot.received[since:]]


class TestEnableMotors:
    def test_enable_motors_responds_when_the_robot_has_confirmed(self, bench: Bench) -> None:
        status = bench.listen(RobotStatus, "status")
        for on, word in ((False, "off"), (True, "on")):
            response = switch(bench, "enable_motors", on)
            assert (response.success, response.message) == (True, f"motors {word}, confirmed by the robot")
            bench.wait_until(lambda on=on: status.messages and status.last.motors_enabled == on)

    def test_a_velocity_without_motors_is_logged_with_the_remedy(self, bench: Bench) -> None:
        assert switch(bench, "enable_motors", False).success
        with bench.driving(0.3):
            bench.wait_until(lambda: bench.node.logged("a velocity arrives while the motors are off"))
            assert bench.node.logged("a velocity arrives while the motors are off: call the service enable_motors,")
            bench.wait_until(lambda: bench.diagnostic("motors").level == DiagnosticStatus.WARN)
            assert "enable_motors" in bench.diagnostic("motors").message
            assert bench.robot.stopped
        assert switch(bench, "enable_motors", True).success
        assert len(bench.node.logged("a velocity arrives while the motors are off")) == 1


def test_enable_sonar_switches_the_ranges_off_and_on(bench: Bench) -> None:
    ranges, status = bench.listen(Range, "sonar/range_0"), bench.listen(RobotStatus, "status")
    response = switch(bench, "enable_sonar", False)
    assert (response.success, response.message) == (True, "sonar off, confirmed by the robot")
    bench.wait_until(lambda: status.messages and not status.last.sonar_enabled)
    silent_since = next(stamp_of(message) for message in status.messages if not message.sonar_enabled)
    bench.pass_sips(10)
    bench.wait_until(lambda: stamp_of(status.last) > silent_since + 0.5)
    assert all(stamp_of(message) <= silent_since for message in ranges.messages)
    assert switch(bench, "enable_sonar", True).success
    silent_since = len(ranges)
    bench.wait_until(lambda: len(ranges) > silent_since)


def test_stop_stops_and_the_next_velocity_drives_again(bench: Bench) -> None:
    since = len(bench.robot.received)
    with bench.driving(0.3):
        bench.wait_until(lambda: bench.robot.speed > 0.1)
    response = bench.call(Trigger, "stop")
    assert (response.success, response.message) == (True, "stopping")
    bench.wait_until(lambda: bench.robot.stopped)
    assert Command.STOP in commands(bench, since)
    with bench.driving(0.3):
        bench.wait_until(lambda: bench.robot.speed > 0.1)


def test_emergency_stop_brakes_and_refuses_velocities_until_cleared(bench: Bench) -> None:
    status = bench.listen(RobotStatus, "status")
    refused = int(bench.values("commands")["refused"])
    with bench.driving(0.3):
        bench.wait_until(lambda: bench.robot.speed > 0.1)
        since = len(bench.robot.received)
        response = bench.call(Trigger, "emergency_stop")
        assert response.success
        assert response.message == "braking; every velocity is refused until clear_emergency_stop"
        bench.wait_until(lambda: bench.robot.stopped)
        assert Command.E_STOP in commands(bench, since)
        braked = len(bench.robot.received)

        bench.wait_until(lambda: int(bench.values("commands")["refused"]) > refused + 5)
        assert not any(bench.robot.values(Command.VEL, braked))
        assert bench.robot.stopped
        bench.wait_until(lambda: status.last.emergency_stop)
        assert "clear_emergency_stop" in bench.diagnostic("motors").message
        assert len(bench.node.logged("cmd_vel refused", "call the service clear_emergency_stop first")) == 1

        assert bench.call(Trigger, "clear_emergency_stop").success
        bench.wait_until(lambda: bench.robot.speed > 0.1)
        bench.wait_until(lambda: not status.last.emergency_stop)


def test_velocities_are_served_while_a_service_waits(bench: Bench) -> None:
    """A robot that ignores ENABLE keeps the service busy for 2.4 s, in which it sends ENABLE 8 times."""
    for _ in range(10):  # again if this machine stood still meanwhile
        bench.robot.ignored.add(Command.ENABLE)
        since = len(bench.robot.received)
        answer = bench.client.ask(SetBool, "enable_motors", SetBool.Request(data=False))
        # 0, not any ENABLE: a repeated ENABLE 1 of the request before may still be on the line.
        bench.wait_until(lambda since=since: 0 in bench.robot.values(Command.ENABLE, since))
        with bench.driving(0.2):
            bench.wait_until(lambda since=since: 200 in bench.robot.values(Command.VEL, since))
        bench.call(Trigger, "emergency_stop")
        served = not answer.done() and len(bench.robot.values(Command.ENABLE, since)) < 8
        assert bench.call(Trigger, "clear_emergency_stop").success
        bench.robot.ignored.clear()
        assert switch(bench, "enable_motors", True).success
        if served:
            return
    pytest.fail("served only when the service had answered")


class TestWithoutARobot:
    @pytest.fixture(scope="class")
    def out_of_range(self, bench: Bench) -> Iterator[Bench]:
        """The robot is there and says nothing any more."""
        bench.robot.silent = True
        bench.wait_until(lambda: bench.diagnostic("link").level == DiagnosticStatus.ERROR)
        yield bench
        bench.robot.silent = False
        bench.connected()
        bench.wait_until(lambda: bench.diagnostic("motors", fresh=True).message == "motors on")

    def test_a_request_without_a_robot_fails_with_the_reason(self, out_of_range: Bench) -> None:
        for response in (switch(out_of_range, "enable_sonar", True), out_of_range.call(GetPid, "get_pid")):
            assert not response.success
            assert "there is no robot" in response.message

    def test_an_emergency_stop_without_a_robot_is_latched(self, out_of_range: Bench) -> None:
        response = out_of_range.call(Trigger, "emergency_stop")
        assert response.success
        assert "no robot to brake" in response.message
        assert out_of_range.call(Trigger, "clear_emergency_stop").message == "velocities are accepted again"
