# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A node that is stopped and continued, and clocks that jump."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from nav_msgs.msg import Odometry
from rclpy.time import Time
from ros_bench import Bench, Robot

from amigobot_driver.protocol import Command
from amigobot_driver.ros.stamps import NodeTime


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with Bench(Robot(pty=tmp_path / "ttyUSB0"), enable_stamped_cmd_vel=False) as bench:
        yield bench.connected()


def test_a_process_frozen_while_driving_stops_when_it_continues(bench: Bench) -> None:
    """A publisher continues for a while and then dies: its last velocity waits in a queue until the node continues."""
    with bench.driving(0.3):
        bench.wait_until(lambda: bench.robot.speed > 0.1)
        bench.node.send(signal.SIGSTOP)
        bench.wait_until(lambda: bench.robot.stopped)
    since, odom = len(bench.robot.received), bench.listen(Odometry, "odom")
    bench.node.send(signal.SIGCONT)
    bench.wait_until(lambda: Command.STOP() in bench.robot.received[since:])
    stop = bench.robot.received.index(Command.STOP(), since)
    assert stop <= since + 1, "only the frame that was being written when the process was stopped comes before"
    bench.wait_until(lambda: odom.messages)
    bench.pass_sips(15)
    assert not any(bench.robot.values(Command.VEL, stop))
    assert bench.robot.stopped
    with bench.driving(0.3):
        bench.wait_until(lambda: bench.robot.speed > 0.1)


@pytest.mark.parametrize("jump", [3600.0, -3600.0, 0.5, -0.5])
def test_a_clock_jump_moves_stamps_but_no_timeout(jump: float) -> None:
    """The node's clock gives the stamps and nothing else."""
    ros, boot = [1_000_000.0], [500.0]
    clock = MagicMock(ros_time_is_active=True)
    clock.now = lambda: Time(nanoseconds=round(ros[0] * 1e9))
    stamps = NodeTime(clock, lambda: boot[0])
    assert stamps.of(499.9) == round(999_999.9e9)
    ros[0] += jump
    assert stamps.of(499.9) == round((999_999.9 + jump) * 1e9)
    ros[0] += 0.1
    boot[0] += 0.1
    assert stamps.of(499.9) == round((999_999.9 + jump) * 1e9), "the same instant keeps its stamp"
