# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What an AmigoBot-SH has beside an AmigoBot: encoders, gyro, odometry made of ticks, tones and a third AUX port."""

from __future__ import annotations

import time
from typing import Any

import pytest
from nav_msgs.msg import Odometry
from ros_bench import Bench, Robot, shared_bench, stamp_of
from sensor_msgs.msg import Imu, JointState

from amigobot_driver.protocol import Command
from amigobot_msgs.msg import AuxData, Encoders
from amigobot_msgs.srv import Say

bench = shared_bench(lambda: Robot("amigo-sh"), odometry_source="encoders")


def test_ticks_wheel_angles_and_pose_agree(bench: Bench) -> None:
    ticks, joints = bench.listen(Encoders, "encoders"), bench.listen(JointState, "joint_states")
    odometry = bench.listen(Odometry, "odom")
    with bench.driving(0.2):
        bench.wait_until(lambda: len(odometry) and odometry.last.pose.pose.position.x > 0.3)
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
        bench.wait_until(lambda: len(inbox) and inbox.last.angular_velocity.z > 0.7)
    message = inbox.last
    assert message.header.frame_id == "imu_link"
    assert message.orientation_covariance[0] == message.linear_acceleration_covariance[0] == -1.0
    assert 0.0 < message.angular_velocity_covariance[8] < 0.01
    assert message.angular_velocity_covariance[0] > 1e3


def test_say_encodes_tones_and_checks_their_range(bench: Bench) -> None:
    def say(durations: list[float], frequencies: list[float]) -> Any:
        return bench.call(Say, "say", Say.Request(durations=durations, frequencies=frequencies))

    assert say([0.5, 0.1], [250.0, 0.0]).message == ("sent SAY with 2 tones once; no packet confirms it")
    bench.wait_until(lambda: bench.robot.values(Command.SAY))
    assert bench.robot.values(Command.SAY) == [bytes((25, 20, 5, 0))]
    assert "expected equal numbers of both, 1 to 20" in say([0.5], []).message
    assert "expected equal numbers of both, 1 to 20" in say([0.1] * 21, [440.0] * 21).message
    assert say([5.2], [440.0]).message == "a duration is 5.2 s, allowed: 0.02 to 5.1 s"
    assert say([float("nan")], [440.0]).message == "a duration is nan s, allowed: 0.02 to 5.1 s"
    assert "allowed: 0 (a rest) or 19.6 to 5000 Hz" in say([1.0], [6000.0]).message


def test_aux3_topics_exist_if_the_firmware_has_the_port(bench: Bench) -> None:
    inbox = bench.listen(AuxData, "aux3/rx")
    bench.publish("aux3/tx", AuxData(data=b"third"))
    bench.wait_until(lambda: b"".join(bytes(message.data) for message in inbox.messages) == b"third")
