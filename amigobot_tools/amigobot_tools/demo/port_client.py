# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A robot at a port, through the Python API, with a recording of its packets."""

from __future__ import annotations

import math
import threading
import time
from concurrent.futures import Future
from pathlib import Path

from amigobot_driver import AmigoBot, AmigoBotError, ConnectionLostError, Options
from amigobot_driver.cli.record import record_packets

from .client import Answer
from .guard import Guard
from .tour import Pose, Tour

_PERIOD = 0.02  #: s between two readings of the robot's state


class PortClient:
    """Connects to a robot and records its packets.

    Args:
        port: Port of the robot.
        tour: Gives the speed limits and the clearance of the `guard`.
        recording: File to write.
        timeout: Seconds to wait for the robot.

    Raises:
        AmigoBotError: There is no robot; the message says why.
    """

    def __init__(self, port: str, tour: Tour, recording: Path, timeout: float) -> None:
        self.name = ""
        self.pose: Pose | None = None
        self.received_at = -math.inf
        self.speed = self.turn_rate = self.volts = math.nan
        self.packets = 0
        self.link = "connecting"
        self.stalled = False
        options = Options(motors_on_connect=False, trace=True, max_linear=tour.speed, max_angular=tour.turn_rate)
        self._robot = AmigoBot(port, timeout=timeout, options=options)
        self.name = self._robot.identity.name
        self.guard = Guard(self._robot.profile.sonar.poses, tour.clearance)
        self._stamp = math.nan  #: of the newest report
        self._ended = threading.Event()
        self._recorder = threading.Thread(
            target=record_packets, args=(self._robot, recording, self._ended.is_set), name="recorder"
        )
        self._recorder.start()

    def ready(self) -> bool:
        """Return whether everything that is needed for driving is there."""
        return self.pose is not None and not self.guard.silent_sonar(time.monotonic())

    def drive(self, linear: float, angular: float) -> None:
        """Request a velocity, m/s and rad/s, which expires after 0.5 s. A robot that is lost stops by itself."""
        try:
            self._robot.drive(linear, angular)
        except AmigoBotError as error:
            self.link = str(error)

    def call(self, request: str) -> Future[Answer]:
        """Make a request: enable_motors, reset_odometry or stop."""
        answer: Future[Answer] = Future()
        try:
            if request == "enable_motors":
                self._robot.enable_motors()
            elif request == "reset_odometry":
                self._robot.reset_odometry()
            else:
                self._robot.stop()
            answer.set_result(Answer(True, ""))
        except AmigoBotError as error:
            answer.set_result(Answer(False, str(error)))
        return answer

    def listen(self, seconds: float) -> None:
        """Take in what the robot reports for that long."""
        end = time.monotonic() + seconds
        self._update()
        while (remaining := end - time.monotonic()) > 0:
            time.sleep(min(_PERIOD, remaining))
            self._update()

    def close(self) -> None:
        """Stop the robot, close its session and the recording."""
        try:
            self._robot.close()
        finally:
            self._ended.set()
            self._recorder.join()

    def _update(self) -> None:
        now, link = time.monotonic(), self._robot.link
        self.link, self.packets = link.note, link.packets
        try:
            report, sonars = self._robot.report, self._robot.sonar
        except ConnectionLostError:
            return
        odometry = report.odometry
        self.pose = Pose(odometry.x, odometry.y, odometry.yaw)
        self.speed, self.turn_rate = odometry.linear, odometry.angular
        self.volts = report.volts
        self.stalled = report.left_stalled or report.right_stalled
        if report.stamp != self._stamp:
            self._stamp, self.received_at = report.stamp, now
        for number, sonar in enumerate(sonars):
            if not math.isnan(sonar.range):
                self.guard.update(number, sonar.range, now - sonar.age)
