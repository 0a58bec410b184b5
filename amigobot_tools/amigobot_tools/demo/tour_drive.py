# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Follows a tour with a robot, and keeps what it reports."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..geometry import Pose
from ..governor import governed
from ..state import Remote, RobotState
from .programs import DemoError
from .tour import Pursuit, Tour

_PERIOD = 0.05  # s between two velocities
_REPORT = 2.0  # s between two lines
_BLOCKED = 5.0  # s that the robot waits for a free path
_STOP_TIMEOUT = 5.0  # s until the robot is at rest
_STOP_CHECK_PERIOD = 0.3  # s between two checks of that: some packets
_MAX_AGE = 0.15  # s since a sonar has fired


@dataclass(slots=True)
class TourLog:
    """The log of a tour, in the odometry frame."""

    state: RobotState  #: the newest
    times: list[float] = field(default_factory=list)  #: s, Unix time
    poses: list[Pose] = field(default_factory=list)  #: at these times
    hits: list[Pose] = field(default_factory=list)  #: what the sonars saw

    def update(self, state: RobotState) -> None:
        """Keep what the robot reports."""
        self.state = state
        self.times.append(time.time())
        self.poses.append(Pose(state.x, state.y, state.yaw))
        fresh = [echo for echo in state.echoes if echo.age <= _MAX_AGE and math.isfinite(echo.range)]
        self.hits += [Pose(*state.in_odometry_frame(echo.point), 0.0) for echo in fresh]

    def placed(self, origin: Pose) -> TourLog:
        """Return the same in another frame, in which the origin of this one has a pose."""
        poses, hits = ([pose.transformed_by(origin) for pose in of] for of in (self.poses, self.hits))
        return replace(self, poses=poses, hits=hits)


def follow(remote: Remote, tour: Tour, seconds: float, check: Callable[[], None]) -> TourLog:
    """Drive a tour, and stop on every exit.

    Args:
        remote: The robot. The tour begins where it is.
        tour: The path.
        seconds: Stop after this time at the latest.
        check: Called at least 10 times a second; may raise.

    Raises:
        DemoError: The robot cannot drive the tour; the message says why.
    """
    pursuit, drive = Pursuit(tour), TourLog(remote.state())
    drive.update(drive.state)
    began = free_at = next_line = time.monotonic()
    with _stopped_at_the_end(remote, drive):
        while not pursuit.finished and (now := time.monotonic()) < began + seconds:
            check()
            drive.update(state := remote.state())
            if state.stalls:
                raise DemoError("a wheel is stalled")
            requested, angular = pursuit.steer(*drive.poses[-1].seen_from(drive.poses[0]))
            linear = governed(requested, state.echoes, state.profile)
            refused = remote.drive(linear, angular) or ("" if state.connected else state.note)
            if not refused and (linear or not requested):
                free_at = now
            elif now > free_at + _BLOCKED:
                raise DemoError(refused or "something is ahead of the robot")
            if now >= next_line:
                next_line = now + _REPORT
                print(f"{pursuit.progress:4.0%}  x {state.x:5.2f} m  y {state.y:5.2f} m  {state.linear:4.2f} m/s")
            time.sleep(_PERIOD)
    return drive


@contextmanager
def _stopped_at_the_end(remote: Remote, drive: TourLog) -> Iterator[None]:
    try:
        yield
    finally:
        remote.stop()
        end, moving = time.monotonic() + _STOP_TIMEOUT, True
        while moving and time.monotonic() < end:
            time.sleep(_STOP_CHECK_PERIOD)
            drive.update(remote.state())
            moving = not drive.state.at_rest


def read_truth(path: Path, times: Sequence[float]) -> list[Pose]:
    """Return the true poses between the first and the last of some times (s, Unix time).

    Args:
        path: What `amigobot sim --truth` has written.
        times: Of the drive.
    """
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [Pose(line["x"], line["y"], line["heading"]) for line in lines if times[0] <= line["t"] <= times[-1]]
