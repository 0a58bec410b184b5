# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The robot's FLASH, from which it starts. The driver writes it on request only (Erratic: SAVE)."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import RequestRefusedError
from ...protocol import ErraticCommand
from ..command_queue import QUEUE_FULL, Priority
from ..component import Component, Context
from ..outcome import Outcome


class Flash(Component):
    """Saves the tuning values of an Erratic."""

    def __init__(self, context: Context, at_rest: Callable[[], bool]) -> None:
        """Make the component.

        Args:
            context: The robot's.
            at_rest: Returns whether the robot is at rest and no motion is requested.
        """
        super().__init__(context)
        self._at_rest = at_rest

    def save(self) -> Outcome:
        """Write the tuning values of the robot to its FLASH, once.

        Raises:
            RequestRefusedError: the robot moves, has no such command, or too many commands wait.
        """
        self._context.require(ErraticCommand.SAVE)
        if not self._at_rest():
            raise RequestRefusedError("the robot must be at rest while it writes its FLASH: stop it first")
        # After the raw commands that were requested before: their values are saved, too.
        if not self._context.queue.put(ErraticCommand.SAVE(), Priority.RAW):
            raise RequestRefusedError(f"SAVE is not sent: {QUEUE_FULL}")
        return Outcome(True, "SAVE was sent; the robot does not confirm it, but shows these values after a restart")
