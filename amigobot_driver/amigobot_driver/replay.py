"""Joins one `Robot` and a recording of its line. What `driver.py` is to a port, without threads: the only clock is the
time in the recording, so a recording gives the same messages however fast it is played (docs/decisions/0006).

The recording is of another driver's session. Its handshake is not played: `Understudy` answers ours in the robot's
place, in time that the recording has not got, and then the recorded frames go on where they are.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .protocol import ERRATIC_PACKETS, Command, Config, ErraticConfig, Packet, SyncReply, encode_frame, parse
from .protocol.frame import FRAME_DATA, MAX_DATA
from .robot import Event, LinkState, OdometryStale, Robot

#: A port that begins so is a recording; what follows is the name below which its topics are played.
SCHEME = "replay://"
#: ns of recorded time that the first frames wait for a word on who the robot is.
_PATIENCE = 10 * 10**9
#: ns that a frame may be older than the one before it; beyond that the recording has been wound back.
_JITTER = 50 * 10**6
#: s of the robot's time that a handshake with the understudy takes at most.
_HANDSHAKE = 5.0
#: s; times that were reckoned in different ways differ in their last bits.
_INSTANT = 1e-9
_GAP = "the recording has no packets for longer than a lost link takes: waiting for its next SIP"
_NOT_OPEN = "no session is open yet in the recording: waiting for its first SIP"


@dataclass(slots=True)
class ReplayCounts:
    """What became of the recorded frames."""

    played: int = 0  #: told to the driver in a session, as if on the line
    outside: int = 0  #: told to it too, but no session was open: between a loss and the first SIP after it
    greetings: int = 0  #: answers to the recorded driver's handshake, which is not played
    to_robot: int = 0  #: what the recorded driver said: played to nobody
    refused: int = 0  #: what no line carries
    sessions: int = 0  #: opened: one at the begin, one after each gap and each jump back
    rewound: int = 0  #: jumps back
    joined: int = 0  #: 1 where the recording begins in an open session, behind the handshake


@dataclass(slots=True)
class MissingPackets:
    """Counts the packets that are missing, from two numbers that each packet carries.

    The recorded driver numbers what it publishes, and the player numbers what it plays. A gap in the first is missing
    in the recording, unless the second has it too: then it was lost between the player and this driver.
    """

    before: int | None = None  #: published by the recorded driver before the recording begins; None: unknown
    recorded: int = 0  #: missing in the recording, after its first packet
    played: int = 0  #: played, but not received
    _sequence: int = 0
    _publication: int = 0

    def count(self, sequence: int, publication: int | None) -> None:
        """Take the numbers of the next packet.

        Args:
            sequence: The recorded driver's, from 1; 0 where it did not number its packets.
            publication: The player's, from 1; None where the middleware does not tell.
        """
        lost = 0
        if publication is not None:
            # A number that is not larger is another player's, which began to count again.
            newer = publication > self._publication
            lost = publication - (self._publication if newer else 0) - 1
            self._publication = publication
        self.played += lost
        if sequence and self.before is None:
            self.before = max(0, sequence - 1 - lost)
        elif sequence > self._sequence:
            self.recorded += max(0, sequence - self._sequence - 1 - lost)
        # A number that is not larger: the recording was wound back, or its driver was started again.
        self._sequence = sequence


class Understudy:
    """Stands in for the robot where it has to answer: the handshake, and CONFIG."""

    def __init__(self) -> None:
        self.identity: SyncReply | None = None  #: None: nobody has said yet
        self.config: bytes | None = None  #: data of the newest CONFIGpac; None likewise
        self.opened = False
        self._greeted = False
        self._silent = True

    @property
    def known(self) -> bool:
        """Somebody has said who the robot is."""
        return self.identity is not None or self.config is not None

    def learn(self, packet: Packet, data: bytes) -> None:
        """A packet of the recorded robot, which may say who it is."""
        if isinstance(packet, SyncReply):
            self.identity = packet
        elif isinstance(packet, Config):
            self.config = data
            if self.identity is None:
                self.identity = SyncReply(name=packet.name, robot_class=packet.robot_class, subclass=packet.subclass)
        elif isinstance(parse(data, ERRATIC_PACKETS), ErraticConfig):
            self.config = data

    def leave(self, *, silent: bool) -> None:
        """Nobody has greeted the robot yet; `silent`: it waits for that, as all but the Erratic do."""
        self.opened = self._greeted = False
        self._silent = silent

    def hear(self, data: bytes) -> bytes | None:
        """The answer to the data of a frame, if it gets one."""
        number = data[0]
        if self.opened:
            return self.config if number == Command.CONFIG.number else None
        if not self._silent:
            self.opened = number == Command.OPEN.number
            return self.config if number == Command.CONFIG.number else None
        # Outside a session the numbers of PULSE, OPEN and CLOSE are SYNC0, SYNC1 and SYNC2 (docs/protocol.md 3.1).
        if self._greeted:
            self.opened = number == Command.OPEN.number
        elif number == Command.CLOSE.number:
            self._greeted = True
            return self.identity.encode() if self.identity else data
        elif number in (Command.PULSE.number, Command.OPEN.number):
            return data
        return None


class Replay:
    """Runs a robot on recorded frames, and tells `listener` all events as they happen, from the thread that feeds them.

    Stamps of the recording are integers, ns since the epoch of its clock. To the robot time goes on always: `clock`
    gives it in s since the start, and `recorded` leads back to the stamps, to the nanosecond.
    """

    def __init__(self, robot: Robot, url: str, listener: Callable[[Event], None]) -> None:
        self.url = url
        self.failed = threading.Event()  #: never set: there are no threads here that could die
        self.counts = ReplayCounts()
        self._robot = robot
        self._listener = listener
        self._understudy = Understudy()
        self._lock = threading.RLock()
        self._now = 0.0
        #: these are the same instant: a recorded stamp, and the robot's time
        self._stamp, self._instant = 0, 0.0
        self._greeting = False  #: recorded time stands still
        self._newest: int | None = None  #: stamp of the last frame
        self._held: deque[tuple[bytes, int]] = deque()  #: until it is known who the robot is
        self._waiting = True

    def start(self) -> None:
        """Nothing moves but by `feed`."""

    def close(self) -> None:
        """End what still waits for an answer of the robot."""
        with self._lock:
            self._robot.link.close()

    @property
    def identified(self) -> bool:
        """Whether the recording says which robot it is."""
        return self._understudy.known

    def clock(self) -> float:
        """The robot's time (s)."""
        return self._now

    def recorded(self, time: float) -> int:
        """The recording's stamp (ns) of a time of the robot's."""
        return self._stamp if self._greeting else self._stamp + round((time - self._instant) * 1e9)

    @contextmanager
    def robot(self) -> Iterator[Robot]:
        """The robot, locked. What is asked of it is said to nobody but the understudy."""
        with self._lock:
            yield self._robot
            self._speak()

    # -- the recording ----------------------------------------------------------------------------------------

    def introduce(self, packet: Packet) -> None:
        """A SyncReply or CONFIGpac that the recording holds beside its frames."""
        with self._lock:
            self._understudy.learn(packet, packet.encode())

    def feed(self, data: bytes, stamp: int, *, to_robot: bool = False) -> None:
        """The data of the next recorded frame. Raises ValueError for what no line carries."""
        with self._lock:
            if not 1 <= len(data) <= MAX_DATA:
                self.counts.refused += 1
                raise ValueError(f"a frame carries 1 to {MAX_DATA} data bytes, not {len(data)}")
            if to_robot:
                self.counts.to_robot += 1
                return
            self._held.append((data, stamp))
            if not self._understudy.known:
                self._understudy.learn(parse(data), data)
            if self._waiting and not self._understudy.known and stamp - self._held[0][1] < _PATIENCE:
                return
            self._play()

    def settle(self) -> None:
        """Nothing has come for a while: do not wait any longer for a word on who the robot is."""
        with self._lock:
            if self._held:
                self._play()

    def _play(self) -> None:
        self._waiting = False
        while self._held:
            self._frame(*self._held.popleft())

    def _frame(self, data: bytes, stamp: int) -> None:
        packet = parse(data)
        self._understudy.learn(packet, data)
        if packet.id <= Command.CLOSE.number:
            self.counts.greetings += 1
            self._pause("the recorded driver connects")
            return
        if self._newest is None or stamp < self._newest - _JITTER:
            self._wind_to(stamp)
        self._newest = stamp
        self._pass(self._instant + (stamp - self._stamp) * 1e-9)
        if not self._robot.running and _streaming(packet):
            self._open(data, stamp)
        self._now = max(self._now, self._instant + (stamp - self._stamp) * 1e-9)
        self._take_in(self._robot.link.receive(encode_frame(data, MAX_DATA), self._now))
        if self._robot.running:
            self.counts.played += 1
            self._speak()
        else:
            self.counts.outside += 1
            self._pause(_NOT_OPEN)

    def _wind_to(self, stamp: int) -> None:
        """The recording begins, or begins again: the robot stands at the origin."""
        if self._newest is not None:
            self.counts.rewound += 1
            # No robot was lost: nothing is told of its odometry but that it begins again.
            for event in self._robot.disconnected("the recording was wound back", self._now):
                if not isinstance(event, OdometryStale):
                    self._listener(event)
            self._robot.restart_odometry()
        self._stamp, self._instant = stamp, self._now

    def _open(self, data: bytes, stamp: int) -> None:
        """Let the robot greet its understudy and open a session, whose first packet is the recording's."""
        self.counts.sessions += 1
        self._stamp, self._greeting = stamp, True
        silent = not _of_an_erratic(data[0])
        if silent and self.counts.sessions == 1 and not self.counts.greetings:
            self.counts.joined = 1
        self._understudy.leave(silent=silent)
        self._take_in(self._robot.link.connected(0.0, self._robot.baud, self._now))
        if not silent:
            # It streams from power-up: by that the session knows how to greet it.
            self._take_in(self._robot.link.receive(encode_frame(data, MAX_DATA), self._now))
        end = self._now + _HANDSHAKE
        while not self._understudy.opened and (due := self._robot.link.next_time()) < end:
            self._go_on(due)
        self._instant, self._greeting = self._now, False

    def _pass(self, until: float) -> None:
        """Let the robot's time go on to just before the next frame."""
        while (due := min(self._robot.link.next_time(), self._robot.link.read_deadline)) < until - 1000 * _INSTANT:
            self._go_on(due)

    def _go_on(self, due: float) -> None:
        self._now = max(self._now + _INSTANT, due)
        if self._now >= self._robot.link.read_deadline:
            self._take_in(self._robot.link.drained(self._now, self._now))
        self._take_in(self._robot.link.poll(self._now))
        self._speak()

    # -- the robot --------------------------------------------------------------------------------------------

    def _speak(self) -> None:
        """What the robot is to be told goes to the understudy, its answers come back at once."""
        while (frame := self._robot.link.take(self._now)) is not None:
            if (answer := self._understudy.hear(frame[FRAME_DATA])) is not None:
                self._take_in(self._robot.link.receive(encode_frame(answer, MAX_DATA), self._now))

    def _take_in(self, events: list[Event]) -> None:
        for event in events:
            self._listener(event)
        if self._robot.state is LinkState.LOST:
            self._pause(_GAP)

    def _pause(self, why: str) -> None:
        """The recording decides when there is a robot again: nobody is looked for until then."""
        for event in self._robot.link.disconnected(why, self._now):
            self._listener(event)


def _streaming(packet: Packet) -> bool:
    """Only an open session sends these: SIPs, and the Erratic's motor packets."""
    return 0x30 <= packet.id <= 0x3F or _of_an_erratic(packet.id)


def _of_an_erratic(number: int) -> bool:
    """A motor packet (docs/protocol.md 5.11)."""
    return 0x80 <= number <= 0x83
