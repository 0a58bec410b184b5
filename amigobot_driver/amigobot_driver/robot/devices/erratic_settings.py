# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What only an Erratic has: the PWM of its motors, and SAVE, which writes its FLASH (docs/protocol 4.2).

CONFIG reports the PWM as counts of a timer: pwm_max and pwm_wrap.
"""

from __future__ import annotations

from collections.abc import Callable

from ...errors import RequestRefusedError
from ...protocol import CommandTable, ErraticCommand
from ..command_queue import Priority
from ..component import Component, Context
from ..outcome import Outcome
from ..unconfirmed import REPEATS, UnconfirmedCommands

FREQUENCIES = (4000, 16000)  #: Hz of the PWM that the robot takes, least and most
DUTIES = (0.01, 1)  #: shares of full power that the robot takes, least and most


def pwm_values(frequency: float, max_duty: float) -> dict[CommandTable, int]:
    """Return the value of each command for a frequency (Hz) and a share of full power; 0 leaves the command out.

    Raises:
        ValueError: A value is out of range.
    """
    for name, value, (low, high), unit in (
        ("frequency", frequency, FREQUENCIES, "Hz"),
        ("max_duty", max_duty, DUTIES, "of full power"),
    ):
        if value and not low <= value <= high:
            raise ValueError(f"{name} is {value:g}, allowed: 0 (keeps the robot's value) or {low:g} to {high:g} {unit}")
    values = {ErraticCommand.PWM_FREQ: round(frequency), ErraticCommand.PWM_DUTY: round(max_duty * 100)}
    return {command: value for command, value in values.items() if value}


class ErraticSettings(Component):
    """Sets the PWM of both motors, and saves the tuning values."""

    def __init__(self, context: Context, unconfirmed: UnconfirmedCommands, at_rest: Callable[[], bool]) -> None:
        """Make the component.

        Args:
            context: The robot's.
            unconfirmed: Sends the commands.
            at_rest: Returns whether the robot is at rest and no motion is requested.
        """
        super().__init__(context)
        self._unconfirmed, self._at_rest = unconfirmed, at_rest

    def set_pwm(self, frequency: float, max_duty: float, now: float) -> Outcome:
        """Set the PWM of both motors.

        Args:
            frequency: Hz, 4000 to 16000; 0 leaves it.
            max_duty: share of full power, 0.01 to 1; 0 leaves it.
            now: Time in s.

        Raises:
            RequestRefusedError: both are 0, or the robot has no such commands.
            ValueError: A value is out of range.
        """
        self._context.require(ErraticCommand.PWM_FREQ)
        commands = [command(value) for command, value in pwm_values(frequency, max_duty).items()]
        if not commands:
            raise RequestRefusedError("frequency and max_duty are both 0: nothing is requested")
        for command in commands:
            self._unconfirmed.request(command.command, command, now)
        sent = " and ".join(map(str, commands))
        remark = "the robot does not confirm it: compare pwm_max with pwm_wrap in its answer to CONFIG"
        return Outcome(True, f"{sent}, sent {REPEATS} times; {remark}")

    def save(self) -> Outcome:
        """Write the tuning values of the robot to its FLASH, once.

        Raises:
            RequestRefusedError: the robot moves, or has no such command.
        """
        self._context.require(ErraticCommand.SAVE)
        if not self._at_rest():
            raise RequestRefusedError("the robot must be at rest while it writes its FLASH: stop it first")
        # After the raw commands that were requested before: their values are saved, too.
        return self._context.queue.send_once("SAVE", ErraticCommand.SAVE(), priority=Priority.RAW)
