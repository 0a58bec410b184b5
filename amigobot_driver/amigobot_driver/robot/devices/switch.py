# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A switch of the robot that its SIP reports (motors, sonar): requested until it is confirmed, then followed."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from ...protocol import Command, Instruction, Packet
from ...wording import on_or_off
from ..component import Context
from ..outcome import Outcome, finished
from ..request import RequestComponent, RetryPolicy

#: Number of commands for a robot whose packets do not report the switch.
UNREPORTED = 3


class Switch(RequestComponent):
    """A switch of the robot. `requested` and `reported` are its states; what is not requested is left alone."""

    #: The interval is long enough for the next SIP, and the whole short enough for a person to wait.
    retries = RetryPolicy(interval=0.3, limit=8)

    requested: bool | None
    reported: bool | None

    def __init__(
        self, context: Context, name: str, command: Command, flag: int = 0, requested: bool | None = None
    ) -> None:
        """Make a switch.

        Args:
            context: The robot's.
            name: What is switched, as in "motors on".
            command: 1 switches on, 0 off.
            flag: The bits of the SIP's flags of which one at least is set while it is on.
            requested: The state to request in the first session; None: leave it as it is.
        """
        self.name = name
        super().__init__(context)
        self.requested = requested
        self._command, self._flag = command, flag
        self._given_up = False  #: in this session: the request waits for the next one

    @property
    def switching_on(self) -> bool:
        """Whether it is being switched on and not confirmed yet."""
        return self.requested is True and self.pending

    @property
    def problem(self) -> str:
        """Description of a request that failed; "" if there is none."""
        if not self._given_up or self.requested is None:
            return ""
        return f"the robot does not switch its {self.name} {on_or_off(self.requested)}"

    def set(self, on: bool, now: float) -> Future[Outcome]:
        """Switch.

        Returns:
            The result, when the robot has confirmed it or the retries are over.
        """
        if reason := self._context.no_robot():
            return finished(Outcome(False, f"{self.name}: {reason}"))
        self.requested, self._given_up = on, False
        return self.replace(now)

    def on_session_start(self, now: float) -> None:
        """Request the state again."""
        self._given_up = False
        super().on_session_start(now)

    def _state(self, packet: Any) -> bool | None:
        """Return the state that a packet reports; None if it does not."""
        return None if packet.UNREPORTED & self._flag else bool(packet.flags & self._flag)

    def _update(self, packet: Packet, stamp: float, now: float) -> None:
        before, self.reported = self.reported, self._state(packet)
        if self.reported == self.requested:
            self._given_up = False
        elif self.reported is not None and not (self.pending or self._given_up or self.requested is None):
            # The request follows the report: the MOTORS button is the operator's decision.
            self.requested = self.reported
            if before is not None:
                verb = "were" if self.name.endswith("s") else "was"
                self._context.notify(f"the {self.name} {verb} switched {on_or_off(self.reported)} at the robot")

    def _commands(self) -> list[Instruction]:
        return [self._command(int(bool(self.requested)))]

    def _confirmation(self, packet: Packet) -> str:
        if self.reported is None or self.reported != self.requested:
            return ""
        if any(map(self._context.queue.holds, self._commands())):
            return ""  # it would undo what a person at the robot does after the confirmation
        return f"{self.name} {on_or_off(self.reported)}, confirmed by the robot"

    def _confirmation_after_interval(self) -> str:
        if self.reported is not None or self.attempts < UNREPORTED:
            return ""
        return (
            f"{self.name} {on_or_off(self.requested)}, sent {self.attempts} times; "
            "this robot's packets do not report it"
        )

    def _failure(self) -> str:
        sent = self._sent()
        if self._callers:
            # The caller gets the failure, so the switch must not follow later.
            self.requested = self.reported
        else:
            # A request from before this session, whose commands may be lost, waits for the next session.
            self._given_up = True
        reported = "nothing" if self.reported is None else f"{self.name} {on_or_off(self.reported)}"
        return f"{sent}; the robot reports {reported}"
