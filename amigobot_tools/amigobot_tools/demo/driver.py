# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The process that drives.

    python -m amigobot_tools.demo.driver ros|PORT TOUR RECORDING [SECONDS]

Prints reports on standard output (`report`), and waits for a line on standard input before it moves anything. However
it ends, the robot is at rest afterwards.
"""

from __future__ import annotations

import argparse
import math
import select
import sys
import time
from collections.abc import Callable
from pathlib import Path

from amigobot_driver import AmigoBotError, signals

from .client import Client, at_rest
from .report import Phase, Report
from .tour import TOURS, Pose, Pursuit, Tour

#: s between two velocities, and between two reports
_CYCLE, _REPORT = 0.05, 0.2
#: s to wait for: the robot, an answer, a free path, odometry that has stopped coming, the robot to stop
_FIND, _ANSWER, _PATH_FREE, _ODOMETRY, _STOP = 40.0, 5.0, 5.0, 1.0, 3.0
#: m and rad from the origin within which odometry has been reset
_ORIGIN = 0.01


class TourError(Exception):
    """Why the tour ended early, in one line."""


class Driver:
    """Drives one tour with one robot."""

    def __init__(self, client: Client, tour: Tour) -> None:
        self._client = client
        self._pursuit = Pursuit(tour)
        self._phase = Phase.WAITING
        self._report_due = 0.0

    def drive(self, seconds: float) -> None:
        """Wait for the robot and for the start command, drive, stop. Raises TourError."""
        client = self._client
        self._until(client.ready, _FIND, "no robot is ready to drive")
        self.report(Phase.READY)
        self._wait_for_start()
        self._call("reset_odometry")
        self._until(self._at_origin, _ANSWER, "the odometry does not start at zero")
        self._call("enable_motors")
        self._phase = Phase.DRIVING
        self._follow(seconds)
        self._call("stop")
        self._until(self._is_at_rest, _STOP, "the robot does not come to rest")
        self.report(Phase.DONE)

    def report(self, phase: Phase, text: str = "") -> None:
        """Report the progress."""
        self._phase, now = phase, time.monotonic()
        self._report_due = now + _REPORT
        client = self._client
        report = Report(
            phase=phase,
            text=text or client.link,
            robot=client.name,
            progress=self._pursuit.progress,
            distance=self._pursuit.distance,
            pose=client.pose or Pose(math.nan, math.nan, math.nan),
            speed=client.speed,
            nearest=client.guard.nearest(now),
            volts=client.volts,
            packets=client.packets,
        )
        print(report.line(), flush=True)

    def _wait_for_start(self) -> None:
        while not select.select([sys.stdin], [], [], 0)[0]:
            self._listen(_CYCLE)
        if not sys.stdin.readline():
            raise TourError("not confirmed")

    def _follow(self, seconds: float) -> None:
        start = free = time.monotonic()
        while not self._pursuit.finished and (now := time.monotonic()) < start + seconds:
            if self._client.stalled:
                raise TourError("a wheel is stalled")
            linear, angular, objection = self._steer(now)
            self._client.drive(linear, angular)
            if not objection:
                free = now
            elif now - free > _PATH_FREE:
                raise TourError(objection)
            self._listen(_CYCLE - (time.monotonic() - now))

    def _steer(self, now: float) -> tuple[float, float, str]:
        """The velocities, and the reason why they are zero."""
        pose, silence = self._client.pose, now - self._client.received_at
        if pose is None or silence > _ODOMETRY:
            return 0.0, 0.0, f"no odometry for {silence:.1f} s"
        linear, angular = self._pursuit.steer(*pose)
        if linear > 0.0 and (objection := self._client.guard.objection(now)):
            return 0.0, 0.0, objection
        return linear, angular, ""

    def _at_origin(self) -> bool:
        return self._client.pose is not None and max(map(abs, self._client.pose)) < _ORIGIN

    def _is_at_rest(self) -> bool:
        self._client.drive(0.0, 0.0)
        return at_rest(self._client)

    def _call(self, request: str) -> None:
        answer = self._client.call(request)
        self._until(answer.done, _ANSWER, f"{request}: no answer")
        if not answer.result().success:
            raise TourError(f"{request}: {answer.result().message}")

    def _until(self, condition: Callable[[], bool], seconds: float, problem: str) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise TourError(f"{problem} ({self._client.link or 'its node is silent'})")
            self._listen(_CYCLE)

    def _listen(self, seconds: float) -> None:
        self._client.listen(seconds)
        if time.monotonic() >= self._report_due:
            self.report(self._phase)


def connect(port: str, tour: Tour, recording: Path) -> Client:
    """Connect to a robot at a port, or with "ros" through a node."""
    if port != "ros":
        from .port_client import PortClient

        print(Report(phase=Phase.WAITING, text=f"connecting to {port}").line(), flush=True)
        return PortClient(port, tour, recording, _FIND)
    import rclpy
    from rclpy.signals import SignalHandlerOptions

    from .node_client import NodeClient

    # rclpy's own handlers would end the context at once, and with it the means to stop the robot.
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    return NodeClient(tour.clearance)


def main() -> int:
    """Drive, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m amigobot_tools.demo.driver")
    parser.add_argument("port")
    parser.add_argument("tour", choices=TOURS)
    parser.add_argument("recording", type=Path)
    parser.add_argument("seconds", nargs="?", type=float, default=math.inf)
    arguments = parser.parse_args()
    with signals.first_ends_command():
        return _run(arguments)


def _run(arguments: argparse.Namespace) -> int:
    tour = TOURS[arguments.tour]
    try:
        client = connect(arguments.port, tour, arguments.recording)
    except (AmigoBotError, KeyboardInterrupt, signals.Terminated) as error:
        print(Report(phase=Phase.FAILED, text=str(error) or "interrupted").line(), flush=True)
        return 1
    driver = Driver(client, tour)
    try:
        driver.drive(arguments.seconds)
    except (TourError, KeyboardInterrupt, signals.Terminated) as error:
        client.drive(0.0, 0.0)
        driver.report(Phase.FAILED, str(error) or "interrupted")
        return 1
    finally:
        client.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
