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
from collections.abc import Iterator
from pathlib import Path

import rclpy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.executors import SingleThreadedExecutor

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Command, FrameDecoder, Sip, decode, parse
from amigobot_driver.sim import Simulator

from .report import Row

_SECONDS = 15.0
#: odom, tf, joint states, status, cloud and two ranges go out with every SIP.
_MESSAGES = 7
_TICKS = os.sysconf("SC_CLK_TCK")


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


def node() -> Iterator[Row]:
    """The driver's node with everything it publishes, against a bare one that sends as many messages."""
    ours = _measure("amigobot_node", "--ros-args", "-p", "port:={port}", open_session=False)
    floor = _measure("python", "-m", "benchmarks.floor", "{port}", str(_MESSAGES), open_session=True)
    for what, unit, scale in (
        ("SIP written -> Odometry received, median", "ms", 1e3),
        ("SIP written -> Odometry received, 95 %", "ms", 1e3),
        ("cmd_vel published -> VEL on the wire, median", "ms", 1e3),
        ("CPU at 10 SIPs and 10 cmd_vel a second", "%", 100.0),
        ("resident memory", "MB", 1.0),
    ):
        mine, least = ours[what], floor[what]
        yield Row(what, f"{scale * mine:.2f} {unit}", f"{scale * least:.2f} {unit}", mine / least)


def _measure(*command: str, open_session: bool) -> dict[str, float]:
    robot = Robot("amigo", open_session=open_session)
    process = subprocess.Popen(
        [word.format(port=robot.port) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
    )
    try:
        return _listen(robot, process.pid)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)
        robot.end()


def _listen(robot: Robot, pid: int) -> dict[str, float]:
    context = rclpy.Context()
    rclpy.init(context=context, args=[])
    client = rclpy.create_node("bench", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(client)
    arrived: list[float] = []
    client.create_subscription(Odometry, "odom", lambda _: arrived.append(time.monotonic() - robot.sip_written), 10)
    publisher = client.create_publisher(Twist, "cmd_vel", 1)
    twist, sent, latencies = Twist(), 0.0, []
    twist.linear.x = 0.1
    while len(arrived) < 20:
        executor.spin_once(timeout_sec=0.1)
    cpu, start = _cpu(pid), time.monotonic()
    arrived.clear()
    while (now := time.monotonic()) - start < _SECONDS:
        if now - sent >= 0.1:
            if sent and robot.vel_received > sent:
                latencies.append(robot.vel_received - sent)
            sent = time.monotonic()
            publisher.publish(twist)
        executor.spin_once(timeout_sec=0.005)
    used = (_cpu(pid) - cpu) / (time.monotonic() - start)
    memory = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    client.destroy_node()
    rclpy.shutdown(context=context)
    return {
        "SIP written -> Odometry received, median": statistics.median(arrived),
        "SIP written -> Odometry received, 95 %": statistics.quantiles(arrived, n=20)[-1],
        "cmd_vel published -> VEL on the wire, median": statistics.median(latencies),
        "CPU at 10 SIPs and 10 cmd_vel a second": used,
        "resident memory": memory,
    }


def _cpu(pid: int) -> float:
    """CPU seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
