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
            return self._request.request(now)

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
from .events import Notice
from .outcome import Callers, Outcome


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


class ConfirmedRequest:
    """One request to the robot, with the callers that wait for the result.

    Attributes:
        attempts: Attempts of the pending request, or of the last one.
        resent: Repeated commands since the object was made, for the diagnostics.
        given_up: Requests that failed after the last attempt, likewise.
        pending: The request is neither confirmed nor failed.
    """

    def __init__(self, owner: RequestComponent) -> None:
        """Make the request of a component; nothing is sent before `start`."""
        self.attempts = 0
        self.resent = 0
        self.given_up = 0
        self.pending = False
        self._announced = False  #: that attempts are made after the limit: once until the robot responds
        self._owner = owner
        self._context = owner._context
        self._timer = self._context.sends.timer(self._attempt)
        self._callers = Callers()

    @property
    def has_callers(self) -> bool:
        """Whether a caller waits for the result."""
        return bool(self._callers)

    def start(self, now: float) -> None:
        """Begin with the first attempt at `now` (s), again if the request is pending already."""
        self._set_pending(True)
        self.attempts = 0
        self._timer.set(now)

    def request(self, now: float) -> Future[Outcome]:
        """Start, and return the future result. Earlier callers keep waiting and get the same result."""
        self.start(now)
        return self._callers.new_future()

    def replace(self, now: float) -> Future[Outcome]:
        """Start a request for something else, and return the future result. Earlier callers fail."""
        self._callers.finish(False, f"{self._owner.title}: another request replaced this one")
        return self.request(now)

    def succeed(self, message: str) -> None:
        """End the request: the robot has confirmed it."""
        self._announced = False
        self._end(True, message)

    def fail(self, message: str) -> None:
        """End the request without a result from the robot, for example because the session has ended."""
        self._end(False, message)

    def pause(self) -> None:
        """Stop sending; the callers wait until the request is started again or ended."""
        self._announced = False
        self._set_pending(False)
        self._timer.cancel()

    def give_up(self, message: str) -> None:
        """Fail after the last attempt; if no caller waits, emit a Notice. With `afterwards` the attempts go on."""
        self.given_up += 1
        if afterwards := self._owner.retries.afterwards:
            message += f"; it is requested every {afterwards:.0f} s from now on, see diagnostics"
        if not (self._callers or self._announced):
            self._context.emit(Notice(message))
        if afterwards:
            self._announced = True
            self._callers.finish(False, message)
        else:
            self.fail(message)

    def counters(self) -> Mapping[str, int]:
        """`resent` and `given_up` with the name of the request in front."""
        return {f"{self._owner.name}_resent": self.resent, f"{self._owner.name}_given_up": self.given_up}

    def _attempt(self, now: float) -> None:
        policy = self._owner.retries
        if self.attempts and (message := self._owner._confirmation_after_interval()):
            self.succeed(message)
            return
        if self.attempts == policy.limit:
            if message := self._owner._failure():
                self.give_up(message)
            if not self.pending:
                return
        for command in self._owner._commands():
            self._context.queue.put(command)
        self.resent += self.attempts > 0
        self.attempts += 1
        self._timer.set(now + (policy.interval if self.attempts <= policy.limit else policy.afterwards))

    def _check(self, packet: Packet, stamp: float, now: float) -> None:
        # A packet that was on its way before the first attempt confirms nothing.
        if self.pending and self.attempts and (message := self._owner._confirmation(packet)):
            self.succeed(message)

    def _set_pending(self, pending: bool) -> None:
        if pending != self.pending:
            self.pending = pending
            # While the request is pending only: a SIP comes ten times a second, a request now and then.
            register = self._context.on_packet if pending else self._context.off_packet
            for kind in self._owner.confirmed_by:
                register(kind, self._check)

    def _end(self, success: bool, message: str) -> None:
        self._set_pending(False)
        self._timer.cancel()
        self._callers.finish(success, message)


class RequestComponent(Component):
    """A component with one request, `_request`: it ends with the session, and its counters are the component's.

    A method that makes a request raises RequestRefusedError if the robot is not to be asked. The future that it returns
    has what the robot has done.

    Attributes:
        name: Begins the names of the counters.
        retries: How often to send.
        confirmed_by: The packet types that can show the effect.
        requested: The state that is requested again in each session; None: there is none.
    """

    name: str
    retries: RetryPolicy
    confirmed_by: tuple[type[Packet], ...] = (Sip,)
    requested: Any = None

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._request = ConfirmedRequest(self)

    @property
    def title(self) -> str:
        """The name for messages."""
        return self.name.replace("_", " ")

    @abstractmethod
    def _commands(self) -> Iterable[Instruction]:
        """Return what to send in each attempt."""

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

    def on_session_start(self, now: float) -> None:
        """Request the state again."""
        if self.requested is not None:
            self._request.start(now)

    def on_session_end(self, reason: str) -> None:
        """Fail the pending request."""
        self._request.fail(reason)

    def counters(self) -> Mapping[str, int]:
        """Return how often the command was sent again, and given up."""
        return self._request.counters()

    def _sent(self, commands: str = "") -> str:
        """Return the first part of the message of a failure: what was sent, how often and for how long.

        Args:
            commands: Commands as text; "": those of the request.
        """
        commands = commands or " and ".join(map(str, self._commands()))
        return f"sent {commands} {self.retries.limit} times in {self.retries.duration:g} s"
