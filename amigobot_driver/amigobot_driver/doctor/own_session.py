# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A session with the robot in which the motors stay off and no velocity is sent, and what it shows in some seconds.

The core of the driver finds the robot, opens the session and ends it: with STOP, ENABLE(0), SONAR(0) and CLOSE.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..api import AmigoBot
from ..connection_policy import CLOSE_SILENCE, CLOSE_TRIES
from ..errors import AmigoBotError
from ..protocol import Command, Instruction, TuningValues
from ..robot import (
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
from ..stepped_driver import WaitingDriver
from .tap import Chunk, TappedLine

#: Events that are kept: 10 s of the fastest robot with every stream, both ways.
_KEPT = 20_000
#: Arguments of the CONFIGs that are sent in turn: none, one that nothing takes for its own, and pairs of bytes that
#: programs and adapters do, checksum included. AmigOS takes any integer (docs/protocol E-58); others: assumed.
PLAIN, HARMLESS = None, 0x4142
QUESTIONS: dict[int | None, str] = {
    PLAIN: "",
    HARMLESS: "",
    0x0A0D: "line ends are translated (CR 13, LF 10)",
    0x1311: "software flow control is on (XON 17, XOFF 19)",
    0xFF20: "the byte 255 is escaped or lost (Telnet)",
    0x1B10: "a terminal or protocol takes ESC (27) or DLE (16)",
    0x1A03: "a terminal takes control characters (Ctrl-C 3, Ctrl-Z 26)",
    0x1C04: "a terminal takes control characters (Ctrl-D 4, Ctrl-\\ 28)",
    0x7F08: "a terminal takes control characters (BS 8, DEL 127)",
    0x0C09: "a terminal takes control characters (TAB 9, FF 12)",
    0x1615: "a terminal takes control characters (Ctrl-U 21, Ctrl-V 22)",
    0x1712: "a terminal takes control characters (Ctrl-R 18, Ctrl-W 23)",
}
#: Settings (mm/s^2) whose low bytes are those of the argument meanwhile: CONFIG brings them to this computer, too.
ECHOED = ("trans_acc", "trans_decel")
_USUAL = 0x100  #: mm/s^2, the high byte of these settings: that of a usual robot
_TRIES = 3  #: how often an argument without an answer is asked
_INTERVALS = (0.4, 0.6)  #: s between two questions; at random, so that no other rhythm hides a loss
_NO_ANSWER = (1.6, 2.6)  #: s after which a question has no answer, at random as well
_DEAF = 3  #: commands in a row without an answer that are no accident
_LONGER = 6.0  #: s by which an observation may be longer, for the last answers
SEARCH = 8.0  #: s in which a session opens: a search of all line speeds takes 5 s
_ASK = 4.0  #: s in which a session opens at a port without a line speed: it is asked four times
_POLL_PERIOD = 0.2  #: s that an observation waits for an event before it reports its progress
_ENDED = LinkState.LOST, LinkState.DISCONNECTED  #: states in which a session has ended


class Question(NamedTuple):
    """One CONFIG that was sent for its answer."""

    argument: int | None
    sent: float  #: s
    latency: float  #: s until its answer; inf: none came


@dataclass(kw_only=True, eq=False)
class Observation:
    """What a session has shown in some seconds."""

    snapshots: deque[RobotSnapshot]  #: at its beginning and at its end
    began: float = -math.inf  #: s
    seconds: float = 0.0  #: how long it lasted; 0: no session was opened
    reports: Sequence[Report] = ()
    losses: tuple[str, ...] = ()  #: why the session ended, each time
    questions: tuple[Question, ...] = ()  #: CONFIGs that were sent meanwhile
    frames: tuple[Chunk, ...] = ()  #: both ways: since the port was opened, or of the observation if `chunks` is ()
    chunks: tuple[Chunk, ...] = ()  #: every byte since the port was opened, both ways; () if they are not known
    lost_settings: int = 0  #: accelerations of `ECHOED` that CONFIG does not have as they were set
    sonar_ignores: bool = False  #: the sonars stay on after SONAR 0


class OwnSession:
    """The core of the driver on a line, in the thread of the caller: time passes in `wait`, `observe` and `close`."""

    def __init__(self, line: TappedLine, clock: Callable[[], float], profile: str = "", baud: int = 0) -> None:
        """Begin to connect.

        Args:
            line: The line of an open port.
            clock: Returns seconds, as that of the line.
            profile: Name or file of a profile; "": by the identity of the robot.
            baud: Line speed to try first; 0: the profile's.

        Raises:
            ProfileError: There is no such profile.
        """
        self.line = line
        self.first_baud = 0  #: line speed of the first packet; 0: none came
        self._robot = Robot(Options(profile=profile, baud=baud, motors_on_connect=False, trace=True))
        self._driver = WaitingDriver(self._robot, line, self._on_event, clock)
        self._clock, self._began = clock, clock()
        self._events: deque[Event] = deque(maxlen=_KEPT)
        self._questions: list[Question] = []
        self._set: tuple[int, ...] = ()  #: the settings of `ECHOED` as they were set last
        self._lost_settings = 0
        self._echoed: list[int] = []  #: the settings of `ECHOED` before; []: the robot does not tell them
        self._ask_at, self._given_up_at = math.inf, math.inf
        self._chance = random.Random(1)

    def wait(self) -> bool:
        """Wait for a session with its first packet and the configuration; whether the session is open."""
        robot, end = self._robot, self._began + (SEARCH if self.line.byte_time else _ASK)
        while self._clock() < end + _ASK * self.refused or robot.session.state is LinkState.OPENING:
            if robot.running and robot.estimator.report and robot.tuning.config:
                break
            self._driver.run(self._clock() + 1.0)
        return robot.running and robot.estimator.report is not None

    @property
    def snapshot(self) -> RobotSnapshot:
        """The state of the robot now."""
        return take_snapshot(self._robot)

    @property
    def refused(self) -> bool:
        """Whether the robot has answered the handshake and opened no session, or a later one."""
        return any("opens no session" in event.note for event in self._events if isinstance(event, LinkChanged))

    def observe(self, seconds: float, since: float, on_progress: Callable[[float], None]) -> Observation:
        """Return what the session shows, some seconds after the connection began.

        CONFIG is sent about twice a second: its answers prove that commands reach the robot. Before, accelerations are
        set, which the motors, being off, do not follow: each byte that something on the line may take comes back.

        Args:
            seconds: Time in s since the connection began; the observation lasts at least half of that.
            since: When the connection began, s.
            on_progress: Called about once a second with the remaining time in s.
        """
        before, began = self.snapshot, self._clock()
        values = [getattr(before.config, name, None) or 0 for name in ECHOED]
        self._echoed = values if all(0 < value < 1 << 15 for value in values) else []  # what a command can set again
        end = max(since + seconds, began + seconds / 2)
        self._ask_at = began + _INTERVALS[1]  # the driver may have asked twice
        if self._robot.running:
            self._robot.queue.put(Command.ENABLE(0))
        shown = math.inf
        try:
            # The last command must have its answer: only then is it known that commands still arrive.
            while (remaining := end - self._clock()) > 0 or (self._waiting and remaining > -_LONGER):
                if remaining <= shown - 1.0:
                    shown = remaining
                    on_progress(remaining)
                if remaining > _NO_ANSWER[0] / 2 or self._unanswered:
                    self._ask()
                self._driver.run(self._clock() + min(0.05, max(remaining, 0.01)))
        finally:
            # After Ctrl-C, too: old firmware keeps them after CLOSE.
            if self._echoed:
                self._set_echoed(*self._echoed)
                self._send_all()
        return replace(
            _observation(self._events, before, self.snapshot, began, self._clock() - began),
            questions=tuple(self._questions),
            frames=tuple(self.line.frames),
            chunks=tuple(self.line.chunks),
            lost_settings=self._lost_settings,
            sonar_ignores=self._sonar_ignores(),  # last: it changes what the others have recorded
        )

    def close(self) -> bool:
        """Close the session and the port, and return whether the robot is silent then, as CLOSE asks for."""
        link, silent = self._robot.link, self._robot.profile.erratic
        try:
            for _ in range(CLOSE_TRIES):
                before = link.packets.standard
                link.close()
                self._send_all()
                end = self._clock() + CLOSE_SILENCE
                while self._clock() < end and not self.line.unplugged:
                    self._driver.run(end)
                if self.line.unplugged or link.packets.standard == before:
                    return True
        finally:
            self.line.close()
        return silent

    def _send_all(self) -> None:
        """Wait until every command is sent: they have a spacing, and may wait for bytes."""
        end = self._clock() + 4 * CLOSE_SILENCE
        while self._robot.queue.next_time() < math.inf and self._clock() < end and not self.line.unplugged:
            self._driver.run(self._clock() + CLOSE_SILENCE / 10)

    # -- inside -------------------------------------------------------------------------------------------------------

    @property
    def _unanswered(self) -> int:
        """Number of CONFIGs at the end that have no answer."""
        latencies = [question.latency for question in self._questions]
        return next((at for at, latency in enumerate(reversed(latencies)) if math.isfinite(latency)), len(latencies))

    @property
    def _waiting(self) -> bool:
        """Whether the last answer may still come, or too few are missing to say that commands do not arrive."""
        return self._unanswered > 0 and (self._unanswered < _DEAF or self._clock() < self._given_up_at)

    def _ask(self) -> None:
        """Send the next CONFIG if it is due; the answer of the one before is awaited first."""
        now = self._clock()
        waiting = self._unanswered and now < self._given_up_at
        if waiting or now < self._ask_at or not self._robot.running:
            return
        argument = PLAIN if self._robot.profile.erratic else self._next_argument()
        if argument is PLAIN:
            self._robot.queue.put(Command.CONFIG())
        else:
            # With both bytes to bring back, then with one each: a byte may be lost on the way back only.
            tries = [question.argument for question in self._questions].count(argument) % _TRIES
            self._set_echoed(_USUAL | (argument & 0xFF) * (tries != 2), _USUAL | (argument >> 8) * (tries != 1))
            self._robot.queue.put(Instruction(Command.CONFIG.number, argument))
        self._questions.append(Question(argument, now, math.inf))
        self._ask_at = now + self._chance.uniform(*_INTERVALS)
        self._given_up_at = now + self._chance.uniform(*_NO_ANSWER)

    def _sonar_ignores(self) -> bool:
        """Switch the sonars off, and return whether the packets go on saying that they are on."""
        off, end = self._robot.sonar.set(False, self._clock()), self._clock() + _ASK
        while not off.done() and self._clock() < end:
            self._driver.run(self._clock() + _POLL_PERIOD)
        return self._robot.running and not (off.done() and off.result().success)

    def _set_echoed(self, acceleration: int, deceleration: int) -> None:
        if self._echoed and self._robot.running:
            self._set = acceleration, deceleration
            self._robot.queue.put(Command.SETA(acceleration))
            self._robot.queue.put(Command.SETA(-deceleration))

    def _next_argument(self) -> int | None:
        """Return the one of `QUESTIONS` that was asked least; after one without an answer, a plain CONFIG."""
        asked = [question.argument for question in self._questions]
        lost = {question.argument for question in self._questions if math.isinf(question.latency)}
        if self._unanswered and asked[-1] is not PLAIN:
            return PLAIN
        # One that has no answer is asked again before the others.
        return min(QUESTIONS, key=lambda one: (not (one in lost and asked.count(one) < _TRIES), asked.count(one)))

    def _on_event(self, event: Event) -> None:
        if isinstance(event, FrameSeen):
            self.first_baud = self.first_baud or self.line.baud * (not event.to_robot)
            stamp = event.stamp if event.to_robot else self._clock()
            self.line.frames.append(Chunk(stamp, event.to_robot, event.data, self.line.baud))
            return
        self._events.append(event)
        if isinstance(event, Received) and isinstance(event.packet, TuningValues) and self._unanswered:
            self._questions[-1] = self._questions[-1]._replace(latency=self._clock() - self._questions[-1].sent)
            reported = [getattr(event.packet, name) for name in ECHOED] if self._set else ()
            self._lost_settings += sum(one != other for one, other in zip(self._set, reported, strict=True))


def observe_held(
    robot: AmigoBot, seconds: float, clock: Callable[[], float], on_progress: Callable[[float], None]
) -> Observation:
    """Return what some seconds of a session that another thread runs show, and a CONFIG then; it stays open.

    Args:
        robot: The connected robot, with `Options.trace`.
        seconds: Time in s on the clock of the robot.
        clock: The clock of the robot, s.
        on_progress: Called some times a second with the remaining time in s.

    Raises:
        ConnectionLostError: The robot was closed.
    """
    before, began, events = robot.snapshot(), clock(), list[Event]()
    with robot.events(FrameSeen, Report, LinkChanged, maxlen=_KEPT) as stream:
        while (remaining := began + seconds - clock()) > 0:
            on_progress(remaining)
            if event := stream.get(min(_POLL_PERIOD, remaining)):
                events.append(event)
        asked, latency = clock(), math.inf
        with suppress(AmigoBotError):
            robot.get_config()
            latency = clock() - asked
        events += stream.take_all()
        observed = _observation(events, before, robot.snapshot(), began, clock() - began)
        return replace(observed, questions=(Question(PLAIN, asked, latency),))


def _observation(
    events: Collection[Event], before: RobotSnapshot, after: RobotSnapshot, began: float, seconds: float
) -> Observation:
    """Return what some events show."""
    return Observation(
        snapshots=deque((before, after)),
        began=began,
        seconds=seconds,
        reports=tuple(event for event in events if isinstance(event, Report)),
        frames=tuple(Chunk(one.stamp, one.to_robot, one.data) for one in events if isinstance(one, FrameSeen)),
        losses=tuple(event.note for event in events if isinstance(event, LinkChanged) and event.state in _ENDED),
    )
