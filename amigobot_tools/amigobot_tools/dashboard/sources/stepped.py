# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A robot whose driver the dashboard steps: simulated, or at a port that never waits."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from amigobot_driver import EventStream, Options
from amigobot_driver.cli.command_line_robot import CommandLineRobot
from amigobot_driver.doctor import Target
from amigobot_driver.packet_file import Head
from amigobot_driver.robot import FrameSeen, LinkChanged

from .paced import PacedDriver
from .port_source import PortSource
from .source import Examination


class SteppedBot(CommandLineRobot):
    """A robot whose driver is stepped by its owner.

    Args:
        port: Name of the port.
        timeout: Seconds to wait for the robot.
        options: Options of the driver.
        new_driver: Makes the driver, from the robot, the name of the port and a listener.
    """

    def __init__(self, port: str, *, timeout: float, options: Options, new_driver: Callable[..., PacedDriver]) -> None:
        self._new_driver = new_driver  # type: ignore[assignment]
        super().__init__(port, timeout=timeout, options=options)

    @property
    def paced(self) -> PacedDriver:
        """The driver."""
        return self._driver  # type: ignore[return-value]

    def begin_recording(self) -> tuple[Head, float, EventStream[Any]]:
        """Return head and time (s) of a recording that begins now, and its events, taken at its end.

        Raises:
            ConnectionLostError: The robot is not connected.
        """
        return self._recording_head(), self.paced.clock(), self.events(FrameSeen, LinkChanged, maxlen=sys.maxsize)


class SteppedSource(PortSource):
    """A robot that has no other port than the driver.

    Args:
        target: What the doctor examines.
        new_driver: As for `SteppedBot`.
        profile: Name or file of a profile; "" chooses it by the identity of the robot.
        timeout: Seconds to wait for the robot; 0: do not wait.
    """

    period = 0.005
    robot: SteppedBot

    def __init__(
        self, target: Target, new_driver: Callable[..., PacedDriver], profile: str = "", timeout: float = 0.0
    ) -> None:
        super().__init__(target, profile, timeout=timeout, make=partial(SteppedBot, new_driver=new_driver))

    def step(self) -> None:
        """Execute what is due."""
        self.robot.paced.step()

    def examination(self) -> Examination:
        """Return the checks of the session."""
        return Examination(self._target, self._examine_session, rests=True)
