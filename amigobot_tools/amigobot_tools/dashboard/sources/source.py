# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What every source of the dashboard can do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from amigobot_driver.profiles import Profile

from ...state import Remote, RobotState
from ..examination import Examination
from ..messages import Request
from ..packets import FrameLog


class Source(Protocol):
    """A robot, simulated or real, or what is recorded of one. Methods return at once unless they say otherwise."""

    #: port, simulator, node or recording
    kind: str
    frames: FrameLog

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
