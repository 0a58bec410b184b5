# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Connects one `Robot` with a recording of its serial line.

The only clock is the time in the recording, so a recording gives the same messages at any playback rate
(docs/decisions/0006). It steps the robot as `stepped_driver.py` does, up to the time of each frame.

The handshake in the recording belongs to another driver and is not replayed. `ReplayedRobot` answers the handshake of
this driver while the recorded time is paused; then the recorded frames follow.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .protocol import (
    ERRATIC_PACKETS,
    Command,
    Config,
    ErraticConfig,
    FrameDecoder,
    Packet,
    Reset,
    SyncReply,
    encode_frame,
    parse,
)
from .protocol.frame import MAX_DATA
from .robot import Event, LinkState, OdometryStale, Robot
from .robot.dialects import dialects
from .stepped_driver import INSTANT, SteppedDriver

#: ns of recorded time that the first frames wait for the identity of the robot.
_IDENTITY_TIMEOUT = 10 * 10**9
#: ns that a frame may be older than the frame before it. An older frame means that the recording was rewound.
_JITTER = 50 * 10**6
#: Maximum duration (s of the robot's time) of a handshake with the ReplayedRobot.
_HANDSHAKE = 5.0
_GAP = "the recording has a gap longer than the link timeout: waiting for its next SIP"
_NOT_OPEN = "no session is open yet in the recording: waiting for its first SIP"


@dataclass(slots=True)
class ReplayCounts:
    """Statistics of the recorded frames."""

    played: int = 0  #: processed in a session
    outside: int = 0  #: processed while no session was open: between a loss and the next SIP
    greetings: int = 0  #: replies to the handshake of the recorded driver, not replayed
    to_robot: int = 0  #: commands of the recorded driver, not replayed
    refused: int = 0  #: frames of a length that no frame has
    sessions: int = 0  #: sessions opened: at the beginning, after each gap and after each rewind
    rewound: int = 0  #: how often the recording was rewound
    joined: int = 0  #: 1 if the recording begins in an open session, after the handshake


@dataclass(slots=True)
class MissingPackets:
    """Counts the packets that are missing in a recording, from the numbers that the recorded driver gave them."""

    before: int | None = None  #: published by the recorded driver before the recording begins; None: unknown
    recorded: int = 0  #: missing after the first packet
    _last: int = 0

    def count(self, sequence: int) -> None:
        """Count the next packet by its number, from 1; 0 if the recorded driver did not number its packets."""
        if sequence and self.before is None:
            self.before = sequence - 1
        elif sequence > self._last:
            self.recorded += sequence - self._last - 1
        # A number that is not larger: the recording was rewound, or the recorded driver restarted.
        self._last = sequence


