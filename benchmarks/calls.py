# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Python calls into the package for each SIP and for each velocity, counted by a profile hook in the running node.

    python -m benchmarks.calls      print the calls by thread
    python -m benchmarks.calls -v   print also the functions that are called most

Calls, unlike seconds, are the same on every machine. They are counted while a simulated AmigoBot sends 10 SIPs a
second, first without velocities, then with 10 velocities a second; the difference is what a velocity costs.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from types import FrameType

_SECONDS = 10.0
#: Environment variable that names the file to which the counting process writes.
_FILE = "AMIGOBOT_CALLS"
_THREADS = ("amigobot-reader", "amigobot-writer", "amigobot-velocity", "amigobot-second", "MainThread")


def _count() -> None:
    """Run the node in this process with the hook; write the counts whenever their file is missing."""
    import amigobot_driver
    from amigobot_driver.ros.main import main

    package = str(Path(amigobot_driver.__file__).resolve().parent)
    counts: dict[str, Counter[str]] = {}
    names: dict[object, str] = {}

    def hook(frame: FrameType, event: str, _: object) -> None:
        if event != "call":
            return
        code = frame.f_code
        name = names.get(code)
        if name is None:
            file, function = os.path.realpath(code.co_filename), getattr(code, "co_qualname", code.co_name)
            name = names[code] = f"{file[len(package) + 1 :]}:{function}" if file.startswith(package) else ""
        if name:
            counts.setdefault(threading.current_thread().name, Counter())[name] += 1

    def write() -> None:
        # Not a signal: its handler would wait until the main thread, which waits for ROS, has something to do.
        while True:
            time.sleep(0.05)
            if not os.path.exists(os.environ[_FILE]):
                Path(f"{os.environ[_FILE]}.new").write_text(json.dumps(counts), encoding="utf-8")
                os.replace(f"{os.environ[_FILE]}.new", os.environ[_FILE])

    threading.Thread(target=write, name="benchmark", daemon=True).start()
    threading.setprofile(hook)
    sys.setprofile(hook)
    sys.exit(main())


class _CountingNode:
    """The node as a process that counts its own calls."""

    def __init__(self, port: str) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._file = Path(self._folder.name, "calls.json")
        command = [sys.executable, "-m", "benchmarks.calls", "--count", "--ros-args", "-p", f"port:={port}"]
        self._process = subprocess.Popen(
            command, env={**os.environ, _FILE: str(self._file)}, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
        )

    def counts(self) -> dict[str, Counter[str]]:
        """Calls so far, by thread and function."""
        self._file.unlink(missing_ok=True)
        while not self._file.exists():
            time.sleep(0.05)
        return {thread: Counter(calls) for thread, calls in json.loads(self._file.read_text()).items()}

    def end(self) -> None:
        """End the node."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait(20)
        self._folder.cleanup()


def measure() -> tuple[dict[str, Counter[str]], dict[str, Counter[str]], int, int]:
    """Calls without and with velocities, by thread and function, and the SIPs in each of the two periods."""
    import rclpy
    from geometry_msgs.msg import Twist
    from nav_msgs.msg import Odometry
    from rclpy.executors import SingleThreadedExecutor

    from .robot import Robot

    robot = Robot(open_session=False)
    node = _CountingNode(robot.port)
    context = rclpy.Context()
    rclpy.init(context=context, args=[])
    client = rclpy.create_node("bench", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(client)
    sips = [0]

    def on_odometry(_: Odometry) -> None:
        sips[0] += 1

    client.create_subscription(Odometry, "odom", on_odometry, 10)
    publisher = client.create_publisher(Twist, "cmd_vel", 1)
    timer = client.create_timer(0.1, lambda: publisher.publish(Twist()))
    timer.cancel()

    def spin(seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            executor.spin_once(timeout_sec=0.1)

    periods: list[dict[str, Counter[str]]] = []
    passed: list[int] = []
    try:
        while sips[0] < 50:
            spin(0.2)
        for driven in (False, True):
            if driven:
                timer.reset()
                spin(1.0)
            before, since = node.counts(), sips[0]
            spin(_SECONDS)
            after = node.counts()
            passed.append(sips[0] - since)
            periods.append({thread: after[thread] - before.get(thread, Counter()) for thread in after})
    finally:
        client.destroy_node()
        rclpy.shutdown(context=context)
        node.end()
        robot.end()
    return periods[0], periods[1], passed[0], passed[1]


def _print(title: str, calls: dict[str, float]) -> None:
    print(f"{title:40} {sum(calls.values()):7.0f}   ", end="")
    print(", ".join(f"{thread} {count:.0f}" for thread, count in sorted(calls.items()) if round(count)))


def main() -> None:
    """Print the table; takes about half a minute."""
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    os.environ.setdefault("ROS_DOMAIN_ID", str(50 + os.getpid() % 50))
    without, driven, sips, driven_sips = measure()
    for_sip = {thread: calls.total() / sips for thread, calls in without.items()}
    both = {thread: calls.total() / driven_sips for thread, calls in driven.items()}
    _print("calls for each SIP, no cmd_vel", for_sip)
    _print("additional calls for each cmd_vel", {thread: both[thread] - for_sip.get(thread, 0.0) for thread in both})
    if "-v" in sys.argv:
        for title, period, count in (("SIP", without, sips), ("SIP and cmd_vel", driven, driven_sips)):
            for thread in _THREADS:
                print(f"\n{thread}, calls for each {title}")
                for name, calls in period.get(thread, Counter()).most_common(45):
                    print(f"  {calls / count:6.1f}  {name}")


if "--count" in sys.argv:
    sys.argv.remove("--count")
    _count()
elif __name__ == "__main__":
    main()
