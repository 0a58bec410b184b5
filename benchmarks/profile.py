# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Where the CPU of a SIP and of a velocity goes, by thread and function, in the driver and in the floor.

    python -m benchmarks.profile            the table, and results/profile.json for the plot
    python -m benchmarks.profile --rounds 1

Each function of `_SPANS` reads the CPU clock of its thread when it begins and when it ends, in the running node; what
it takes is counted without the functions of the list that it calls. The figures include the clocks, 1 to 2 us for each
function. Only `odom` has a subscriber. The third column has the same packets at 200 a second: the code is warm then.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

from .report import write_result

#: File of the result.
PROFILE = "profile.json"
#: s of each period, and how much faster the robot's clock runs in the last one.
_SECONDS, _SPEED = 8.0, 20.0
PERIODS = ("for each SIP", "more for each velocity", "for each SIP, 200 a second")
#: What is not a Python thread of the program: the middleware's.
_OTHERS = "threads of the middleware"
_NAMES = {
    "amigobot-reader": "reader",
    "amigobot-writer": "writer",
    "amigobot-velocity": "velocity",
    "amigobot-second": "each second",
    "amigobot-odometry-file": "odometry file",
    "MainThread": "main",
    "floor-reader": "reader",
}
#: Whose a span is.
RCLPY, KERNEL, OURS = "rclpy", "port", "driver"
_Span = tuple[str, str, str, str]
_RCLPY: tuple[_Span, ...] = (
    ("rclpy.publisher", "Publisher.publish", "publish", RCLPY),
    ("rclpy.publisher", "Publisher.get_subscription_count", "count the subscribers", RCLPY),
    ("rclpy.executors", "SingleThreadedExecutor._spin_once_impl", "executor: wait set, take, callback", RCLPY),
)
_FLOOR: tuple[_Span, ...] = (*_RCLPY, ("os", "read", "wait and read", KERNEL), ("os", "write", "write", KERNEL))
_DRIVER: tuple[_Span, ...] = (
    *_RCLPY,
    ("transport.serial", "SerialPort.read", "wait and read", KERNEL),
    ("transport.serial", "SerialPort.write", "write", KERNEL),
    ("driver", "Driver._read_once", "loop of the reader thread, lock", OURS),
    ("driver", "Driver._write_due", "frames that are due", OURS),
    ("driver", "Driver._deliver_events", "events to the listener", OURS),
    ("driver", "Driver.robot", "lock for a request", OURS),
    ("robot.link", "RobotLink.receive", "link: session, dialect, dispatch", OURS),
    ("robot.link", "RobotLink.poll", "deadlines", OURS),
    ("robot.link", "RobotLink.take", "command queue", OURS),
    ("robot.link", "RobotLink.dispatch_pending", "dispatch to the components", OURS),
    ("robot.link", "parse", "parse the SIP", OURS),
    ("protocol.decoder", "FrameDecoder.feed", "find and check the frame", OURS),
    ("robot.packet_clock", "PacketClock.measurement_time", "clock of the robot", OURS),
    ("robot.robot", "Robot.on_sip", "robot: report", OURS),
    ("robot.sensing.state_estimator", "StateEstimator.update", "state estimator", OURS),
    ("robot.sensing.odometry", "Odometer.update", "odometry, jumps, covariance", OURS),
    ("robot.sensing.battery", "BatteryMonitor.update", "battery", OURS),
    ("robot.robot", "Robot._on_sip", "sonar health, motion goals", OURS),
    ("robot.devices.switch", "Switch._on_sip", "motors and sonar switch", OURS),
    ("robot.monitors.link_timing", "LinkTiming._on_sip", "link timing", OURS),
    ("robot.monitors.stalls", "StallMonitor._on_sip", "stalls", OURS),
    ("robot.monitors.standstill", "StandstillMonitor._on_sip", "standstill", OURS),
    ("robot.devices.sonar_sequence", "SonarSequence._on_sip", "sonar sequence", OURS),
    ("robot.motion.motion", "Motion.drive", "velocity: limits, queue", OURS),
    ("ros.node", "AmigobotNode._on_event", "handlers of the node", OURS),
    ("ros.node", "AmigobotNode._each_second", "round of each second", OURS),
    ("odometry_file", "OdometryKeeper._save", "save the pose", OURS),
    ("ros.stamps", "NodeTime.of", "stamp", OURS),
    ("ros.telemetry", "TelemetryPublisher._on_report", "telemetry", OURS),
    ("ros.telemetry", "TelemetryPublisher._publish_sonar", "sonar topics, without a subscriber", OURS),
    ("ros.conversions", "fill_odometry", "fill the odometry message", OURS),
    ("ros.commands", "VelocityInput._drive", "velocity of a message", OURS),
)

