# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What every source of the dashboard can do."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from amigobot_driver.profiles import Profile

from ...state import Remote, RobotState
from ..examination import Examination
from ..messages import Request
from ..packets import FrameLog

Result = TypeVar("Result")

#: Threads for requests that wait for a robot.
_workers = ThreadPoolExecutor(6, "dashboard-request")


class Unstepped:
    """A source that needs no steps, and whose requests wait in threads."""

    period = math.inf

    def step(self) -> None:
        """Do nothing."""

    async def perform(self, call: Callable[[], Result]) -> Result:
        """Call something in a thread."""
        return await asyncio.get_running_loop().run_in_executor(_workers, call)


class Source(Protocol):
    """A robot, simulated or real, or what is recorded of one. Methods return at once unless they say otherwise."""

    #: port, simulator, node or recording
    kind: str
    frames: FrameLog
    period: float  #: s after which `step` is due again

    @property
    def remote(self) -> Remote:
        """The robot as all tools see it."""
        ...

    @property
    def requests(self) -> Mapping[str, Request]:
        """Requests by name, besides those that every source has."""
        ...

    @property
    def profile(self) -> Profile | None:
        """The robot's profile; None while it is not known."""
        ...

    def step(self) -> None:
        """Do what is due."""
        ...

    async def perform(self, call: Callable[[], Result]) -> Result:
        """Call something that may wait for the robot; meanwhile the loop goes on. Returns its result."""
        ...

    def state(self) -> RobotState:
        """Return what is known of the robot now."""
        ...

    def live(self) -> dict[str, Any]:
        """Return what changes all the time besides the state of the robot; sent with every frame."""
        ...

    def sections(self) -> dict[str, Any]:
        """Return what changes seldom, by name; asked once a second. A section is sent when it has changed."""
        ...

    def watch_frames(self, on: bool) -> None:
        """Start or stop the log of the frames on the line: the packet inspector is open, or was closed. May wait."""
        ...

    def examination(self) -> Examination | None:
        """Return what the doctor does with this source now; None where there is nothing to examine.

        Raises:
            RequestRefusedError: It cannot be examined now; the message says why.
        """
        ...

    def close(self) -> None:
        """Stop the robot if this program drives it, and end the connection."""
        ...
