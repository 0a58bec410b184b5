# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Commands whose effect no packet shows: each is sent several times, as frames may be lost, and in every session."""

from __future__ import annotations

from ..protocol import CommandTable, Instruction, Value
from .component import Component, Context
from .events import Notice

#: Times that each command is sent, and s between two of them.
REPEATS = 3
SPACING = 0.3


class _Repetition:
    """One command, sent `REPEATS` times from each `start` on."""

    def __init__(self, context: Context, command: Instruction) -> None:
        self.command = command
        self._context = context
        self._left = 0
        self._timer = context.sends.timer(self._send)

    def start(self, now: float) -> None:
        """Begin now; without a robot the next session begins it."""
        if reason := self._context.unsupported(self.command.command):
            if not self._context.no_robot():
                self._context.emit(Notice(f"{self.command} is not sent: {reason}"))
            return
        self._left = REPEATS
        self._timer.set(now)

    def cancel(self) -> None:
        self._timer.cancel()

    def _send(self, now: float) -> None:
        self._context.queue.put(self.command)
        self._left -= 1
        if self._left:
            self._timer.set(now + SPACING)


class UnconfirmedCommands(Component):
    """The requested commands, one for each subject; the newest replaces the one before."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._repetitions: dict[object, _Repetition] = {}
        self._configured: dict[CommandTable, Value] = {}

    def request(self, subject: object, command: Instruction, now: float) -> None:
        """Send a command now and at the start of each session to come.

        Args:
            subject: what the command sets; an earlier command with an equal subject is replaced.
            command: what to send.
            now: Time in s.
        """
        self._release(subject)
        self._repetitions[subject] = _Repetition(self._context, command)
        self._repetitions[subject].start(now)

    def configure(self, command: CommandTable, value: Value, now: float) -> None:
        """Request a command by its value in the options, if that has changed; None leaves the robot's own."""
        if value == self._configured.get(command):
            return
        self._configured[command] = value
        if value is None:
            self._release(command)
        else:
            self.request(command, command(value), now)

    def on_session_start(self, now: float) -> None:
        """Send every command again."""
        for repetition in self._repetitions.values():
            repetition.start(now)

    def on_session_end(self, reason: str) -> None:
        """Stop sending."""
        for repetition in self._repetitions.values():
            repetition.cancel()

    def _release(self, subject: object) -> None:
        if before := self._repetitions.pop(subject, None):
            before.cancel()
