# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The robot of the dashboard, for a program that runs beside it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress

from amigobot_driver import AmigoBot, AmigoBotError
from amigobot_driver.robot import Event, LinkChanged, Options, Robot


class SharedDriver:
    """Has the interface of `amigobot_driver.driver.Driver`; its robot is that of an `AmigoBot` that is connected.

    Args:
        robot: Its options are those that the program asks for; they are set when the driver starts.
        listener: Called with each event.
        bot: Has the robot.
    """

    def __init__(self, robot: Robot, listener: Callable[[Event], None], bot: AmigoBot) -> None:
        self._options, self._listener, self._bot = robot.options, listener, bot
        self._driver = bot._driver
        self.failed = self._driver.failed  #: set when a thread of the driver has ended with an error
        self.clock = self._driver.clock

    def start(self) -> None:
        """Set the options, and switch the motors on if they say so."""
        changed = {
            field.name: getattr(self._options, field.name)
            for field in dataclasses.fields(Options)
            if getattr(self._options, field.name) != getattr(Options(), field.name) and field.name != "profile"
        }
        self._subscription = self._bot.subscribe(self._listener, Event)
        if connected := self._bot._hub.newest(LinkChanged):
            self._listener(connected)
        if changed:
            self._bot.configure(**changed)
        if self._options.motors_on_connect:
            self._bot.enable_motors()

    def robot(self) -> AbstractContextManager[Robot]:
        """Lock the robot for a `with` block."""
        return self._driver.robot()

    def close(self) -> None:
        """Stop the robot and switch its motors off; the dashboard keeps the connection. May be called twice."""
        self._subscription.cancel()
        with suppress(AmigoBotError):
            self._bot.stop()
            self._bot.enable_motors(False)
