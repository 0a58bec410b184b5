"""The auxiliary serial ports: bytes in, by asking for them, and bytes out, in parts (PROTOCOL 5.7; AmigoBot manual ch. 5).

The robot keeps what a device sends in a ring and answers GETAUX n once n bytes are there, in one SERAUX. Nothing is
acknowledged either way. So one byte is asked for while the device is quiet, and comes at once; twice as many after each
full answer; one again when an answer stays out because fewer are there. A request that replaces one still waiting
loses nothing. What cannot be had back: a SERAUX lost on the line takes its bytes with it, a TTY2 likewise.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TypeVar

from ..protocol import BAUD_RATES, MAX_TEXT, OVERHEAD, Aux, Command, Config, Instruction, Packet
from .events import Event
from .feature import Feature
from .outcome import Outcome

#: s that one frame of ours, or one answer, may hold the line: a velocity or a SIP waits no longer for it.
HOLD = 0.03
#: Bytes that wait to be written, or to be read by `aux_read`, at most.
BUFFER = 8192
#: Requests to read that may wait at the same time, and how long each may, s.
MAX_READERS, MAX_TIMEOUT = 16, 3600.0
#: s without a byte after which a request counts as lost (Player's figure), and every how many such times the ring is
#: flushed besides, in case the robot's end is stuck. A ring is never empty of bytes but by as many losses in a row.
QUIET, FLUSH_EVERY = 1.0, 4
#: Requests under way while the device sends more than the line carries. Their sizes differ, so an answer tells which
#: of them it is for.
AHEAD = 2

#: Of each port: the commands that write and read, and where CONFIGpac tells its speed.
PORTS = (
    (Command.TTY2, Command.GETAUX, "aux1_baud"),
    (Command.TTY3, Command.GETAUX2, "aux2_baud"),
    (Command.TTY4, Command.GETAUX3, "aux3_baud"),
)

Lacks = Callable[[Command], str]
A = TypeVar("A", bound=Outcome)


@dataclass(frozen=True, slots=True)
class Written(Outcome):
    """How a request to write ended; `count` bytes were handed to the line."""

    count: int = 0


@dataclass(frozen=True, slots=True)
class Reading(Outcome):
    """How a request to read ended, and what it got, be that less than wanted."""

    data: bytes = b""


@dataclass(slots=True)
class _Write:
    data: bytes
    future: Future[Written] = field(default_factory=Future)
    sent: int = 0


@dataclass(slots=True)
class _Read:
    count: int  #: 0: everything until the deadline
    timeout: float
    deadline: float
    future: Future[Reading] = field(default_factory=Future)


class AuxWriter(Feature):
    """What goes out at one port. `byte_time` is s per byte on the line to the robot, 0 where bytes take no time."""

    def __init__(self, port: int, lacks: Lacks, byte_time: Callable[[], float]) -> None:
        self.name = f"AUX{port}"
        self.written = 0  #: bytes handed to the line
        self.dropped = 0  #: bytes that were taken, or refused, and never will be
        self._command, _, self._baud_field = PORTS[port - 1]
        self._lacks = lacks
        self._byte_time = byte_time
        self._port_byte_time = 10 / BAUD_RATES[0]
        self._closed = "there is no robot"
        self._queue: deque[_Write] = deque()
        self._waiting = 0
        self._part: Instruction | None = None  #: on its way to the line
        self._free_at = -math.inf

    def write(self, data: bytes) -> Future[Written]:
        """Write once; ends when the last byte has been handed to the line, or says why not and how many have."""
        write = _Write(data)
        why = self._closed or self._lacks(self._command)
        if not why and self._waiting + len(data) > BUFFER:
            why = f"{self._waiting} bytes wait already of at most {BUFFER}"
        if why:
            self.dropped += len(data)
            _tell(write.future, Written(False, f"{self.name}: {why}"))
        elif not data:
            _tell(write.future, Written(True, f"{self.name}: nothing to write"))
        else:
            self._waiting += len(data)
            self._queue.append(write)
        return write.future

    def begin(self, now: float) -> None:
        self._closed = ""
        self._free_at = now

    def end(self, why: str) -> None:
        self._closed = why
        self.dropped += self._waiting
        self._waiting, self._part = 0, None
        while self._queue:
            write = self._queue.popleft()
            _tell(write.future, Written(False, f"{self.name}: {why}", write.sent))

    def hear(self, packet: Packet, now: float) -> Iterator[Event]:
        if isinstance(packet, Config):
            code = getattr(packet, self._baud_field) or 0
            self._port_byte_time = 10 / BAUD_RATES[min(code, len(BAUD_RATES) - 1)]
        yield from ()

    def due(self, now: float) -> Iterator[Instruction]:
        if now >= self.next_time():
            write = self._queue[0]
            # A part is a frame: its number, type and length go with it.
            room = _room(self._byte_time(), OVERHEAD + 3)
            self._part = self._command(write.data[write.sent : write.sent + room])
            yield self._part

    def next_time(self) -> float:
        return self._free_at if self._queue and self._part is None else math.inf

    def sent(self, instruction: Instruction, now: float) -> None:
        if instruction is not self._part or not isinstance(instruction.value, bytes):
            return
        self._part = None
        count = len(instruction.value)
        # The next one when both lines are free: the robot's buffer towards the port is not known to hold more.
        self._free_at = now + max(count * self._port_byte_time, len(instruction.encode()) * self._byte_time())
        self.written += count
        self._waiting -= count
        write = self._queue[0]
        write.sent += count
        if write.sent == len(write.data):
            self._queue.popleft()
            _tell(write.future, Written(True, f"{self.name}: {write.sent} bytes handed to the line", write.sent))


class AuxReader(Feature):
    """What comes in at one port. Asks only while somebody listens or reads; each packet is heard as `Received`, too."""

    def __init__(self, port: int, lacks: Lacks, byte_time: Callable[[], float]) -> None:
        self.name = f"AUX{port}"
        self.received = 0  #: bytes
        self.forgotten = 0  #: bytes that no `read` has asked for until newer ones needed their room
        self.asked_again = 0  #: requests repeated after a second without a byte; a quiet device needs them, too
        self._id = Aux.IDS[port - 1]
        self._command = PORTS[port - 1][1]
        self._lacks = lacks
        self._byte_time = byte_time
        self._closed = "there is no robot"
        self._listening = False
        self._readers: deque[_Read] = deque()
        self._buffer = bytearray()
        self._asked: deque[int] = deque()  #: sizes of the requests under way
        self._size = 1  #: of the next request
        self._overdue = math.inf
        self._silences = 0
        self._flushes: deque[Instruction] = deque()

    # -- wishes -----------------------------------------------------------------------------------------------

    def listen(self, on: bool) -> None:
        """Have every byte as it comes, in this session and later ones; or no more."""
        self._listening = on

    def read(self, count: int, timeout: float, now: float, *, flush: bool = False) -> Future[Reading]:
        """Read `count` bytes (0: whatever comes) within `timeout` s; `flush`: forget what has come so far.

        Who reads at the same time is served in turn. Bytes that were on their way to us survive a flush.
        """
        read = _Read(count, timeout, now + timeout)
        why = self._closed or self._lacks(self._command)
        if not 0 <= count <= BUFFER:
            why = f"count is {count}, 0 to {BUFFER} are allowed"
        elif not 0.0 <= timeout <= MAX_TIMEOUT:
            why = f"timeout is {timeout:g} s, 0 to {MAX_TIMEOUT:g} are allowed"
        elif len(self._readers) == MAX_READERS:
            why = f"{MAX_READERS} requests wait already"
        if why:
            _tell(read.future, Reading(False, f"{self.name}: {why}"))
            return read.future
        if flush:
            self._buffer.clear()
            self._asked.clear()
            self._flushes.append(self._command(0))
        if not self._asked and not self._listening:
            self._size = BUFFER  # as much as there is room for: a reader says how much it wants
        self._readers.append(read)
        self._serve(now)
        return read.future

    # -- the session's side -----------------------------------------------------------------------------------

    def begin(self, now: float) -> None:
        self._closed = ""
        self._restart()

    def end(self, why: str) -> None:
        self._closed = why
        self._restart()
        while self._readers:
            self._finish(f"{self.name}: {why}")

    def hear(self, packet: Packet, now: float) -> Iterator[Event]:
        if isinstance(packet, Aux) and packet.id == self._id:
            self._answered(len(packet.data), now)
            self.received += len(packet.data)
            self._buffer += packet.data
            self._serve(now)
            if (surplus := len(self._buffer) - BUFFER) > 0:
                del self._buffer[:surplus]
                self.forgotten += surplus
        yield from ()

    def due(self, now: float) -> Iterator[Instruction]:
        self._serve(now)
        if now >= self._overdue:
            self._unanswered()
        while self._flushes:
            yield self._flushes.popleft()
        while size := self._next_size():
            self._asked.append(size)
            self._overdue = math.inf
            yield self._command(size)

    def next_time(self) -> float:
        if self._flushes or self._next_size():
            return -math.inf
        return min([self._overdue, *(read.deadline for read in self._readers)])

    def sent(self, instruction: Instruction, now: float) -> None:
        if instruction.command is not self._command:
            return
        if instruction.value == 0:
            return
        self._overdue = now + self._patience()
