# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Encoders, gyro and the odometry made of ticks, through the node."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import pytest
from nav_msgs.msg import Odometry
from ros_bench import Bench, Robot, stamp_of
from sensor_msgs.msg import Imu, JointState

from amigobot_driver.protocol import Command
from amigobot_msgs.msg import Encoders


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with Bench(Robot("amigo-sh"), odometry_source="encoders") as bench:
        yield bench.connected()


def yaw(odometry: Odometry) -> float:
    orientation = odometry.pose.pose.orientation
    return 2 * math.atan2(orientation.z, orientation.w)


def test_ticks_wheel_angles_and_pose_agree(bench: Bench) -> None:
    ticks, joints = bench.listen(Encoders, "encoders"), bench.listen(JointState, "joint_states")
    odometry = bench.listen(Odometry, "odom")
    with bench.driving(0.2):
        bench.wait_until(lambda: odometry.letters and odometry.last.pose.pose.position.x > 0.3)
    bench.wait_until(lambda: bench.robot.stopped)
    bench.pass_sips(5)
    stopped = time.time()
    for inbox in (ticks, joints, odometry):
        bench.wait_until(lambda inbox=inbox: stamp_of(inbox.last) > stopped)
    counts = ticks.last
    assert counts.header.frame_id == "base_link"
    # As close as the SIPs are, which fill in should this computer stand still for a moment.
    assert counts.left / 30000 == pytest.approx(odometry.last.pose.pose.position.x, abs=2e-3)
    assert joints.last.position[0] == pytest.approx(counts.left / 30000 / 0.05, abs=0.04)
    assert odometry.last.pose.pose.position.x == pytest.approx(bench.robot.truth.pose.x, abs=2e-3)


def test_odometry_source_can_be_changed_at_run_time(bench: Bench) -> None:
    assert bench.parameter("odometry_source", "robot").successful
    bench.wait_until(lambda: 0 in bench.robot.values(Command.ENCODER))
    here = bench.client.receive(Odometry, "odom").pose.pose.position.x
    assert here == pytest.approx(bench.robot.truth.pose.x, abs=2e-3)
    assert bench.parameter("odometry_source", "encoders").successful
    bench.client.receive(Encoders, "encoders")
    assert not bench.parameter("odometry_source", "stars").successful


def test_the_gyro_is_published_as_imu(bench: Bench) -> None:
    """A turn rate with its variance; a -1 says of the rest that it is not measured (REP-145)."""
    inbox = bench.listen(Imu, "imu/data_raw")
    bench.wait_until(lambda: bench.values("streams", fresh=True)["gyro_centre"] != "not measured")
    with bench.driving(0.0, 0.8):
        bench.wait_until(lambda: inbox.letters and inbox.last.angular_velocity.z > 0.7)
    message = inbox.last
    assert message.header.frame_id == "imu_link"
    assert message.orientation_covariance[0] == message.linear_acceleration_covariance[0] == -1.0
    assert 0.0 < message.angular_velocity_covariance[8] < 0.01
    assert message.angular_velocity_covariance[0] > 1e3
