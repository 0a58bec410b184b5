"""The node on a pty, against the floor on a pty: latency both ways, CPU and memory."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import statistics
import subprocess
import threading
import time
import tty
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import rclpy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import BatteryState, JointState, PointCloud2, Range
from tf2_msgs.msg import TFMessage

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Command, FrameDecoder, Sip, decode, parse
from amigobot_driver.sim import Simulator
from amigobot_msgs.msg import IoState, RobotStatus

from .report import Row, row

#: s of each period, and how often driver and floor alternate.
_SECONDS, _ROUNDS = 8.0, 5
#: odom, tf, joint states, status, cloud, io, battery and the ranges that a SIP brings.
_MESSAGES = 11
#: Everything that the driver and the floor publish with the SIPs of an AmigoBot.
_TOPICS = {
    "joint_states": JointState,
    "status": RobotStatus,
    "battery_state": BatteryState,
    "sonar/cloud": PointCloud2,
    "io": IoState,
    "/tf": TFMessage,
    **{f"sonar/range_{number}": Range for number in range(_MESSAGES - 1)},
}


class Robot:
    """A simulated robot on a pty without line speed; knows when it wrote a SIP and when it received a velocity."""

    def __init__(self, robot: str, *, open_session: bool) -> None:
        self._master, slave = pty.openpty()
        tty.setraw(slave)
        self.port = os.ttyname(slave)
        self.sip_written = self.vel_received = 0.0
        self._simulator = Simulator(load_profile(robot), baud=0)
        self._from_client, self._to_client = FrameDecoder(), FrameDecoder()
        self._ended = threading.Event()
        #: the floor opens no session and keeps none alive: this does it for the floor
        self._by_itself = open_session
        if open_session:
            self._open()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _open(self) -> None:
        for number, command in enumerate((Command.PULSE, Command.OPEN, Command.CLOSE, Command.OPEN)):
            self._simulator.receive(command().encode(), 0.1 * number)
        self._simulator.transmit(0.35)

    def _run(self) -> None:
        os.set_blocking(self._master, False)
        start = time.monotonic() - 0.4
        while not self._ended.wait(0.001):
            now = time.monotonic() - start
            with contextlib.suppress(BlockingIOError):
                data = os.read(self._master, 4096)
                for frame in self._from_client.feed(data, now):
                    instruction = decode(frame.data)
                    if instruction and instruction.command is Command.VEL and instruction.value:
                        self.vel_received = time.monotonic()
                self._simulator.receive(data, now)
            if self._by_itself:
                self._simulator.receive(Command.PULSE().encode(), now)
            self._say(self._simulator.transmit(now), now)

    def _say(self, data: bytes, now: float) -> None:
        if data:
            sip = any(isinstance(parse(frame.data), Sip) for frame in self._to_client.feed(data, now))
            os.write(self._master, data)
            if sip:
                self.sip_written = time.monotonic()

    def end(self) -> None:
        self._ended.set()
        self._thread.join()
        os.close(self._master)


#: What is measured: unit, goal of the ratio.
_FIGURES = {
    "SIP written -> Odometry received, median": ("ms", 1.25),
    "cmd_vel published -> VEL on the wire, median": ("ms", 1.25),
    "CPU without velocities": ("%", 1.3),
    "CPU with 10 velocities a second": ("%", 1.3),
    "resident memory": ("MB", 1.2),
}
#: The command line of the node.
DRIVER = ("python", "-m", "amigobot_driver.ros.main", "--ros-args", "-p", "port:={port}")
_FLOOR = ("python", "-m", "benchmarks.floor", "{port}", str(_MESSAGES))


def node() -> Iterator[Row]:
    """The node on a pty beside the floor, in alternating rounds: read by one subscriber, then with every topic read."""
    for readers, every_topic in (("", False), (", all topics read", True)):
        ours, floor = [], []
        for _ in range(_ROUNDS):
            ours.append(measure(DRIVER, open_session=False, every_topic=every_topic))
            floor.append(measure(_FLOOR, open_session=True, every_topic=every_topic))
        for name, (unit, goal) in _FIGURES.items():
            yield row(name + readers, unit, goal, [each[name] for each in ours], [each[name] for each in floor])


def measure(
    command: Sequence[str],
    *,
    open_session: bool,
    every_topic: bool,
    beside: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext,
) -> dict[str, float]:
    """Run a program on a simulated robot, without and with velocities; returns the figures by name.

    Args:
        command: The program; {port} is replaced.
        open_session: Open a session with the robot for it.
        every_topic: Subscribe to every topic.
        beside: Runs something else meanwhile.
    """
    robot = Robot("amigo", open_session=open_session)
    process = subprocess.Popen(
        [word.format(port=robot.port) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
    )
    context = rclpy.Context()
    rclpy.init(context=context, args=[])
    client = rclpy.create_node("bench", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(client)
    try:
        with beside():
            return _listen(client, executor, robot, process.pid, every_topic=every_topic)
    finally:
        client.destroy_node()
        rclpy.shutdown(context=context)
        process.send_signal(signal.SIGINT)
        process.wait(60)
        robot.end()


def _listen(
    client: Node, executor: SingleThreadedExecutor, robot: Robot, pid: int, *, every_topic: bool
) -> dict[str, float]:
    arrived: list[float] = []
    latencies: list[float] = []
    client.create_subscription(Odometry, "odom", lambda _: arrived.append(time.monotonic() - robot.sip_written), 10)
    for topic, kind in _TOPICS.items() if every_topic else ():
        client.create_subscription(kind, topic, lambda _: None, 10, raw=True)
    publisher = client.create_publisher(Twist, "cmd_vel", 1)
    twist = Twist()
    twist.linear.x = 0.1
    sent = 0.0

    def spend(seconds: float, *, driving: bool) -> float:
        """Let time pass; returns the share of it that the program kept a core busy."""
        nonlocal sent
        cpu, start = _cpu(pid), time.monotonic()
        while (now := time.monotonic()) - start < seconds:
            if driving and now - sent >= 0.1:
                if sent and robot.vel_received > sent:
                    latencies.append(robot.vel_received - sent)
                sent = time.monotonic()
                publisher.publish(twist)
            executor.spin_once(timeout_sec=0.005 if driving else 0.1)
        return (_cpu(pid) - cpu) / (time.monotonic() - start)

    while len(arrived) < 20:
        executor.spin_once(timeout_sec=0.1)
    spend(1.0, driving=False)
    idle = spend(_SECONDS, driving=False)
    spend(1.0, driving=True)
    arrived.clear()
    driven = spend(_SECONDS, driving=True)
    memory = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    values = (1e3 * statistics.median(arrived), 1e3 * statistics.median(latencies), 100 * idle, 100 * driven, memory)
    return dict(zip(_FIGURES, values, strict=True))


def _cpu(pid: int) -> float:
    """CPU seconds of a process so far, to the nanosecond: its clock, as clock_getcpuclockid(3) numbers it."""
    return time.clock_gettime(~pid << 3 | 2)
