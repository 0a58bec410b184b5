# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A command that is sent again until the robot's packets show its effect, or a limit is reached.

The protocol acknowledges nothing, so every request is made in this way. A component defines what to send, which packets
show the effect, and what to report if they do not:

    class Charger(RequestComponent):
        name = "charger"
        retries = RetryPolicy(interval=1.0, limit=5)

        def deploy(self, now: float) -> Future[Outcome]:
            self._context.require(Command.CHARGE)
            return self.request(now)

        def _commands(self) -> Iterable[Instruction]:
            return [Command.CHARGE(1)]

        def _confirmation(self, sip: Sip) -> str:
            return sip.charge_name if sip.charging else ""

        def _failure(self) -> str:
            return f"{self._sent()}, the robot does not charge: is it in front of its dock?"
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from ..protocol import Instruction, Packet, Sip
from .component import Component, Context
from .outcome import Outcome, finish


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often a command is sent before the request fails."""

    interval: float  #: s between two attempts
    limit: int  #: attempts
    afterwards: float = 0.0  #: s between the attempts after the limit, for as long as it takes; 0: none are made

    @property
    def duration(self) -> float:
        """Time in s from the first attempt until the request fails."""
        return self.interval * self.limit


class RequestComponent(Component):
    """A component with one request, and the callers that wait for its result; the request ends with the session.

    A method that makes a request raises RequestRefusedError if the robot is not to be asked. The future that it returns
    has what the robot has done.

    Attributes:
        name: Begins the names of the counters.
        retries: How often to send.
        confirmed_by: The packet types that can show the effect; `_update` gets all of them.
        requested: The state that is requested again in each session; None: there is none.
        reported: The state that packets of this session have shown; None: they have not, or no device needs it.
        attempts: Attempts of the pending request, or of the last one.
        resent: Repeated commands since the component was made, for the diagnostics.
        given_up: Requests that failed after the last attempt, likewise.
        pending: The request is neither confirmed nor failed.
    """

    name: str
    retries: RetryPolicy
    confirmed_by: tuple[type[Packet], ...] = (Sip,)
    requested: Any = None
    reported: Any = None

    def __init__(self, context: Context) -> None:
        """Make the component; nothing is sent before `start`."""
        super().__init__(context)
        self.attempts = 0
        self.resent = 0
        self.given_up = 0
        self.pending = False
        self._announced = False  #: that attempts are made after the limit: once until the robot responds
        self._timer = context.sends.timer(self._attempt)
        self._callers: list[Future[Outcome]] = []  #: those who wait for the result
        for kind in self.confirmed_by:
            context.on_packet(kind, self._on_packet)

    # -- what a subclass defines ------------------------------------------------------------------------------

    @abstractmethod
    def _commands(self) -> Iterable[Instruction]:
        """Return what to send in each attempt."""

    def _update(self, packet: Any, stamp: float, now: float) -> None:
        """Take what a packet of `confirmed_by` reports, in every session, before `_confirmation` is asked."""

    def _confirmation(self, packet: Any) -> str:
        """Return what the robot reports, as the message of a success; "" while the packet does not show the effect."""
        return ""

    def _confirmation_after_interval(self) -> str:
        """Return the same at the end of each interval, for effects that no single packet shows."""
        return ""

    @abstractmethod
    def _failure(self) -> str:
        """Return what the robot reports instead, as the message of a failure, after the last attempt.

        It may end the request by itself and return "".
        """

    # -- the request ------------------------------------------------------------------------------------------

    def start(self, now: float) -> None:
        """Begin with the first attempt at `now` (s), again if the request is pending already."""
        self.pending = True
        self.attempts = 0
        self._timer.set(now)

    def request(self, now: float) -> Future[Outcome]:
        """Start, and return the future result. Earlier callers keep waiting and get the same result."""
        self.start(now)
        return self.new_caller()

    def new_caller(self) -> Future[Outcome]:
        """Return the future result of the pending request."""
        self._callers.append(Future())
        return self._callers[-1]

    def replace(self, now: float) -> Future[Outcome]:
        """Start a request for something else, and return the future result. Earlier callers fail."""
        self._finish(False, f"{self._label}: another request replaced this one")
        return self.request(now)

    def succeed(self, message: str) -> None:
        """End the request: the robot has confirmed it."""
        self.pause()
        self._finish(True, message)

    def fail(self, message: str) -> None:
        """End the request without a result from the robot, for example because the session has ended."""
        self.pending = False
        self._timer.cancel()
        self._finish(False, message)

    def pause(self) -> None:
        """Stop sending; the callers wait until the request is started again or ended."""
        self._announced = self.pending = False
        self._timer.cancel()

    def give_up(self, message: str) -> None:
        """Fail after the last attempt; if no caller waits, emit a Notice. With `afterwards` the attempts go on."""
        self.given_up += 1
        if afterwards := self.retries.afterwards:
            message += f"; it is requested every {afterwards:.0f} s from now on, see diagnostics"
        if not (self._callers or self._announced):
            self._context.notify(message)
        if afterwards:
            self._announced = True
            self._finish(False, message)
        else:
            self.fail(message)

    def on_session_start(self, now: float) -> None:
        """Request the state again."""
        self.reported = None
        if self.requested is not None:
            self.start(now)

    def on_session_end(self, reason: str) -> None:
        """Fail the pending request."""
        self.fail(f"{self._label}: {reason}")

    def counters(self) -> Mapping[str, int]:
        """Return how often the command was sent again, and given up."""
        return {f"{self.name}_resent": self.resent, f"{self.name}_given_up": self.given_up}

    @property
    def _label(self) -> str:
        """The name in messages."""
        return self.name.replace("_", " ")

    def _sent(self, commands: str = "") -> str:
        """Return the first part of the message of a failure: what was sent, how often and for how long.

        Args:
            commands: Commands as text; "": those of the request.
        """
        commands = commands or " and ".join(map(str, self._commands()))
        return f"sent {commands} {self.retries.limit} times in {self.retries.duration:g} s"

    def _finish(self, success: bool, message: str) -> None:
        """Give the result to every caller."""
        callers, self._callers = self._callers, []
        for future in callers:
            finish(future, Outcome(success, message))

    def _attempt(self, now: float) -> None:
        policy = self.retries
        if self.attempts and (message := self._confirmation_after_interval()):
            self.succeed(message)
            return
        if self.attempts == policy.limit:
            if message := self._failure():
                self.give_up(message)
            if not self.pending:
                return
        for command in self._commands():
            self._context.queue.put(command)
        self.resent += self.attempts > 0
        self.attempts += 1
        self._timer.set(now + (policy.interval if self.attempts <= policy.limit else policy.afterwards))

    def _on_packet(self, packet: Packet, stamp: float, now: float) -> None:
        self._update(packet, stamp, now)
        # A packet that was on its way before the first attempt confirms nothing.
        if self.pending and self.attempts and (message := self._confirmation(packet)):
            self.succeed(message)
