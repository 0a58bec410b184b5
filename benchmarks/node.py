# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The node on a pty, against the floor on a pty: latency both ways, CPU and memory."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext

from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from sensor_msgs.msg import BatteryState, JointState, PointCloud2, Range
from tf2_msgs.msg import TFMessage

from amigobot_msgs.msg import IoState, RobotStatus

from .program import MESSAGES, Client, Program, driver, floor, running
from .report import Row, row
from .robot import Robot
from .stamps import stamp_deviations

#: s of each period.
_SECONDS = 5.0
#: Everything that the driver and the floor publish with the SIPs of an AmigoBot.
TOPICS = {
    "joint_states": JointState,
    "status": RobotStatus,
    "battery_state": BatteryState,
    "sonar/cloud": PointCloud2,
    "io": IoState,
    "/tf": TFMessage,
    **{f"sonar/range_{number}": Range for number in range(MESSAGES - 1)},
}
#: What is measured: unit, goal of the ratio.
_FIGURES = {
    "SIP written -> Odometry received, median": ("ms", 1.5),
    "cmd_vel published -> VEL on the wire, median": ("ms", 1.25),
    "CPU without velocities": ("%", 2.1),
    "CPU with 10 velocities a second": ("%", 1.6),
    "resident memory": ("MB", 1.2),
}
#: A figure of the driver beside these: how far its stamps are from the robot's clock at most, ms.
STAMPS = "odom stamps off the robot's clock, at most"


def node(rate: int, rounds: int, *, every_topic: bool) -> Iterator[Row]:
    """The node beside the floor, in alternating rounds, read by one subscriber or with every topic read."""
    ours, least = [], []
    for _ in range(rounds):
        ours.append(measure(rate, floor_instead=False, every_topic=every_topic))
        least.append(measure(rate, floor_instead=True, every_topic=every_topic))
    remark = (", 20 SIPs a second" if rate == 20 else "") + (", all topics read" if every_topic else "")
    for name, (unit, goal) in _FIGURES.items():
        yield row(name + remark, unit, goal, [each[name] for each in ours], [each[name] for each in least])


def measure(
    rate: int,
    *,
    floor_instead: bool,
    every_topic: bool,
    beside: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> dict[str, float]:
    """Run a program on a simulated robot, without and with velocities; returns the figures by name.

    Args:
        rate: SIPs a second.
        floor_instead: Measure the floor, not the driver.
        every_topic: Read every topic, not only odom.
        beside: Runs something beside it meanwhile.
    """
    robot = Robot(open_session=floor_instead, rate=rate)
    try:
        command = floor(robot.port) if floor_instead else driver(robot.port)
        with running(command) as (program, client), beside():
            return _listen(program, client, robot, rate, every_topic=every_topic)
    finally:
        robot.end()


def _listen(program: Program, client: Client, robot: Robot, rate: int, *, every_topic: bool) -> dict[str, float]:
    arrived: list[float] = []
    latencies: list[float] = []
    stamps: list[float] = []  #: s
    subscribe = client.node.create_subscription

    def on_odometry(message: Odometry) -> None:
        arrived.append(time.monotonic() - robot.sip_written)
        stamps.append(message.header.stamp.sec + message.header.stamp.nanosec * 1e-9)

    subscribe(Odometry, "odom", on_odometry, 10)
    for topic, kind in TOPICS.items() if every_topic else ():
        subscribe(kind, topic, lambda _: None, 10, raw=True)
    publisher = client.node.create_publisher(Twist, "cmd_vel", 1)
    twist = Twist()
    twist.linear.x = 0.1

    def busy(seconds: float, *, driving: bool) -> float:
        """Let time pass; returns the share of it that the program kept a core busy."""
        cpu, start, sent = program.cpu(), time.monotonic(), 0.0
        while (now := time.monotonic()) - start < seconds:
            if driving and now - sent >= 0.1:
                if sent and robot.vel_received > sent:
                    latencies.append(robot.vel_received - sent)
                sent = time.monotonic()
                publisher.publish(twist)
            client.spin(0.005 if driving else 0.1)
        return (program.cpu() - cpu) / (time.monotonic() - start)

    client.wait(lambda: len(arrived) >= 20)
    busy(1.0, driving=False)
    stamps.clear()
    idle = busy(_SECONDS, driving=False)
    busy(1.0, driving=True)
    arrived.clear()
    driven = busy(_SECONDS, driving=True)
    latency, answer = statistics.median(arrived), statistics.median(latencies)
    figures = 1e3 * latency, 1e3 * answer, 100 * idle, 100 * driven, program.memory()
    off = max(map(abs, stamp_deviations(stamps, 1.0 / rate)))
    return {**dict(zip(_FIGURES, figures, strict=True)), STAMPS: off}
