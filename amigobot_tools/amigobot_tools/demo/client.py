# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The robot as the program that drives sees it: through a running node, or through the Python API."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import Protocol

from .guard import Guard
from .tour import Pose

#: m/s and rad/s below which a robot is at rest
_AT_REST = 0.005, 0.01


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request."""

    success: bool
    message: str


class Client(Protocol):
    """One robot. Values are updated by `listen`, and in the odometry frame."""

    guard: Guard
    name: str
    pose: Pose | None
    received_at: float  #: s on the monotonic clock, of the newest pose
    speed: float  #: m/s
    turn_rate: float  #: rad/s
    volts: float
    packets: int
    link: str  #: state of the connection in words

    @property
    def stalled(self) -> bool:
        """Whether a wheel is stalled."""
        ...

    def ready(self) -> bool:
        """Return whether everything that is needed for driving is there."""
        ...

    def drive(self, linear: float, angular: float) -> None:
        """Request a velocity, m/s and rad/s."""
        ...

    def call(self, request: str) -> Future[Answer]:
        """Make a request: enable_motors, reset_odometry or stop."""
        ...

    def listen(self, seconds: float) -> None:
        """Take in what the robot reports for that long."""
        ...

    def close(self) -> None:
        """End the connection."""
        ...


def at_rest(client: Client) -> bool:
    """Return whether the wheels do not turn."""
    return abs(client.speed) <= _AT_REST[0] and abs(client.turn_rate) <= _AT_REST[1]