_Path = tuple[str, ...]


class _Recorder:
    """Measures the spans in the program itself. Each thread has its own stack and sums."""

    def __init__(self) -> None:
        self._local = threading.local()
        self._sums: dict[str, dict[_Path, list[int]]] = {}

    def install(self, package: str, spans: tuple[_Span, ...]) -> None:
        """Replace the functions by measured ones; those that this version does not have are left out."""
        for module_name, function, label, _ in spans:
            outside = module_name == "os" or module_name.startswith("rclpy")
            module = importlib.import_module(module_name if outside else f"{package}.{module_name}")
            owner, _, name = function.rpartition(".")
            place = getattr(module, owner) if owner else module
            if hasattr(place, name):
                setattr(place, name, self._measured(getattr(place, name), label))

    def _measured(self, function: Callable[..., Any], label: str) -> Callable[..., Any]:
        clock, local = time.thread_time_ns, self._local

        @functools.wraps(function)
        def measured(*args: Any, **kwargs: Any) -> Any:
            stack = getattr(local, "stack", None)
            if stack is None:
                stack = local.stack = []
                local.sums = self._sums.setdefault(threading.current_thread().name, defaultdict(lambda: [0, 0]))
            path = (*stack[-1][0], label) if stack else (label,)
            entry = [path, 0]
            stack.append(entry)
            begin = clock()
            try:
                return function(*args, **kwargs)
            finally:
                took = clock() - begin
                stack.pop()
                figures = local.sums[path]
                figures[0] += took - entry[1]
                figures[1] += 1
                if stack:
                    stack[-1][1] += took

        return measured

    def result(self) -> dict[str, dict[str, float]]:
        """Return the CPU of each thread and each span in us, the spans without those inside."""
        found: dict[str, dict[str, float]] = {}
        seen = 0.0
        for thread in threading.enumerate():
            if thread.ident is None or thread.name == "benchmark":
                continue
            total = time.clock_gettime_ns(time.pthread_getcpuclockid(thread.ident)) / 1e3
            seen += total
            spans = {"/".join(path): took / 1e3 for path, (took, _) in dict(self._sums.get(thread.name, {})).items()}
            found[thread.name] = {"": total - sum(spans.values()), **spans}
        own = time.clock_gettime_ns(time.CLOCK_THREAD_CPUTIME_ID) / 1e3
        found[_OTHERS] = {"": time.process_time_ns() / 1e3 - seen - own}
        return found


def _run_measured(kind: str) -> None:
    """Run the driver or the floor in this process; print the sums for each line of the input."""
    recorder = _Recorder()
    names = iter(("floor-reader",) if kind == "floor" else ())

    def answer() -> None:
        for _ in sys.stdin:
            print(json.dumps(recorder.result()), flush=True)

    threading.Thread(target=answer, name="benchmark", daemon=True).start()
    if kind == "floor":
        recorder.install("", _FLOOR)
        start = threading.Thread.start

        def named(thread: threading.Thread) -> None:
            thread.name = next(names, thread.name)
            start(thread)

        threading.Thread.start = named  # type: ignore[method-assign]
        importlib.import_module("benchmarks.floor")
    else:
        recorder.install("amigobot_driver", _DRIVER)
        sys.exit(importlib.import_module("amigobot_driver.ros.main").main())


class _Measured:
    """The program as a process that measures itself."""

    def __init__(self, kind: str, arguments: list[str]) -> None:
        command = [sys.executable, "-m", "benchmarks.profile", f"--{kind}", *arguments]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def sums(self) -> Counter[tuple[str, str]]:
        """CPU in us so far, by thread and span."""
        assert self._process.stdin and self._process.stdout
        print(file=self._process.stdin, flush=True)
        found = json.loads(self._process.stdout.readline())
        return Counter({(_NAMES.get(t, t), span): took for t, spans in found.items() for span, took in spans.items()})

    def end(self) -> None:
        """End the program."""
        self._process.send_signal(2)
        self._process.communicate(timeout=60)


_Figures = dict[tuple[str, str], list[float]]


