# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The node without a robot, the time to the first odometry, and memory after the packets of an hour."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

from nav_msgs.msg import Odometry

from .node import TOPICS
from .program import driver, floor, running
from .report import Row, row
from .robot import Robot

#: A port that is not there.
_NO_PORT = "/dev/ttyNONE"
#: s to settle, s that are measured, and rounds of a node without a robot.
_SETTLE, _IDLE, _IDLE_ROUNDS = 4.0, 8.0, 3
_STARTS = 4  # of each program
#: s that a driver may take longer than a bare node, for the handshake and the first SIP.
_HANDSHAKE = 1.5
#: How much faster than the computer's clock the robot's runs, so that an hour takes 1.5 minutes; and the share of the
#: hour after which the memory is compared with that at its end. Health and timing keep the values of the last minute of
#: the computer's clock, which at this speed are 40 times as many: they must be full before the first figure.
_SPEED, _WARM = 40.0, 0.75


def idle() -> Iterator[Row]:
    """CPU and memory of a node whose port is missing, against a node that does nothing."""

    ours, least = [], []
    for _ in range(_IDLE_ROUNDS):
        ours.append(_rest(driver(_NO_PORT), "amigobot"))
        least.append(_rest(floor(), "floor"))
    yield row("CPU without a robot, against an idle node", "%", 1.2, *([each[0] for each in x] for x in (ours, least)))
    yield row("memory without a robot", "MB", 1.2, *([each[1] for each in x] for x in (ours, least)))


def _rest(command: list[str], node: str) -> tuple[float, float]:
    """Return the CPU (%) and the memory (MB) of a node that has nothing to do."""
    with running(command) as (program, client):
        client.wait(lambda: node in client.node.get_node_names())
        time.sleep(_SETTLE)
        before = program.cpu()
        time.sleep(_IDLE)
        return 100 * (program.cpu() - before) / _IDLE, program.memory()


def start() -> Iterator[Row]:
    """Start of the process to the first odometry message in another one, against the floor on an open session."""
    ours = [_first_odometry(floor_instead=False) for _ in range(_STARTS)]
    least = [_first_odometry(floor_instead=True) for _ in range(_STARTS)]
    goal = 1.0 + _HANDSHAKE / statistics.median(least)
    yield row(f"start -> first Odometry, goal {_HANDSHAKE} s more than the floor", "s", goal, ours, least)


def _first_odometry(*, floor_instead: bool) -> float:
    robot = Robot(open_session=floor_instead)
    arrived: list[float] = []
    try:
        with running(floor(robot.port) if floor_instead else driver(robot.port)) as (program, client):
            client.node.create_subscription(Odometry, "odom", lambda _: arrived.append(time.monotonic()), 10)
            client.wait(lambda: arrived)
            return arrived[0] - program.started
    finally:
        robot.end()


def memory(hours: float) -> Iterator[Row]:
    """Resident memory at the end of an hour against three quarters of it, every topic read.

    Args:
        hours: 0 passes the packets of an hour in 1.5 minutes; else real time.
    """
    speed = 1.0 if hours else _SPEED
    period = 3600.0 * (hours or 1.0) / speed
    robot = Robot(open_session=False)
    received = [0]

    def on_odometry(_: Odometry) -> None:
        received[0] += 1

    try:
        with running(driver(robot.port)) as (program, client):
            client.node.create_subscription(Odometry, "odom", on_odometry, 10)
            for topic, kind in TOPICS.items():
                client.node.create_subscription(kind, topic, lambda _: None, 10, raw=True)
            client.wait(lambda: received[0])
            if speed > 1.0:
                robot.accelerate(speed)
            client.spin(_WARM * period)
            before = program.memory()
            client.spin((1.0 - _WARM) * period)
            what = f"{hours:g} hours" if hours else "the packets of an hour"
            name = f"memory after {what}, against after three quarters"
            yield row(name, "MB", 1.02, [program.memory()], [before])
    finally:
        robot.end()
