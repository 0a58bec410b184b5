# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A program under test as a process, and the ROS client that reads what it publishes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import rclpy
from nav_msgs.msg import Odometry
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

#: Messages of the floor for each SIP: odom, tf, joint states, status, cloud, io, battery, and ranges.
MESSAGES = 11
_END_TIMEOUT = 60.0  # s in which a program ends


def driver(port: str, *parameters: str) -> list[str]:
    """Return the command of the driver on a port, with parameters as "name:=value"."""
    arguments = [word for each in (f"port:={port}", *parameters) for word in ("-p", each)]
    return [sys.executable, "-m", "amigobot_driver.ros.main", "--ros-args", *arguments]


def floor(*port: str) -> list[str]:
    """Return the command of the floor on a port; without one it is an idle node."""
    return [sys.executable, "-m", "benchmarks.floor", *port, *([str(MESSAGES)] if port else [])]


class Program:
    """A running program."""

    def __init__(self, command: Sequence[str]) -> None:
        self.started = time.monotonic()  #: s
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)

    def cpu(self) -> float:
        """CPU seconds so far, to the nanosecond: the clock of the process, as clock_getcpuclockid(3) numbers it."""
        return time.clock_gettime(~self._process.pid << 3 | 2)

    def memory(self) -> float:
        """Resident memory in MB."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def end(self) -> None:
        """End the program as Ctrl-C does, or kill it if it does not end."""
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(_END_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Client:
    """A ROS node that subscribes and publishes."""

    def __init__(self) -> None:
        self._context = rclpy.Context()
        rclpy.init(context=self._context, args=[])
        self.node: Node = rclpy.create_node("bench", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)

    def stamps(self, topic: str) -> list[float]:
        """Return a list that receives the stamp (s) of each odometry message from now on."""
        stamps: list[float] = []

        def on_odometry(message: Odometry) -> None:
            stamps.append(message.header.stamp.sec + message.header.stamp.nanosec * 1e-9)

        self.node.create_subscription(Odometry, topic, on_odometry, 100)
        return stamps

    def spin(self, seconds: float, timeout: float = 0.1) -> None:
        """Receive for some seconds."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._executor.spin_once(timeout_sec=min(timeout, left))

    def wait(self, condition: Callable[[], object], deadline: float = 60.0) -> None:
        """Receive until the condition holds.

        Raises:
            TimeoutError: It does not hold in time (s).
        """
        end = time.monotonic() + deadline
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"the program under test has not done what is measured within {deadline:g} s")
            self._executor.spin_once(timeout_sec=0.1)

    def close(self) -> None:
        """Leave ROS."""
        self._executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self._context)


@contextmanager
def running(command: Sequence[str]) -> Iterator[tuple[Program, Client]]:
    """A program and a client, both ended after the block. The client is there first."""
    client = Client()
    try:
        program = Program(command)
        try:
            yield program, client
        finally:
            program.end()
    finally:
        client.close()