def _measure(kind: str) -> list[dict[tuple[str, str], float]]:
    """Return us by thread and span for the three periods."""
    from geometry_msgs.msg import Twist
    from nav_msgs.msg import Odometry

    from .program import MESSAGES, Client
    from .robot import Robot

    client, robot = Client(), Robot(open_session=kind == "floor")
    arguments = [robot.port, str(MESSAGES)] if kind == "floor" else ["--ros-args", "-p", f"port:={robot.port}"]
    sips, velocities = [0], [0]

    def on_odometry(_: Odometry) -> None:
        sips[0] += 1

    def drive() -> None:
        velocities[0] += 1
        publisher.publish(twist)

    client.node.create_subscription(Odometry, "odom", on_odometry, 10)
    publisher = client.node.create_publisher(Twist, "cmd_vel", 1)
    twist = Twist()
    twist.linear.x = 0.1
    timer = client.node.create_timer(0.1, drive)
    timer.cancel()
    program = _Measured(kind, arguments)

    def period() -> tuple[Counter[tuple[str, str]], int, int]:
        client.spin(1.5)
        begin, before = (sips[0], velocities[0]), program.sums()
        client.spin(_SECONDS)
        after = program.sums()
        after.subtract(before)
        return after, sips[0] - begin[0], velocities[0] - begin[1]

    try:
        client.wait(lambda: sips[0] >= 30)
        idle, count, _ = period()
        timer.reset()
        driven, driven_sips, driven_velocities = period()
        timer.cancel()
        robot.accelerate(_SPEED)
        warm, warm_sips, _ = period()
    finally:
        program.end()
        client.close()
        robot.end()
    return [
        {key: took / count for key, took in idle.items()},
        {
            key: (took - idle[key] * driven_sips / count) / driven_velocities
            for key, took in (driven | {key: driven[key] for key in idle}).items()
        },
        {key: took / warm_sips for key, took in warm.items()},
    ]


def _average(rounds: list[list[dict[tuple[str, str], float]]]) -> _Figures:
    keys = list(dict.fromkeys(key for each in rounds for period in each for key in period))
    return {
        key: [sum(each[place].get(key, 0.0) for each in rounds) / len(rounds) for place in range(len(PERIODS))]
        for key in keys
    }


def owners() -> dict[str, str]:
    """Return whose each span is: of rclpy, the port or the driver."""
    return {label: owner for *_, label, owner in _DRIVER + _FLOOR}


def _print(kind: str, figures: _Figures) -> None:
    whose = owners()
    totals: dict[str, list[float]] = {}
    by_owner: dict[str, list[float]] = {}
    threads: dict[str, dict[str, list[float]]] = {}
    for (thread, span), values in figures.items():
        threads.setdefault(thread, {})[span] = values
        owner = whose.get(span.rpartition("/")[2], _OTHERS if thread == _OTHERS else "Python, threads")
        for sums, key in ((totals, thread), (by_owner, owner)):
            sums[key] = [a + b for a, b in zip(sums.get(key, [0.0] * len(PERIODS)), values, strict=True)]
    print(f"\n{kind}, us of CPU" + " " * (46 - len(kind)) + "".join(f"{name:>28}" for name in PERIODS))
    for thread, total in sorted(totals.items(), key=lambda item: -item[1][0]):
        if max(total) < 0.5:
            continue
        _line(f"thread {thread}", total)
        for span, values in sorted(threads[thread].items()):
            depth = span.count("/") + 1 if span else 1
            if max(values) >= 0.5:
                label = span.rpartition("/")[2]
                _line("  " * depth + (label or "outside the functions below"), values, whose.get(label, ""))
    for owner, total in sorted(by_owner.items(), key=lambda item: -item[1][0]):
        _line(f"all of: {owner}", total)
    _line("all", [sum(column) for column in zip(*totals.values(), strict=True)])


def _line(label: str, values: list[float], owner: str = "") -> None:
    print(f"{label:52}{owner:>8}" + "".join(f"{value:28.0f}" for value in values), flush=True)


def main() -> None:
    """Measure driver and floor in alternating rounds and print both."""
    description = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.profile", description=description)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    os.environ["ROS_DOMAIN_ID"] = str(50 + os.getpid() % 50)
    found: dict[str, list[list[dict[tuple[str, str], float]]]] = {"driver": [], "floor": []}
    load = [os.getloadavg()[0]]
    for _ in range(rounds):
        for kind, results in found.items():
            results.append(_measure(kind))
            load.append(os.getloadavg()[0])
    figures = {kind: _average(results) for kind, results in found.items()}
    for kind, values in figures.items():
        _print(kind, values)
    print(f"load of the computer {min(load):.1f} to {max(load):.1f}")
    content = {
        kind: [{"thread": thread, "span": span, "us": us} for (thread, span), us in values.items()]
        for kind, values in figures.items()
    }
    write_result(PROFILE, {"periods": PERIODS, "load": [min(load), max(load)], **content})


if __name__ == "__main__":
    child = next((word for word in ("--driver", "--floor") if word in sys.argv), None)
    if child:
        sys.argv.remove(child)
        _run_measured(child[2:])
    else:
        main()
