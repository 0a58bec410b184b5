# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A robot as tools see it, without a robot; and how a test waits."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from amigobot_driver import SonarReading
from amigobot_driver.profiles import load_profile
from amigobot_tools.state import RobotState

AMIGO = load_profile("amigo")
#: s that nothing here ever takes, on however slow a machine
PATIENCE = 60.0


def until(condition: Callable[[], Any], what: str) -> Any:
    """Wait for a condition; returns its value."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, f"not within {PATIENCE} s: {what}"
        time.sleep(0.01)
    return found


def echoes(ahead: float = 3.0, side: float = 3.0, behind: float = 3.0, age: float = 0.0) -> tuple[SonarReading, ...]:
    """Readings of the sonars of an AmigoBot."""
    readings = []
    for number, pose in enumerate(AMIGO.sonar.poses):
        angle = abs(math.degrees(pose.heading))
        distance = ahead if angle < 30 else behind if angle > 100 else side
        readings.append(SonarReading(number, distance, age, pose.x, pose.y, pose.heading))
    return tuple(readings)


FREE = RobotState(connected=True, profile=AMIGO, echoes=echoes(), x=0, y=0, yaw=0, linear=0, angular=0)


class FakeRemote:
    """Notes what is asked of the robot."""

    where = "test"

    def __init__(self) -> None:
        self.now = FREE
        self.velocities: list[tuple[float, float]] = []
        self.calls: list[str] = []
        self.lines: list[str] = []

    def state(self) -> RobotState:
        return self.now

    def drive(self, linear: float, angular: float) -> str:
        self.velocities.append((linear, angular))
        return ""

    def stop(self) -> None:
        self.calls.append("stop")

    def emergency_stop(self) -> None:
        self.calls.append("emergency_stop")

    def clear_emergency_stop(self) -> None:
        self.calls.append("clear_emergency_stop")

    def messages(self) -> list[str]:
        lines, self.lines = self.lines, []
        return lines

    def close(self) -> None:
        self.calls.append("close")