class ReplayedRobot:
    """Replies in place of the recorded robot: to the handshake, and to CONFIG. A `Line` of a `SteppedDriver`."""

    byte_time = 0.0

    def __init__(self) -> None:
        self.identity: SyncReply | None = None  #: None: not known yet
        self.config: bytes | None = None  #: data of the newest CONFIG packet; None: not known yet
        self.opened = False
        self.unplugged = False
        self._greeted = False
        self._silent = True
        self._decoder = FrameDecoder()
        self._pending = b""

    @property
    def known(self) -> bool:
        """Whether the identity of the robot is known."""
        return self.identity is not None or self.config is not None

    def learn(self, packet: Packet, data: bytes) -> None:
        """Take the identity of the robot from a recorded packet, if it has one."""
        if isinstance(packet, SyncReply):
            self.identity = packet
        elif isinstance(packet, Config):
            self.config = data
            if self.identity is None:
                self.identity = SyncReply(name=packet.name, robot_class=packet.robot_class, subclass=packet.subclass)
        elif isinstance(parse(data, ERRATIC_PACKETS), ErraticConfig):
            self.config = data

    def reset(self, *, silent: bool) -> None:
        """Start outside a session.

        Args:
            silent: The robot sends nothing before the handshake. This holds for all robots but the Erratic.
        """
        self.opened = self._greeted = False
        self._silent = silent

    def receive(self, data: bytes, now: float) -> None:
        """Take bytes from the client; commands in a session have no effect."""
        for frame in self._decoder.feed(data, now):
            if (reply := self._reply(frame.data)) is not None:
                self._pending += encode_frame(reply, MAX_DATA)

    def transmit(self, now: float) -> bytes:
        """Return the replies."""
        sent, self._pending = self._pending, b""
        return sent

    def next_event(self, now: float) -> float:
        """Return when there is something to transmit."""
        return now if self._pending else math.inf

    def set_client_baud(self, baud: int) -> None:
        """Do nothing: a recording has no line."""

    def _reply(self, data: bytes) -> bytes | None:
        """Return the data of the reply to a frame with this data; None if there is no reply."""
        number = data[0]
        if self.opened and number == Command.CLOSE.number:
            self.reset(silent=self._silent)
            return None
        if self.opened:
            return self.config if number == Command.CONFIG.number else None
        if not self._silent:
            self.opened = number == Command.OPEN.number
            return self.config if number == Command.CONFIG.number else None
        # Outside a session the numbers of PULSE, OPEN and CLOSE are SYNC0, SYNC1 and SYNC2 (docs/protocol 3.1).
        if self._greeted:
            self.opened = number == Command.OPEN.number
        elif number == Command.CLOSE.number:
            self._greeted = True
            return self.identity.encode() if self.identity else data
        elif number in (Command.PULSE.number, Command.OPEN.number):
            return data
        return None


