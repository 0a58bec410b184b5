# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Movements beyond cmd_vel, the robot's tuning values and its sonars' order, as a user's program has them."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from nav_msgs.msg import Odometry
from rclpy.action import ActionClient
from ros_bench import DEADLINE, Bench, Robot
from sensor_msgs.msg import LaserScan, Range
from standstill import passes

from amigobot_msgs.action import Move, Turn
from amigobot_msgs.msg import HeadingVelocity, RobotStatus, WheelVelocities
from amigobot_msgs.srv import GetPid, SetOdometry, SetPid, SetRobotConfig, SetSonarSequence


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with Bench(Robot("amigo", baud=9600), publish_scan=True) as bench:
        bench.connected()
        status = bench.listen(RobotStatus, "status")
        bench.wait_until(lambda: len(status) and status.last.motors_enabled)
        yield bench


class Goal:
    """One goal on its way. It is sent again while it is refused because this machine stood still."""

    def __init__(self, bench: Bench, kind: Any, name: str, goal: Any) -> None:
        self._bench = bench
        self.feedback: list[float] = []
        self._client = ActionClient(bench.client.node, kind, name)
        bench.wait_until(self._client.server_is_ready)
        end = time.monotonic() + DEADLINE
        while not self._sent(goal):
            assert time.monotonic() < end, self._result.result().result.message
            pause = time.monotonic() + 0.1
            bench.wait_until(lambda pause=pause: time.monotonic() > pause)  # type: ignore[misc]

    def _sent(self, goal: Any) -> bool:
        """Send it; whether it is on its way, or ended for another reason than a standstill."""
        self.feedback.clear()
        sent = self._client.send_goal_async(goal, feedback_callback=self._take)
        self._bench.wait_until(sent.done)
        self.handle = sent.result()
        assert self.handle.accepted
        self._result = self.handle.get_result_async()
        self._bench.wait_until(lambda: self.feedback or self._result.done())
        return not (self._result.done() and passes(self._result.result().result.message))

    def drives(self) -> None:
        """Wait until the robot drives with it."""
        robot = self._bench.robot
        self._bench.wait_until(lambda: self._result.done() or (len(self.feedback) > 3 and not robot.stopped))
        assert not self._result.done(), self._result.result().result.message

    def _take(self, message: Any) -> None:
        self.feedback.append(message.feedback.remaining)

    def end(self) -> Any:
        self._bench.wait_until(self._result.done)
        self._client.destroy()
        return self._result.result()


def test_turn_goes_to_the_angle_with_feedback(bench: Bench) -> None:
    goal = Goal(bench, Turn, "turn", Turn.Goal(angle=math.pi / 2))
    end = goal.end()
    assert end.status == GoalStatus.STATUS_SUCCEEDED
    assert end.result.success
    assert end.result.yaw == pytest.approx(math.pi / 2, abs=math.radians(4))
    assert len(goal.feedback) > 3
    assert abs(goal.feedback[-1]) < abs(goal.feedback[0])


def test_move_goes_the_distance(bench: Bench) -> None:
    end = Goal(bench, Move, "move", Move.Goal(distance=0.3)).end()
    assert end.status == GoalStatus.STATUS_SUCCEEDED
    assert end.result.travelled == pytest.approx(0.3, abs=0.03)


def test_a_canceled_move_returns_the_travelled_distance_at_rest(bench: Bench) -> None:
    start = bench.robot.truth.pose
    goal = Goal(bench, Move, "move", Move.Goal(distance=-2.0))
    goal.drives()
    goal.handle.cancel_goal_async()
    end = goal.end()
    assert bench.robot.stopped
    assert end.status == GoalStatus.STATUS_CANCELED
    pose = bench.robot.truth.pose
    assert end.result.travelled == pytest.approx(-math.hypot(pose.x - start.x, pose.y - start.y), abs=0.01)
    assert end.result.message == f"ended after {end.result.travelled:.3f} m of -2.000 m: canceled"


def test_a_goal_out_of_range_is_refused_with_it(bench: Bench) -> None:
    end = Goal(bench, Turn, "turn", Turn.Goal(angle=4.0)).end()
    assert end.status == GoalStatus.STATUS_ABORTED
    assert end.result.message.startswith("refused: angle is ")


