# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Starts the processes of a demo, watches them, and ends them in the order that leaves the robot at rest."""

from __future__ import annotations

import math
import os
import select
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .live import Live, describe
from .processes import Child
from .report import Phase, Report, reports
from .simulation import Simulation
from .tour import TOURS

#: s between two checks of the processes
_CHECK_PERIOD = 0.1
#: s that the start of the simulator, the connection to the robot, the tour, and stopping after it may take
_SIMULATOR, _READY, _TOUR, _STOP = 10.0, 60.0, 120.0, 3.0


class DemoError(Exception):
    """The demo failed; the message is one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the user may choose."""

    out: Path
    port: str = ""  #: of a real robot; empty: simulate one
    tour: str = "room"
    seconds: float = math.inf  #: drive no longer than this
    ros: bool = True  #: through an amigobot_node; otherwise through the Python API


class Supervisor:
    """The processes of one demo. Use it as a context manager: leaving it ends all of them.

    Methods that wait raise DemoError, and KeyboardInterrupt once `interrupted` returns True.
    """

    def __init__(self, options: Options, domain: int | None, live: Live, interrupted: Callable[[], bool]) -> None:
        self._options = options
        self._live = live
        self._interrupted = interrupted
        self._variables = _variables(domain)
        self._children: dict[str, Child] = {}
        self.simulation = None if options.port else Simulation(options.out)
        self.bag = options.out / "bag"  #: what is recorded with ROS
        self.packets = options.out / "tour.amigo"  #: what is recorded without
        self.last = Report(phase=Phase.WAITING)

    @property
    def with_ros(self) -> bool:
        """Whether the robot is driven through a node."""
        return self._options.ros

    def __enter__(self) -> Supervisor:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def start(self) -> None:
        """Start everything, and wait until the driver has found a robot. Raises DemoError."""
        options, simulation = self._options, self.simulation
        if simulation:
            self._start("simulator", "amigobot_driver.cli", *simulation.arguments)
        if options.ros:
            self._start_driver("ros")
        if simulation:
            self._watch(lambda: simulation.serving, _SIMULATOR, "the simulator does not start")
        port = str(simulation.port) if simulation else options.port
        if options.ros:
            self._start_node(port)
        else:
            self._start_driver(port)
        self._watch(lambda: self.last.phase is Phase.READY, _READY, "the robot is not found")
        if options.ros:
            self._watch(self._recording, _READY, "the recorder does not receive the topics of the node")

    def wait_for_line(self) -> str:
        """Return the next line of standard input; the processes run meanwhile. Raises DemoError."""
        self._watch(lambda: bool(select.select([sys.stdin], [], [], 0)[0]), math.inf, "")
        return sys.stdin.readline().strip()

    def drive(self) -> None:
        """Let the driver drive its tour. Raises DemoError."""
        driver = self._children["driver"]
        driver.say("go")
        self._watch(lambda: self.last.phase is Phase.DONE and driver.status == 0, _TOUR, "the tour does not end")

    def end(self) -> None:
        """End everything that runs: first what commands the robot, then what talks to it, last the robot."""
        for name in ("driver", "node", "recorder"):
            self._end(name)
        deadline = time.monotonic() + _STOP
        while self.simulation and not self.simulation.at_rest and time.monotonic() < deadline:
            time.sleep(_CHECK_PERIOD)
        self._end("simulator")

    def robot_faults(self) -> list[str]:
        """After the end: what is wrong with how the robot was left."""
        if self.simulation:
            faults = {
                "the simulated robot was left in an open session": not self.simulation.session_closed,
                "the simulated robot was left driving": not self.simulation.at_rest,
            }
            return [fault for fault, is_so in faults.items() if is_so]
        name = "node" if self._options.ros else "driver"
        child = self._children.get(name)
        return [f"the {name} did not end well; the robot may still be in a session"] if child and child.status else []

    def faults(self) -> list[str]:
        """After the end: what did not end as it should."""
        ends = {name: child.status for name, child in self._children.items()}
        return [*self.robot_faults(), *(f"the {name} ended with status {end}" for name, end in ends.items() if end)]

    def _start_driver(self, port: str) -> None:
        options = self._options
        self._start("driver", f"{__package__}.driver", port, options.tour, str(self.packets), str(options.seconds))

    def _start_node(self, port: str) -> None:
        """Start the node, with the limits of the tour, and the recorder."""
        tour = TOURS[self._options.tour]
        parameters = {
            "port": port,
            # Each demo begins at the origin.
            "odometry_state_max_age": 0.0,
            # They wait for the driver to need them.
            "motors_on_connect": "false",
            "max_linear_velocity": tour.speed,
            "max_angular_velocity": tour.turn_rate,
        }
        settings = [word for name, value in parameters.items() for word in ("-p", f"{name}:={value}")]
        self._start("node", "amigobot_driver.ros.main", "--ros-args", *settings)
        self._start("recorder", "amigobot_tools.bag", "record", str(self.bag))

    def _start(self, name: str, module: str, *arguments: str) -> None:
        log = self._options.out / f"{name}.log"
        self._children[name] = Child(name, [sys.executable, "-m", module, *arguments], log, self._variables)

    def _end(self, name: str) -> None:
        if child := self._children.get(name):
            child.end()

    def _recording(self) -> bool:
        """Whether the recorder receives all topics of the node, judged by the slowest."""
        log = self._children["recorder"].text
        return all(f"recording {topic} " in log for topic in ("/odom", "/battery_state", "/diagnostics", "/cmd_vel"))

    def _watch(self, done: Callable[[], bool], seconds: float, problem: str) -> None:
        """Wait for a condition and show the reports. Raises DemoError after `seconds`, or when a child ends."""
        deadline = time.monotonic() + seconds
        while True:
            if self._interrupted():
                self._live.say("stopping the robot, closing its session ...")
                raise KeyboardInterrupt
            # In this order: the last output of a child that has just ended is still read.
            ended = [child for child in self._children.values() if child.status is not None]
            self._read_output()
            if done():
                return
            for child in ended:
                raise DemoError(f"the {child.name} has ended with status {child.status}")
            if time.monotonic() > deadline:
                raise DemoError(problem)
            time.sleep(_CHECK_PERIOD)

    def _read_output(self) -> None:
        if "driver" not in self._children:
            return
        for report in reports(self._children["driver"].new_lines()):
            before, self.last = self.last, report
            if report.phase is Phase.FAILED:
                raise DemoError(report.text)
            if report.phase is Phase.DRIVING:
                self._live.show(describe(report))
            elif report.phase is Phase.WAITING and report.text != before.text:
                self._live.say(report.text)


def _variables(domain: int | None) -> Mapping[str, str]:
    """The environment of the processes: with ROS a domain of their own, on this machine only."""
    variables = dict(os.environ)
    if domain is not None:
        for name in ("ROS_LOCALHOST_ONLY", "ROS_STATIC_PEERS", "ROS_NAMESPACE"):
            variables.pop(name, None)
        variables["ROS_DOMAIN_ID"] = str(domain)
        variables["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    return variables
