# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""RESET: the controller reboots and loses its settings; the session connects again."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future

from ...protocol import Command, Instruction
from ..component import Context
from ..outcome import Outcome
from ..request import RequestComponent, RetryPolicy

#: s after the request within which the robot must be connected again.
LIMIT = 60.0


class ControllerReset(RequestComponent):
    """Sends RESET until the session ends; the request succeeds when the next session has started."""

    name = "reset"
    #: If packets still arrive after this interval, RESET counts as lost and is sent again.
    retries = RetryPolicy(interval=1.5, limit=3)
    confirmed_by = ()

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._rebooting = False  #: the session has ended because of RESET
        self._deadline = context.timeouts.timer(self._on_deadline)

    def reset(self, now: float) -> Future[Outcome]:
        """Reset the controller once. The caller must have stopped the robot.

        Returns:
            The result, when the next session has started or a time limit has passed.
        """
        self._context.require(Command.RESET)
        self._deadline.set(now + LIMIT)
        return self.request(now)

    def on_session_start(self, now: float) -> None:
        """Succeed if the session before ended because of RESET."""
        self._deadline.cancel()
        if self._rebooting:
            self._rebooting = False
            self.succeed("the robot was reset and is connected again")

    def on_session_end(self, reason: str) -> None:
        """Wait for the next session if RESET was sent; else the request fails."""
        if self.pending and self.attempts:
            # The end of this session is what was requested.
            self._rebooting = True
            self.pause()
        elif not self._rebooting:
            self.fail(reason)

    def _commands(self) -> Iterable[Instruction]:
        return [Command.RESET()]

    def _failure(self) -> str:
        return f"{self._sent()}; the robot continues without a reset: press RESET on the robot"

    def _on_deadline(self, now: float) -> None:
        if not (self._rebooting or self.pending):
            return
        self._rebooting = False
        reason = self._context.unsupported(Command.RESET)
        self.give_up(f"RESET was sent, and the robot is not connected again: {reason}")
