# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A session with the robot in which the motors stay off and no velocity is sent, and what it shows in some seconds.

The driver begins each session with STOP and zero velocities, and ends it with STOP, ENABLE(0), SONAR(0) and CLOSE.
"""

from __future__ import annotations

import math
import random
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from ..api import AmigoBot
from ..connection_policy import CLOSE_SILENCE, CLOSE_TRIES, OPEN_RETRY_MAX, READ_TIMEOUT
from ..errors import PortError
from ..protocol import Command, Parameters, Unlisted
from ..robot import (
    BaudChange,
    Event,
    LinkChanged,
    LinkState,
    Options,
    Received,
    Report,
    Robot,
    RobotSnapshot,
    take_snapshot,
)
from ..transport import Port
from .probe import CommandTrial

#: Events that are kept: 10 s of the fastest robot with every stream, both ways.
_KEPT = 20_000
#: Arguments of the CONFIGs that are sent in turn: none, one that nothing takes for its own, and bytes that programs and
#: adapters do, one meaning each, checksum included. AmigOS takes any integer (docs/protocol E-58); others: assumed.
PLAIN, HARMLESS = None, 0x4142
QUESTIONS: dict[int | None, str] = {
    PLAIN: "",
    HARMLESS: "",
    0x0A0D: "line ends are translated (CR 13, LF 10)",
    0x1311: "software flow control is on (XON 17, XOFF 19)",
    0xFF20: "the byte 255 is escaped or lost (Telnet)",
    0x1A03: "a terminal takes control characters (Ctrl-C 3, Ctrl-Z 26)",
    0x1B7F: "a terminal takes ESC (27) or DEL (127)",
    0x107D: "a protocol takes DLE (16) or 125 for escapes (PPP)",
}
#: s between two of them, and s after which one has no answer; at random, so that no other rhythm hides a loss.
_INTERVALS, _NO_ANSWER = (0.4, 0.7), (1.6, 2.6)
#: s by which an observation may be longer, for the last answers.
_LONGER = 6.0
#: s that an observation waits for an event before it reports its progress.
_POLL_PERIOD = 0.2
#: States in which a session has ended.
_ENDED = LinkState.LOST, LinkState.DISCONNECTED


class ObservedSession(Protocol):
    """An open session, as the checks see it."""

    @property
    def snapshot(self) -> RobotSnapshot:
        """The state of the robot now."""
        ...

    def observe(self, seconds: float, on_progress: Callable[[float], None]) -> dict[str, Any]:
        """Return fields of `Evidence` after some seconds; `on_progress` gets the remaining time in s."""
        ...

    def close(self) -> bool | None:
        """Give the session back; whether the robot has ended it, None if it stays open."""
        ...


class OwnSession:
    """The core of the driver on a port, in the thread of the caller: time passes in `wait` and `observe` only."""

    def __init__(
        self,
        port: Port,
        *,
        reopen: Callable[[], Port],
        baud: int,
        profile: str,
        search: bool = False,
        clock: Callable[[], float] = time.monotonic,
        latest: float = math.inf,
    ) -> None:
        """Begin to connect.

        Args:
            port: The open port; the session closes it.
            reopen: Opens the port again if it is lost; may raise PortError.
            baud: Line speed at which the robot answers; 0: unknown.
            profile: Name or file of a profile; "": by the identity of the robot.
            search: Look for the robot at other line speeds as well; else all attempts are made at this one.
            clock: Returns seconds, as that of the port.
            latest: Time in s at which an observation ends early.

        Raises:
            ProfileError: There is no such profile.
        """
        self.port: Port | None = port
        self._answers: list[CommandTrial] = []
        self._robot = Robot(Options(profile=profile, baud=baud, motors_on_connect=False))
        self._events: deque[Event] = deque(maxlen=_KEPT)
        self._search, self._reopen, self._clock, self._latest = search, reopen, clock, latest
        self._retry_at, self._ask_at, self._given_up_at = -math.inf, math.inf, math.inf
        self._turns, self._chance = 0, random.Random(1)
        self._began = clock()
        self._connect(port)

    def wait(self, seconds: float) -> bool:
        """Wait for a session with its first packet and the configuration; whether the session is open."""
        end, robot = self._clock() + seconds, self._robot
        while self._clock() < end and not self.refused:
            if robot.running and robot.estimator.report is not None and robot.tuning.config is not None:
                break
            self._step(end)
        return robot.running and robot.estimator.report is not None

    @property
    def snapshot(self) -> RobotSnapshot:
        """The state of the robot now."""
        return take_snapshot(self._robot)

    @property
    def refused(self) -> bool:
        """Whether the robot has answered the handshake and opened no session."""
        return any("opens no session" in event.note for event in self._events if isinstance(event, LinkChanged))

    @property
    def opened(self) -> bool:
        """Whether a session has been opened at least once."""
        return self._robot.session.connections > 0

    def observe(self, seconds: float, on_progress: Callable[[float], None]) -> dict[str, Any]:
        """Return fields of `Evidence`, some seconds after the connection began, or at the latest time.

        CONFIG is sent about twice a second: its answers prove that commands reach the robot.

        Args:
            seconds: Time in s since the connection began; it lasts at least half of that.
            on_progress: Called about once a second with the remaining time in s.
        """
        before, began = self.snapshot, self._clock()
        end = max(min(self._began + seconds, self._latest), began + seconds / 2)
        self._ask_at = began
        if self._robot.running:
            self._robot.queue.put(Command.ENABLE(0))
        shown = math.inf
        # The last command must have its answer: only then is it known that commands still arrive.
        while (remaining := end - self._clock()) > 0 or (self._unanswered in (1, 2) and remaining > -_LONGER):
            if remaining <= shown - 1.0:
                shown = remaining
                on_progress(remaining)
            self._ask(last=remaining < _NO_ANSWER[0] / 2 and not self._unanswered)
            self._step(self._clock() + min(0.05, max(remaining, 0.01)))
        seconds = self._clock() - began
        return _recorded(self._events, began, seconds, before, self.snapshot) | {"answers": tuple(self._answers)}

    def close(self) -> bool:
        """Close the session and the port, and return whether the robot is silent then, as CLOSE asks for."""
        link, silent = self._robot.link, self.port is None or self._robot.profile.erratic
        try:
            for _ in range(CLOSE_TRIES):
                before = link.packets.standard
                link.close()
                while self.port and self._robot.queue.next_time() < math.inf:
                    self._step(self._clock() + CLOSE_SILENCE / 10)
                end = self._clock() + CLOSE_SILENCE
                while self.port and self._clock() < end:
                    self._step(end)
                if not self.port or link.packets.standard == before:
                    silent = True
                    break
        finally:
            if self.port:
                self.port.close()
                self.port = None
        return silent

    # -- inside -------------------------------------------------------------------------------------------------------

    @property
    def _unanswered(self) -> int:
        """Number of CONFIGs at the end that have no answer."""
        latencies = [answer.latency for answer in self._answers]
        return next((at for at, latency in enumerate(reversed(latencies)) if math.isfinite(latency)), len(latencies))

    def _ask(self, *, last: bool) -> None:
        """Send the next CONFIG if it is due; the answer of the one before is awaited first."""
        now = self._clock()
        if self._answers and math.isinf(self._answers[-1].latency) and now < self._given_up_at:
            return
        if last or not self._robot.running or now < self._ask_at:
            return
        argument = PLAIN if self._robot.profile.erratic else self._next_argument()
        number = Command.CONFIG.number
        self._robot.queue.put(Command.CONFIG() if argument is PLAIN else Unlisted(number, argument))
        self._answers.append(CommandTrial(argument, now, math.inf))
        self._ask_at = now + self._chance.uniform(*_INTERVALS)
        self._given_up_at = now + self._chance.uniform(*_NO_ANSWER)

    def _next_argument(self) -> int | None:
        """Return the next one of `QUESTIONS`. One that has no answer is asked again, with a plain CONFIG in between."""
        nothing = CommandTrial(PLAIN, 0.0, 0.0)
        *_, before, last = nothing, nothing, *self._answers
        if last.argument is not PLAIN and math.isinf(last.latency):
            return PLAIN
        asked = [answer.argument for answer in self._answers]
        if before.argument is not PLAIN and math.isinf(before.latency) and asked.count(before.argument) < 2:
            return before.argument
        self._turns += 1
        return tuple(QUESTIONS)[(self._turns - 1) % len(QUESTIONS)]

    def _step(self, end: float) -> None:
        """Read until the link has something to do, at most until `end`, and do it."""
        if self.port is None:
            self._open_again()
        if self.port is None:
            return
        link, now = self._robot.link, self._clock()
        due = min(end, link.next_time(), link.read_deadline)
        try:
            data = self.port.read(min(max(0.0, due - now), READ_TIMEOUT))
            now = self._clock()
            if data:
                self._take_in(link.receive(data, now))
            if now >= link.read_deadline:
                self._take_in(link.drained(now, now))
            if link.next_time() <= now:
                self._take_in(link.poll(now))
            while (frame := link.take(self._clock())) is not None:
                self.port.write(frame)
        except PortError as error:
            self.port.close()
            self.port, self._retry_at = None, self._clock() + OPEN_RETRY_MAX
            self._take_in(link.disconnected(str(error), self._clock()))

    def _open_again(self) -> None:
        if (wait := self._retry_at - self._clock()) > 0:
            time.sleep(min(wait, 0.05))
            return
        try:
            self.port = self._reopen()
        except PortError:
            self._retry_at = self._clock() + OPEN_RETRY_MAX
        else:
            self._connect(self.port)

    def _connect(self, port: Port) -> None:
        """Begin a session; without a byte time there is no search for another line speed."""
        link = self._robot.link
        byte_time = port.byte_time if self._search else port.byte_time and 0.0
        self._take_in(link.connected(byte_time, self._robot.baud, self._clock()))
        link.set_byte_time(port.byte_time)

    def _take_in(self, events: list[Event]) -> None:
        self._events.extend(events)
        for event in events:
            if isinstance(event, BaudChange) and self.port:
                self.port.set_baud(event.baud)
                self._robot.link.set_byte_time(self.port.byte_time)
            elif isinstance(event, Received) and isinstance(event.packet, Parameters) and self._answers:
                asked = self._answers[-1]
                if math.isinf(asked.latency):
                    self._answers[-1] = CommandTrial(asked.argument, asked.sent, self._clock() - asked.sent)


class HeldSession:
    """The session of an `AmigoBot`, which stays open: a port serves one program at a time, and a robot one session."""

    def __init__(self, robot: AmigoBot, clock: Callable[[], float]) -> None:
        self._robot, self._clock = robot, clock

    @property
    def snapshot(self) -> RobotSnapshot:
        """The state of the robot now."""
        return self._robot.snapshot()

    def observe(self, seconds: float, on_progress: Callable[[float], None]) -> dict[str, Any]:
        """Return fields of `Evidence` after some seconds on the clock of the robot.

        Args:
            seconds: Time in s.
            on_progress: Called some times a second with the remaining time in s.

        Raises:
            ConnectionLostError: The robot was closed.
        """
        before, began = self.snapshot, self._clock()
        events: list[Event] = []
        with self._robot.events(Report, Received, LinkChanged, maxlen=_KEPT) as stream:
            while (remaining := began + seconds - self._clock()) > 0:
                on_progress(remaining)
                if event := stream.get(min(_POLL_PERIOD, remaining)):
                    events.append(event)
            events += stream.take_all()
            return _recorded(events, began, self._clock() - began, before, self.snapshot)

    def close(self) -> bool | None:
        """Do nothing: the session stays open."""
        return None


def _recorded(
    events: Iterable[Event], began: float, seconds: float, before: RobotSnapshot, after: RobotSnapshot
) -> dict[str, Any]:
    """Return what some events show, as fields of `Evidence`."""
    events = list(events)
    return {
        "before": before,
        "after": after,
        "began": began,
        "seconds": seconds,
        "reports": tuple(event for event in events if isinstance(event, Report)),
        "packets": tuple(event.packet for event in events if isinstance(event, Received)),
        "losses": tuple(event.note for event in events if isinstance(event, LinkChanged) and event.state in _ENDED),
    }
