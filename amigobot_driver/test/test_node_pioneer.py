# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a Pioneer has beside an AmigoBot, as a user's program sees it: one node, one simulated Pioneer 3 with ARCOS."""

from __future__ import annotations

import math
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from ros_bench import BRISK, Bench, Robot, shared_bench
from sensor_msgs.msg import BatteryState, Range
from std_srvs.srv import SetBool

from amigobot_driver.protocol import Command
from amigobot_msgs.msg import Bumpers, Compass, GripperState, RobotStatus
from amigobot_msgs.srv import Gripper, ResetRobot, SetSonarSequence

bench = shared_bench(
    lambda: Robot("p3dx-sh", flash={**BRISK, "Gripper": 1, "Charger": 1}),
    compass="packets",
    joystick_stream=True,
    bumper_stall="front",
)


def order(bench: Bench, name: str, duration: float = 0.0) -> Any:
    return bench.call(Gripper, "gripper", Gripper.Request(order=name, duration=duration))


def test_bumpers_on_their_topic_and_in_diagnostics(bench: Bench) -> None:
    message = bench.client.receive(Bumpers, "bumpers")
    assert (list(message.front), list(message.rear)) == ([False] * 5, [False] * 5)
    assert message.header.frame_id == "base_link"
    inbox = bench.listen(Bumpers, "bumpers")
    with bench.robot.disguised(right_stall_bumpers=0b0010000, left_stall_bumpers=0b0000010):
        bench.wait_until(lambda: inbox and any(inbox.last.front))
        bench.wait_until(lambda: bench.diagnostic("bumpers", fresh=True).level == DiagnosticStatus.WARN)
    pressed = next(bumpers for bumpers in inbox.messages if any(bumpers.front))
    assert list(pressed.front) == [False, False, False, True, False]
    assert list(pressed.rear) == [True, False, False, False, False]
    assert bench.diagnostic("bumpers").message == (
        "Pressed: front bumper 3, rear bumper 0. Free the robot, and look for a broken switch or cable."
    )
    assert Command.BUMPSTALL(1) in bench.robot.received


def test_the_compass_has_heading_and_yaw(bench: Bench) -> None:
    """The robot looks along the world's x axis, which is east."""
    message = bench.client.receive(Compass, "compass")
    assert message.heading == pytest.approx(math.pi / 2, abs=0.01)
    assert message.yaw == pytest.approx(0.0, abs=0.01)
    assert math.degrees(message.resolution) == pytest.approx(0.1)
    assert list(message.magnetic_field)[2] == pytest.approx(44e-6)
    assert message.temperature == pytest.approx(25.0)


def test_the_gripper_service_moves_the_gripper(bench: Bench) -> None:
    done = order(bench, "open")
    assert done.success and done.message.startswith("open: paddles")
    inbox = bench.listen(GripperState, "gripper_state")
    bench.wait_until(lambda: inbox and inbox.last.paddles == GripperState.OPEN and not inbox.last.paddles_moving)
    assert inbox.last.kind == GripperState.KIND_GENERAL_IO
    assert inbox.last.lift == GripperState.AT_END


def test_the_status_has_the_fields_of_an_arcos_packet(bench: Bench) -> None:
    status, battery = bench.listen(RobotStatus, "status"), bench.listen(BatteryState, "battery_state")
    with bench.robot.disguised(state_of_charge=42, temperature=37, faults=1 << 4, rotation_velocity=0):
        bench.wait_until(lambda: status and status.last.faults)
        assert (list(status.last.faults), status.last.charge_state) == (["gyro"], "not charging")
        assert status.last.state_of_charge == pytest.approx(0.42)
        assert (status.last.temperature, status.last.turn_rate) == (37.0, 0.0)
        bench.wait_until(lambda: battery and battery.last.percentage == pytest.approx(0.42))
        bench.wait_until(lambda: bench.diagnostic("motors", fresh=True).level == DiagnosticStatus.ERROR)
        assert bench.diagnostic("motors").message.startswith("The robot reports: gyro")


def test_deploy_charger_deploys_and_retracts(bench: Bench) -> None:
    def dock(simulator: Any) -> None:
        simulator.battery.docked = True

    bench.robot.do(dock)
    done = bench.call(SetBool, "deploy_charger", SetBool.Request(data=True))
    assert done.success and done.message.startswith("the robot reports: ")
    assert bench.call(SetBool, "deploy_charger", SetBool.Request(data=False)).success


def test_both_sonar_rings_are_published(bench: Bench) -> None:
    request = SetSonarSequence.Request(sonars=[0, 15, 8])
    done = bench.call(SetSonarSequence, "set_sonar_sequence", request)
    assert (done.success, done.message) == (True, "sonars 0, 8, 15 fire")
    assert bench.client.receive(Range, "sonar/range_15").header.frame_id == "sonar_15_link"


def test_reset_robot_needs_confirm_and_the_robot_reconnects(bench: Bench) -> None:
    done = bench.call(ResetRobot, "reset_robot", ResetRobot.Request(confirm=False))
    assert not done.success and "confirm is false" in done.message
    assert Command.RESET() not in bench.robot.received
    done = bench.call(ResetRobot, "reset_robot", ResetRobot.Request(confirm=True))
    assert (done.success, done.message) == (True, "the robot was reset and is connected again")
    assert bench.robot.received.count(Command.RESET()) == 1
    sips = bench.robot.sips
    bench.wait_until(lambda: bench.robot.sips > sips + 5)
    bench.wait_until(lambda: bench.client.receive(RobotStatus, "status").motors_enabled)
