# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a source of the dashboard can do, beside what every remote can."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from amigobot_driver import RequestRefusedError
from amigobot_driver.doctor import Finding, Target
from amigobot_driver.packet_file import RecordedFrame

from ...state import Remote
from ..backlog import Backlog
from ..messages import Request, requests_of

Result = TypeVar("Result")

_MAX_FRAMES = 40  #: frames on the line in one message
#: Threads for requests that wait for a robot.
_workers = ThreadPoolExecutor(6, "dashboard-request")


@dataclass(frozen=True, slots=True)
class Examination:
    """An examination that can be made now."""

    target: Target
    #: yields the findings as they come; is called with a function that takes what is done now
    findings: Callable[[Callable[[str], None]], Iterator[Finding]]
    rests: bool = False  #: the sensors are examined: the robot must be at rest


class Source(Remote):
    """A robot, simulated or real, or what is recorded of one. Methods return at once unless they say otherwise.

    A method `do_NAME` is the request NAME; it may wait for the robot.
    """

    kind: str  #: port, simulator, node or recording
    period = math.inf  #: s after which `step` is due again
    examined = True  #: whether the doctor can do something

    @cached_property
    def frames(self) -> Backlog[RecordedFrame]:
        """The newest frames on the line."""
        return Backlog(_MAX_FRAMES)

    @cached_property
    def requests(self) -> dict[str, Request]:
        """Requests by name, besides those that every source has."""
        return requests_of(self)

    def step(self) -> None:
        """Do what is due."""

    async def perform(self, call: Callable[[], Result]) -> Result:
        """Call something that may wait for the robot, while the loop goes on. Return its result."""
        return await asyncio.get_running_loop().run_in_executor(_workers, call)

    def live(self) -> dict[str, Any]:
        """Return what changes all the time besides the state of the robot; sent with every frame."""
        return {}

    def sections(self) -> dict[str, Any]:
        """Return what changes seldom, by name; asked once a second. A section is sent when it has changed."""
        return {}

    def watch_frames(self, on: bool) -> None:
        """Begin or end to log the frames on the line, for packet inspectors; called with every frame."""

    def examination(self) -> Examination:
        """Return what the doctor does with this source now.

        Raises:
            RequestRefusedError: It cannot be examined now; the message says why.
        """
        raise RequestRefusedError("there is no robot to examine")
