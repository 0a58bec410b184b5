# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The node is killed and started again: its odometry goes on."""

from __future__ import annotations

import math
import signal
import time

import pytest
from nav_msgs.msg import Odometry
from ros_bench import DEADLINE, Bench, Inbox, Robot, stamp_of
from std_srvs.srv import Trigger


def pose(message: Odometry) -> tuple[float, float, float]:
    position, orientation = message.pose.pose.position, message.pose.pose.orientation
    return position.x, position.y, 2 * math.atan2(orientation.z, orientation.w)


def come_to_rest(bench: Bench) -> None:
    bench.wait_until(lambda: bench.robot.stopped)
    bench.pass_sips(3)


def kill(bench: Bench) -> float:
    """Kill the node; the time (s) after which no message is of it."""
    bench.nodes[-1].send(signal.SIGKILL)
    bench.nodes[-1].wait(DEADLINE)
    return time.time()


def first_after(bench: Bench, odom: Inbox[Odometry], killed: float) -> Odometry:
    """The first message of the next node; some of the killed one may still come before it, if the client was late."""
    return bench.wait_until(lambda: next((message for message in odom.messages if stamp_of(message) > killed), None))


def test_odometry_continues_after_a_kill_while_driving() -> None:
    with Bench(Robot(), enable_stamped_cmd_vel=False) as bench:
        bench.connected()
        odom = bench.listen(Odometry, "odom")
        with bench.driving(0.3, 0.4):
            bench.wait_until(lambda: odom.messages and odom.last.pose.pose.position.x > 0.4)
            killed = kill(bench)
        node = bench.start(port=bench.robot.url)
        first = pose(first_after(bench, odom, killed))
        before = pose([message for message in odom.messages if stamp_of(message) <= killed][-1])
        # What it rolled until its session ended, and no more.
        assert math.dist(before[:2], first[:2]) < 0.6
        come_to_rest(bench)
        bench.wait_until(lambda: odom.last.twist.twist.linear.x == 0.0)
        truth = bench.robot.truth.pose
        assert pose(odom.last) == pytest.approx((truth.x, truth.y, truth.heading), abs=0.02)
        bench.wait_until(lambda: node.logged("odometry continues at x"))
        # A pose that was reset is not the old one again.
        assert bench.call(Trigger, "reset_odometry").success
        bench.pass_sips(3)
        bench.wait_until(lambda: pose(odom.last) == pytest.approx((0, 0, 0), abs=0.01))
        bench.pass_sips(20)
        killed = kill(bench)
        bench.start(port=bench.robot.url)
        assert pose(first_after(bench, odom, killed)) == pytest.approx((0, 0, 0), abs=0.01)


def test_odometry_starts_at_zero_with_odometry_state_max_age_0() -> None:
    with Bench(Robot(), enable_stamped_cmd_vel=False, odometry_state_max_age=0.0) as bench:
        bench.connected()
        odom = bench.listen(Odometry, "odom")
        with bench.driving(0.3):
            bench.wait_until(lambda: odom.messages and odom.last.pose.pose.position.x > 0.3)
        killed = kill(bench)
        node = bench.start(port=bench.robot.url, odometry_state_max_age=0.0)
        assert first_after(bench, odom, killed).pose.pose.position.x < 0.1
        assert not node.logged("odometry ")
