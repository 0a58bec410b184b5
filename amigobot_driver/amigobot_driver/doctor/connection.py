# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A session with the robot in which the motors stay off and no velocity is sent, and what it shows in some seconds.

The driver begins each session with STOP and zero velocities, and ends it with STOP, ENABLE(0), SONAR(0) and CLOSE.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..connection_policy import CLOSE_SILENCE, CLOSE_TRIES, OPEN_RETRY_MAX, READ_TIMEOUT
from ..errors import PortError
from ..protocol import Command, Gyro, Packet, Parameters, Reset, Unlisted
from ..robot import (
    BaudChange,
    Event,
    FrameSeen,
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
from .tap import Chunk

#: Events that are kept: 10 s of the fastest robot with every stream, both ways.
KEPT = 20_000
#: Arguments of the CONFIGs that are sent in turn: none, and bytes that programs and adapters take for their own, one
#: meaning each, checksum included. AmigOS takes any integer (docs/protocol.md E-58); other firmwares: assumed.
QUESTIONS: dict[int | None, str] = {
    None: "",
    0x0A0D: "line ends are translated (CR 13, LF 10)",
    0x1311: "software flow control is on (XON 17, XOFF 19)",
    0xFF20: "the byte 255 is escaped or lost (Telnet)",
    0x1A03: "a terminal takes control characters (Ctrl-C 3, Ctrl-Z 26)",
    0x1B7F: "a terminal takes ESC (27) or DEL (127)",
    0x107D: "a protocol takes DLE (16) or 125 for escapes (PPP)",
}
#: s between two of them, and s after which one has no answer.
_INTERVAL, _NO_ANSWER = 0.7, 1.5
#: States in which a session has ended.
_ENDED = LinkState.LOST, LinkState.DISCONNECTED


@dataclass(frozen=True, slots=True)
class Answer:
    """One CONFIG that was sent."""

    argument: int | None
    sent: float  #: s
    latency: float  #: s until its answer; inf: none came


@dataclass(frozen=True, slots=True)
class Observation:
    """What a session showed in some seconds."""

    seconds: float
    reports: tuple[Report, ...]
    gyro: tuple[Gyro, ...]
    losses: tuple[str, ...]  #: why the session ended, each time
    resets: int
    before: RobotSnapshot
    after: RobotSnapshot
    answers: tuple[Answer, ...] = ()  #: of the CONFIGs that were sent meanwhile
    packets: tuple[Packet, ...] = ()  #: all but the SIPs, since the connection began
    chunks: tuple[Chunk, ...] = ()  #: the bytes on the line, both ways; () if they are not known


def observation(
    events: Sequence[Event],
    seconds: float,
    before: RobotSnapshot,
    after: RobotSnapshot,
    answers: Sequence[Answer] = (),
    chunks: Sequence[Chunk] = (),
) -> Observation:
    """Return what some events show.

    Args:
        events: In the order they came.
        seconds: Time in which they came (s).
        before: The state of the robot at the beginning.
        after: The state at the end.
        answers: The CONFIGs that were sent meanwhile.
        chunks: The bytes on the line meanwhile.
    """
    packets = [event.packet for event in events if isinstance(event, Received)]
    return Observation(
        seconds=seconds,
        reports=tuple(event for event in events if isinstance(event, Report)),
        gyro=tuple(packet for packet in packets if isinstance(packet, Gyro)),
        losses=tuple(event.note for event in events if isinstance(event, LinkChanged) and event.state in _ENDED),
        resets=sum(isinstance(packet, Reset) for packet in packets),
        before=before,
        after=after,
        answers=tuple(answers),
        packets=tuple(packets),
        chunks=tuple(chunks),
    )


class ObservedSession(Protocol):
    """An open session, as the checks see it."""

    frames: deque[FrameSeen]  #: on the line, if they are kept

    @property
    def snapshot(self) -> RobotSnapshot:
        """The state of the robot now."""
        ...

    def observe(self, seconds: float, on_progress: Callable[[float], None]) -> Observation:
        """Collect what comes in some seconds; `on_progress` gets the remaining time in s."""
        ...

    def close(self) -> bool | None:
        """Give the session back; whether the robot has ended it, None if it stays open."""
        ...


class OwnSession:
    """The core of the driver on a port, in the thread of the caller: time passes in `wait` and `observe` only."""

    def __init__(
        self,
        port: Port,
        chunks: list[Chunk],
        *,
        reopen: Callable[[], Port],
        baud: int,
        profile: str,
        trace: bool,
        search: bool = False,
        clock: Callable[[], float] = time.monotonic,
        latest: float = math.inf,
    ) -> None:
        """Begin to connect.

        Args:
            port: The open port; the session closes it.
            chunks: The bytes on that port, which grow.
            reopen: Opens the port again if it is lost; may raise PortError.
            baud: Line speed at which the robot answers; 0: unknown.
            profile: Name or file of a profile; "": by the identity of the robot.
            trace: Keep every frame in `frames`.
            search: Look for the robot at other line speeds as well; else all attempts are made at this one.
            clock: Returns seconds, as that of the port.
            latest: Time in s at which an observation ends early.

        Raises:
            ProfileError: There is no such profile.
        """
        self.frames: deque[FrameSeen] = deque(maxlen=KEPT)
        self.answers: list[Answer] = []
        self._robot = Robot(Options(profile=profile, baud=baud, motors_on_connect=False, trace=trace))
        self._events: deque[Event] = deque(maxlen=KEPT)
        self._port: Port | None = port
        self._search = search
        self._chunks, self._reopen, self._clock, self._latest = chunks, reopen, clock, latest
        self._retry_at, self._asked_at = -math.inf, math.inf
        self._questions = 0
        self.began = clock()
        self._connect(port)

    def wait(self, seconds: float) -> bool:
        """Wait for a session with its first packet and the configuration; whether the session is open."""
        end = self._clock() + seconds
        while self._clock() < end and not (self._is_complete or self.refused):
            self._step(end)
        return self._robot.running and self._robot.estimator.report is not None

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

    def observe(self, seconds: float, on_progress: Callable[[float], None]) -> Observation:
        """Collect what comes until some seconds after the connection began, or until the latest time.

        CONFIG is sent about once a second: its answers prove that commands reach the robot.

        Args:
            seconds: Time in s since the connection began; it lasts at least half of that.
            on_progress: Called about once a second with the remaining time in s.
        """
        before, began, first = self.snapshot, self._clock(), len(self._chunks)
        self.answers.clear()
        end = max(min(self.began + seconds, self._latest), began + seconds / 2)
        self._asked_at = began
        if self._robot.running:
            self._robot.queue.put(Command.ENABLE(0))
        shown = math.inf
        # The last command must have its answer: only then is it known that commands still arrive.
        while (remaining := end - self._clock()) > 0 or (self._unanswered in (1, 2) and remaining > -3 * _NO_ANSWER):
            if remaining <= shown - 1.0:
                shown = remaining
                on_progress(remaining)
            self._ask(last=remaining < _NO_ANSWER and not self._unanswered)
            self._step(self._clock() + min(0.05, max(remaining, 0.01)))
        taken, chunks = self._clock() - began, self._chunks[first:]
        return observation(list(self._events), taken, before, self.snapshot, self.answers, chunks)

    def close(self) -> bool:
        """Close the session and the port, and return whether the robot is silent then, as CLOSE asks for."""
        link, silent = self._robot.link, self._port is None or self._robot.profile.erratic
        try:
            for _ in range(CLOSE_TRIES):
                before = link.packets.standard
                link.close()
                while self._port and self._robot.queue.next_time() < math.inf:
                    self._step(self._clock() + CLOSE_SILENCE / 10)
                end = self._clock() + CLOSE_SILENCE
                while self._port and self._clock() < end:
                    self._step(end)
                if not self._port or link.packets.standard == before:
                    silent = True
                    break
        finally:
            if self._port:
                self._port.close()
                self._port = None
        return silent

    # -- inside -------------------------------------------------------------------------------------------------------

    @property
    def _is_complete(self) -> bool:
        robot = self._robot
        return robot.running and robot.estimator.report is not None and robot.tuning.config is not None

    @property
    def _unanswered(self) -> int:
        """Number of CONFIGs at the end that have no answer."""
        latencies = [answer.latency for answer in self.answers]
        return next((at for at, latency in enumerate(reversed(latencies)) if math.isfinite(latency)), len(latencies))

    def _ask(self, *, last: bool) -> None:
        """Send the next CONFIG if it is due; the answer of the one before is awaited first."""
        now = self._clock()
        if self.answers and math.isinf(self.answers[-1].latency) and now - self.answers[-1].sent < _NO_ANSWER:
            return
        if last or not self._robot.running or now < self._asked_at:
            return
        argument = None if self._robot.profile.erratic else self._next_argument()
        if argument is None:
            self._robot.queue.put(Command.CONFIG())
        else:
            self._robot.queue.put(Unlisted(Command.CONFIG.number, argument))
        self.answers.append(Answer(argument, now, math.inf))
        self._asked_at = now + _INTERVAL

    def _next_argument(self) -> int | None:
        """Return the next one of `QUESTIONS`. One that has no answer is asked again, with a plain CONFIG in between."""
        *_, before, last = Answer(None, 0.0, 0.0), Answer(None, 0.0, 0.0), *self.answers
        if last.argument is not None and math.isinf(last.latency):
            return None
        asked = [answer.argument for answer in self.answers]
        if before.argument is not None and math.isinf(before.latency) and asked.count(before.argument) < 2:
            return before.argument
        self._questions += 1
        return tuple(QUESTIONS)[(self._questions - 1) % len(QUESTIONS)]

    def _step(self, end: float) -> None:
        """Read until the link has something to do, at most until `end`, and do it."""
        if self._port is None:
            self._open_again()
            if self._port is None:
                return
        link, now = self._robot.link, self._clock()
        due = min(end, link.next_time(), link.read_deadline)
        try:
            data = self._port.read(min(max(0.0, due - now), READ_TIMEOUT))
            now = self._clock()
            if data:
                self._take_in(link.receive(data, now))
            if now >= link.read_deadline:
                self._take_in(link.drained(now, now))
            if link.next_time() <= now:
                self._take_in(link.poll(now))
            for frame in self._frames_due():
                self._port.write(frame)
        except PortError as error:
            self._port.close()
            self._port, self._retry_at = None, self._clock() + OPEN_RETRY_MAX
            self._take_in(link.disconnected(str(error), self._clock()))

    def _frames_due(self) -> Iterator[bytes]:
        while (frame := self._robot.link.take(self._clock())) is not None:
            yield frame

    def _open_again(self) -> None:
        if (wait := self._retry_at - self._clock()) > 0:
            time.sleep(min(wait, 0.05))
            return
        try:
            self._port = self._reopen()
        except PortError:
            self._retry_at = self._clock() + OPEN_RETRY_MAX
        else:
            self._connect(self._port)

    def _connect(self, port: Port) -> None:
        """Begin a session; without a byte time there is no search for another line speed."""
        link = self._robot.link
        byte_time = port.byte_time if self._search else port.byte_time and 0.0
        self._take_in(link.connected(byte_time, self._robot.baud, self._clock()))
        link.set_byte_time(port.byte_time)

    def _take_in(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, BaudChange) and self._port:
                self._port.set_baud(event.baud)
                self._robot.link.set_byte_time(self._port.byte_time)
            elif isinstance(event, FrameSeen):
                self.frames.append(event)
            else:
                self._events.append(event)
            if isinstance(event, Received) and isinstance(event.packet, Parameters) and self.answers:
                asked = self.answers[-1]
                if math.isinf(asked.latency):
                    self.answers[-1] = Answer(asked.argument, asked.sent, self._clock() - asked.sent)
