# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The robot of the dashboard, for a program that runs beside it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

from amigobot_driver import AmigoBotError
from amigobot_driver.robot import Event, LinkChanged, Notice, Options, Robot

from ..dashboard.sources.stepped import SteppedBot
from .task import Task


class SharedDriver:
    """Has the interface of `amigobot_driver.driver.Driver`; its robot is that of a `SteppedBot` that has one already.

    Args:
        robot: Its options are those that the program asks for; they are set when the driver starts.
        listener: Called with each event.
        bot: Has the robot.
        task: Runs the program.
    """

    def __init__(self, robot: Robot, listener: Callable[[Event], None], bot: SteppedBot, task: Task) -> None:
        self._options, self._listener, self._bot, self._task = robot.options, listener, bot, task
        self._driver = bot.paced

    def start(self) -> None:
        """Set the options, and switch the motors on if they say so."""
        with self.robot() as robot:
            self._listener(LinkChanged(robot.state, robot.note))
        self._driver.listeners.append(self._pass_on)
        usual = asdict(replace(Options(), profile=self._options.profile))
        if changed := {name: value for name, value in asdict(self._options).items() if value != usual[name]}:
            self._bot.configure(**changed)
        if self._options.motors_on_connect:
            self._bot.enable_motors()

    def __getattr__(self, name: str) -> Any:
        """All else is that of the robot's driver, such as its clock."""
        return getattr(self._driver, name)

    def wait(self, condition: Callable[[], object], timeout: float) -> bool:
        """Suspend the program until a condition holds, at most some seconds. Returns whether it holds."""
        return self._task.wait(condition, timeout, self.clock)

    @property
    def is_open(self) -> bool:
        """Whether the program uses the robot."""
        return self._pass_on in self._driver.listeners

    def close(self) -> None:
        """Stop the robot and switch its motors off; the dashboard keeps the connection. May be called twice."""
        if not self.is_open:
            return
        self._driver.listeners.remove(self._pass_on)
        for stop in (self._bot.stop, lambda: self._bot.enable_motors(False)):
            with suppress(AmigoBotError, KeyboardInterrupt):  # the program may be interrupted twice
                stop()

    def _pass_on(self, event: Event) -> None:
        if not isinstance(event, Notice):  # the dashboard has it in its log
            self._listener(event)
