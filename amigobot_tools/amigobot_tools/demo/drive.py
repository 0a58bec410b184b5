# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Follows a tour with a robot, and keeps what it reports."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ..governor import free_distance
from ..state import Remote, RobotState
from .launch import DemoError, wait_for
from .tour import Pose, Pursuit, Tour

_PERIOD = 0.05  # s between two velocities
_BLOCKED = 5.0  # s that the robot waits for a free path
_STOP_TIMEOUT = 5.0  # s until the robot is at rest
_SAME = 0.04  # s between two readings of a sonar, at least
_BAR = 8  # characters


@dataclass(slots=True)
class Drive:
    """What was seen of a tour. Poses and points are in the odometry frame."""

    tour: Tour
    state: RobotState  #: the newest
    seconds: float = 0.0
    progress: float = 0.0  #: from 0 to 1
    planned: float = 0.0  #: m along the path that the robot should have driven
    poses: list[tuple[float, float, float, float]] = field(default_factory=list)  #: Unix time (s), x, y (m), yaw
    echoes: list[tuple[float, float, float]] = field(default_factory=list)  #: Unix time, x, y in the base frame (m)
    _fired: dict[int, float] = field(default_factory=dict)  #: Unix time (s) of the newest reading, by sonar

    def update(self, state: RobotState) -> None:
        """Keep what the robot reports."""
        self.state, now = state, time.time()
        self.poses.append((now, state.x, state.y, state.yaw))
        for number, echo in enumerate(state.echoes):
            fired = now - echo.age
            if math.isfinite(echo.range) and fired - self._fired.get(number, 0.0) > _SAME:
                self._fired[number] = fired
                self.echoes.append((fired, *echo.point))

    @property
    def line(self) -> str:
        """The progress in one line that fits a narrow terminal."""
        done, state = round(self.progress * _BAR), self.state
        nearest = min((echo.range for echo in state.echoes), default=math.nan)
        return (
            f"[{'#' * done}{'.' * (_BAR - done)}] {self.progress:4.0%}  {state.x:5.2f} {state.y:5.2f} m  "
            f"{state.linear:4.2f} m/s  sonar {nearest:4.2f} m  {state.volts:4.1f} V  {state.link['packets']} packets"
        )


def ready(state: RobotState) -> bool:
    """Return whether everything that is needed for driving is known."""
    known = state.connected and state.body is not None and math.isfinite(state.x) and state.link
    return bool(known) and not _objection(state, 0.0)


def _objection(state: RobotState, clearance: float) -> str:
    """Why the robot must not drive forward; "" if it may."""
    if not state.connected or state.body is None:
        return state.note
    ahead = free_distance(state.echoes, state.body, forward=True)
    if math.isnan(ahead):
        return "the sonars that look ahead are silent"
    return f"something is {ahead:.2f} m ahead: clear {clearance:g} m" if ahead < clearance else ""


def follow(remote: Remote, tour: Tour, seconds: float, check: Callable[[], None], show: Callable[[str], None]) -> Drive:
    """Drive a tour, and stop.

    Args:
        remote: The robot; `ready`.
        tour: Begins where the robot is.
        seconds: Stop after this time at the latest.
        check: Called at least 10 times a second; may raise.
        show: Called with the progress.

    Raises:
        DemoError: The robot cannot drive the tour; the message says why.
    """
    pursuit, drive = Pursuit(tour), Drive(tour, remote.state())
    drive.update(drive.state)
    start = Pose(*drive.poses[0][1:])
    began = free_at = time.monotonic()
    while not pursuit.finished and (now := time.monotonic()) < began + seconds:
        check()
        state = remote.state()
        drive.update(state)
        if state.stalls:
            raise DemoError("a wheel is stalled")
        linear, angular = pursuit.steer(*Pose(state.x, state.y, state.yaw).seen_from(start))
        why = _objection(state, tour.clearance) if linear > 0 or not state.connected else ""
        if not why:
            free_at = now
        elif now > free_at + _BLOCKED:
            raise DemoError(why)
        remote.drive(0.0 if why else linear, 0.0 if why else angular)
        drive.progress, drive.planned = pursuit.progress, pursuit.distance
        show(drive.line)
        time.sleep(_PERIOD)
    drive.seconds = time.monotonic() - began
    remote.stop()

    def at_rest() -> bool:
        drive.update(remote.state())
        return drive.state.at_rest

    time.sleep(2 * _PERIOD)
    if not wait_for(at_rest, _STOP_TIMEOUT, check):
        raise DemoError("the robot does not come to rest")
    time.sleep(0.2)  # the next packet has the pose at rest
    drive.update(remote.state())
    return drive