@pytest.mark.parametrize(
    ("topic", "message"),
    [("cmd_wheels", WheelVelocities(left=0.1, right=0.1)), ("cmd_heading", HeadingVelocity(velocity=0.1, heading=0.0))],
)
def test_cmd_wheels_and_cmd_heading_drive_and_time_out(bench: Bench, topic: str, message: Any) -> None:
    publisher = bench.client.publisher(type(message), topic)
    timer = bench.client.node.create_timer(0.1, lambda: publisher.publish(message))
    try:
        bench.wait_until(lambda: bench.robot.speed > 0.05)
    finally:
        bench.client.node.destroy_timer(timer)
    bench.wait_until(lambda: bench.robot.stopped)


def test_set_odometry_sets_the_pose(bench: Bench) -> None:
    inbox = bench.listen(Odometry, "odom")
    # The packets of the motion before are through.
    bench.wait_until(lambda: len(inbox) and inbox.last.twist.twist.linear.x == inbox.last.twist.twist.angular.z == 0.0)
    assert bench.call(SetOdometry, "set_odometry", SetOdometry.Request(x=1.0, y=-2.0, yaw=0.5)).success
    before = len(inbox)
    bench.wait_until(lambda: len(inbox) > before + 1)
    pose = inbox.last.pose.pose
    assert (pose.position.x, pose.position.y) == pytest.approx((1.0, -2.0), abs=0.01)
    assert 2 * math.atan2(pose.orientation.z, pose.orientation.w) == pytest.approx(0.5, abs=0.02)
    refused = bench.call(SetOdometry, "set_odometry", SetOdometry.Request(x=math.nan))
    assert not refused.success


def test_a_configuration_name_without_a_value_is_refused(bench: Bench) -> None:
    done = bench.call(SetRobotConfig, "set_robot_config", SetRobotConfig.Request(names=["rot_kp"]))
    assert (done.success, done.message) == (False, "1 name and 0 values: expected equal numbers of both")


def test_only_the_sonars_of_the_sequence_fire(bench: Bench) -> None:
    done = bench.call(SetSonarSequence, "set_sonar_sequence", SetSonarSequence.Request(sonars=[2, 3]))
    assert (done.success, done.message) == (True, "sonars 2, 3 fire")
    inboxes = [bench.listen(Range, f"sonar/range_{number}") for number in range(8)]
    scan = bench.listen(LaserScan, "sonar/scan")
    bench.pass_sips(15)
    bench.wait_until(lambda: len(inboxes[2]) and len(inboxes[3]) and len(scan))
    assert [number for number, inbox in enumerate(inboxes) if len(inbox)] == [2, 3]
    assert not all(math.isnan(value) for value in scan.last.ranges)
    request = SetSonarSequence.Request(all_sonars=True)
    assert bench.call(SetSonarSequence, "set_sonar_sequence", request).success


@pytest.mark.parametrize(
    ("request_", "success", "reported", "expected"),
    [
        ({}, False, None, "nothing to set: kp, kv, ki unchanged: a term of 0 is set only with set_zeros: true"),
        ({"kp": 35}, True, [35, 63, 3], "confirmed by the robot; kv, ki unchanged"),
        ({"kp": 36, "kv": 64, "ki": 4}, True, [36, 64, 4], "confirmed by the robot"),
        ({"kp": 37, "kv": 65, "set_zeros": True}, True, [37, 65, 0], "confirmed by the robot"),
        ({"set_zeros": True}, True, [0, 0, 0], "confirmed by the robot"),
        ({"kp": 40000}, False, [33, 63, 3], "rot_kp is 40000, allowed: 0 to 32767"),
        ({"servo": 2, "kp": 5}, False, None, "servo is 2, allowed: 0 (rotation) or 1 (translation)"),
    ],
    ids=str,
)
def test_a_term_of_zero_is_set_only_on_request(
    bench: Bench, request_: dict[str, Any], success: bool, reported: list[int] | None, expected: str
) -> None:
    assert bench.call(SetPid, "set_pid", SetPid.Request(kp=33, kv=63, ki=3)).success
    done = bench.call(SetPid, "set_pid", SetPid.Request(**request_))
    assert (done.success, expected in done.message) == (success, True), done.message
    assert reported is None or list(done.reported) == reported
    gains = list(bench.call(GetPid, "get_pid").rotation)
    tuning = bench.robot._simulator._firmware.tuning
    assert gains == [tuning.rot_kp, tuning.rot_kv, tuning.rot_ki] == (reported or [33, 63, 3])
