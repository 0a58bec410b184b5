# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Commands whose effect no packet shows: each is sent several times, as frames may be lost, and in every session."""

from __future__ import annotations

from ..protocol import CommandTable, Instruction, Value
from .component import Component, Context

REPEATS = 3  # times that each command is sent
SPACING = 0.3  # s between two of them


class UnconfirmedCommands(Component):
    """The requested commands, one for each subject; the newest replaces the one before."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._commands: dict[object, Instruction] = {}
        self._left: dict[object, int] = {}  #: times that each is still sent
        self._configured: dict[CommandTable, Value] = {}
        self._timer = context.sends.timer(self._send)

    def request(self, subject: object, command: Instruction, now: float) -> None:
        """Send a command now and at the start of each session to come.

        Args:
            subject: what the command sets; an earlier command with an equal subject is replaced.
            command: what to send.
            now: Time in s.
        """
        self._commands[subject] = command
        self._start(subject, now)

    def configure(self, command: CommandTable, value: Value, now: float) -> None:
        """Request a command by its value in the options, if that has changed; None leaves the robot's own."""
        if value == self._configured.get(command):
            return
        self._configured[command] = value
        if value is None:
            self._commands.pop(command, None)
            self._left.pop(command, None)
        else:
            self.request(command, command(value), now)

    def on_session_start(self, now: float) -> None:
        """Send every command again."""
        for subject in self._commands:
            self._start(subject, now)

    def on_session_end(self, reason: str) -> None:
        """Stop sending."""
        self._left.clear()
        self._timer.cancel()

    def _start(self, subject: object, now: float) -> None:
        """Begin now; without a robot the next session begins it."""
        command = self._commands[subject]
        self._left.pop(subject, None)
        if not (reason := self._context.unsupported(command.command)):
            self._left[subject] = REPEATS
            self._timer.set(now)
        elif not self._context.no_robot():
            self._context.notify(f"{command} is not sent: {reason}")

    def _send(self, now: float) -> None:
        for subject in self._left:
            self._context.queue.put(self._commands[subject])
        self._left = {subject: left - 1 for subject, left in self._left.items() if left > 1}
        if self._left:
            self._timer.set(now + SPACING)
