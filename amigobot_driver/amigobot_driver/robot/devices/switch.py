# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A switch of the robot that its SIP reports (motors, sonar): requested until it is confirmed, then followed."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future

from ...protocol import Command, Instruction, Sip
from ...wording import on_or_off
from ..component import Context
from ..outcome import Outcome, finished
from ..request import RequestComponent, RetryPolicy

#: Number of commands for a robot whose packets do not report the switch.
UNREPORTED = 3


class Switch(RequestComponent):
    """A switch of the robot.

    Attributes:
        requested: The requested state; None: the robot's own state is left alone.
        reported: The state in the SIP; None while no SIP has reported it.
    """

    #: The interval is long enough for the next SIP, and the whole short enough for a person to wait.
    retries = RetryPolicy(interval=0.3, limit=8)

    def __init__(self, context: Context, name: str, command: Command, flag: int, requested: bool | None) -> None:
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
        self.requested: bool | None = requested
        self.reported: bool | None = None
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
            return finished(False, f"{self.name}: {reason}")
        self.requested, self._given_up = on, False
        return self.replace(now)

    def on_session_start(self, now: float) -> None:
        """Request the state again."""
        self.reported, self._given_up = None, False
        super().on_session_start(now)

    def on_session_end(self, reason: str) -> None:
        """Fail the pending request."""
        self.fail(f"{self.name}: {reason}")

    def _update(self, sip: Sip, stamp: float, now: float) -> None:
        before, self.reported = self.reported, None
        if sip.UNREPORTED & self._flag:
            return
        self.reported = bool(sip.flags & self._flag)
        if self.reported == self.requested:
            self._given_up = False
        elif not self.pending and not self._given_up and self.requested is not None:
            # The request follows the report: the MOTORS button is the operator's decision.
            self.requested = self.reported
            if before is not None:
                verb = "were" if self.name.endswith("s") else "was"
                self._context.notify(f"the {self.name} {verb} switched {on_or_off(self.reported)} at the robot")

    def _commands(self) -> Iterable[Instruction]:
        return [self._command(int(bool(self.requested)))]

    def _confirmation(self, sip: Sip) -> str:
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