class Replay:
    """Runs a robot on recorded frames. Has what the node uses of `Driver`.

    Stamps of the recording are integers, ns since the epoch of its clock. The time of the robot never goes back:
    `clock` returns it in s since the start, and `recorded` converts it to a stamp, exact to the nanosecond.

    Args:
        robot: The core of the driver.
        url: Port URL with the scheme replay://.
        listener: Called with each event from the thread that calls `feed`.
    """

    def __init__(self, robot: Robot, url: str, listener: Callable[[Event], None]) -> None:
        self.url = url
        self.failed = threading.Event()  #: never set: there are no threads
        self.counts = ReplayCounts()
        self._robot = robot
        self._replayed = ReplayedRobot()
        self._replayed.unplugged = True
        self._driver = SteppedDriver(robot, self._replayed, listener, url=url)
        self._lock = threading.RLock()
        #: the same instant as a recorded stamp (ns) and as the robot's time (s)
        self._stamp, self._instant = 0, 0.0
        self._handshaking = False  #: while True, the recorded time is paused
        self._newest: int | None = None  #: stamp of the last frame
        self._held: deque[tuple[bytes, int]] = deque()  #: frames that wait for the identity of the robot
        self._waiting = True
        self._closed = False  #: the recorded driver has closed the session; it has not been greeted again

    def start(self) -> None:
        """Do nothing: `feed` drives the replay."""

    def close(self) -> None:
        """End all requests that wait for the robot."""
        with self._lock:
            self._robot.link.close()

    @property
    def identified(self) -> bool:
        """Whether the recording identifies the robot."""
        return self._replayed.known

    def clock(self) -> float:
        """Return the robot's time (s)."""
        return self._driver.now

    def recorded(self, time: float) -> int:
        """Return the stamp (ns) in the recording for a time of the robot (s)."""
        return self._stamp if self._handshaking else self._stamp + round((time - self._instant) * 1e9)

    @contextmanager
    def robot(self) -> Iterator[Robot]:
        """Lock the robot for a `with` block. Its commands go to the ReplayedRobot only."""
        with self._lock:
            yield self._robot
            self._driver.write()
            self._driver.step()  # takes the replies

    # -- the recording ----------------------------------------------------------------------------------------

    def identify(self, packet: Packet) -> None:
        """Take the identity of the robot from a SyncReply or CONFIG packet that is not among the recorded frames."""
        with self._lock:
            self._replayed.learn(packet, packet.encode())

    def feed(self, data: bytes, stamp: int, *, to_robot: bool = False) -> None:
        """Process the next recorded frame.

        Args:
            data: Data of the frame.
            stamp: When the frame was received, in ns.
            to_robot: The recorded driver sent it; it is counted and not replayed.

        Raises:
            ValueError: No frame can have data of this length.
        """
        with self._lock:
            if not 1 <= len(data) <= MAX_DATA:
                self.counts.refused += 1
                raise ValueError(f"a frame carries 1 to {MAX_DATA} data bytes, not {len(data)}")
            if to_robot:
                self.counts.to_robot += 1
                self._closed |= data[0] == Command.CLOSE.number
                return
            self._held.append((data, stamp))
            if not self._replayed.known:
                self._replayed.learn(parse(data), data)
            if self._waiting and not self._replayed.known and stamp - self._held[0][1] < _IDENTITY_TIMEOUT:
                return
            self._play()

    def settle(self) -> None:
        """Replay the waiting frames without an identity; call this when no frames have come for a while."""
        with self._lock:
            if self._held:
                self._play()

    def _play(self) -> None:
        self._waiting = False
        while self._held:
            self._replay_frame(*self._held.popleft())

    def _replay_frame(self, data: bytes, stamp: int) -> None:
        packet = parse(data)
        self._replayed.learn(packet, data)
        if packet.id <= Command.CLOSE.number:
            self.counts.greetings += 1
            self._closed &= packet.id != Command.CLOSE.number  # it is the reply to SYNC2
            self._pause("the recorded driver connects")
            return
        if self._closed and isinstance(packet, Reset):
            self.counts.outside += 1  # 0xFF is the reply to a STOP outside a session (docs/protocol 3.3)
            return
        if self._newest is None or stamp < self._newest - _JITTER:
            self._rewind_to(stamp)
        self._newest = stamp
        arrives = self._instant + (stamp - self._stamp) * 1e-9
        while self._driver.advance(arrives - 1000 * INSTANT, self._is_lost):
            self._pause(_GAP)
        if not self._robot.running:
            for dialect in dialects():
                if dialect.streams(packet):
                    self._open(data, stamp, silent=not dialect.streams_before_open)
        self._driver.now = max(self._driver.now, self._instant + (stamp - self._stamp) * 1e-9)
        self._driver.emit(self._robot.link.receive(encode_frame(data, MAX_DATA), self._driver.now))
        if self._robot.running:
            self.counts.played += 1
        else:
            self.counts.outside += 1
            self._pause(_GAP if self._is_lost() else _NOT_OPEN)

    def _is_lost(self) -> bool:
        return self._robot.state is LinkState.LOST

    def _rewind_to(self, stamp: int) -> None:
        """Begin the recording, or begin it again, with the robot at the origin."""
        if self._newest is not None:
            self.counts.rewound += 1
            self._pause("the recording was rewound", stale=False)
            self._robot.restart_odometry()
        self._stamp, self._instant = stamp, self._driver.now

    def _open(self, data: bytes, stamp: int, *, silent: bool) -> None:
        """Do the handshake with the ReplayedRobot. The first packet of the session is the recorded one."""
        self.counts.sessions += 1
        self._stamp, self._handshaking = stamp, True
        if silent and self.counts.sessions == 1 and not self.counts.greetings:
            self.counts.joined = 1
        self._replayed.reset(silent=silent)
        self._replayed.unplugged = False
        self._robot.session.forget_robot()
        self._driver.plug(True)
        if not silent:
            # The Erratic streams from power-up; the session recognizes the dialect from that.
            self._driver.emit(self._robot.link.receive(encode_frame(data, MAX_DATA), self._driver.now))
        self._driver.advance(self._driver.now + _HANDSHAKE, lambda: self._replayed.opened)
        self._instant, self._handshaking = self._driver.now, False

    def _pause(self, reason: str, *, stale: bool = True) -> None:
        """Disconnect until the recording has a robot again; the session does not search for one.

        Args:
            reason: Why.
            stale: A robot was lost, so its last odometry is reported as stale.
        """
        self._replayed.unplugged, self._driver.plugged = True, False
        events = self._robot.link.disconnected(reason, self._driver.now)
        self._driver.emit([event for event in events if stale or not isinstance(event, OdometryStale)])
