"""The auxiliary serial ports: bytes in, by requesting them, and bytes out, in parts (docs/protocol.md 5.7).

The robot keeps what a device sends in a ring. It answers GETAUX n once n bytes are there, in one SERAUX packet; nothing
is acknowledged either way (AmigoBot manual, ch. 5). So the driver requests one byte while the device is quiet, which
comes at once; twice as many after each prompt answer; and one again when an answer stays out, because fewer bytes are
there or a frame was lost. A request that replaces one still waiting loses nothing. A SERAUX that is lost on the line
takes its bytes with it, and so does a TTY2.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

from ...protocol import BAUD_RATES, OVERHEAD, Aux, Command, Config, Instruction, Unlisted
from ...protocol.commands import MAX_TEXT
from ...wording import counted
from ..component import Component, Context
from ..outcome import Outcome, finish

#: s that one frame of ours, or one answer, may hold the line: a velocity or a SIP waits no longer for it.
HOLD = 0.03
#: Bytes that wait to be written, or to be read by `aux_read`, at most.
BUFFER = 8192
#: Requests to read that may wait at the same time, and how long each may, s.
MAX_READERS, MAX_TIMEOUT = 16, 3600.0
#: s without a byte after which a request may have been lost (Player's figure) and is repeated; each so many times the
#: ring is flushed before that, as Player does each time: bytes are in it only if all these requests were lost.
QUIET, FLUSH_EVERY = 1.0, 4
#: Requests under way at the same time where the line to us is slower than the port: it need not wait for the next one.
#: Their sizes differ, so an answer tells which of them it is for.
AHEAD = 2

#: Of each port: the commands that write and read, and where CONFIGpac tells its speed.
PORTS = (
    (Command.TTY2, Command.GETAUX, "aux1_baud"),
    (Command.TTY3, Command.GETAUX2, "aux2_baud"),
    (Command.TTY4, Command.GETAUX3, "aux3_baud"),
)


@dataclass(frozen=True, slots=True)
class WriteOutcome(Outcome):
    """How a request to write ended; `count` bytes were handed to the line."""

    count: int = 0


@dataclass(frozen=True, slots=True)
class ReadOutcome(Outcome):
    """How a request to read ended, and what it got, be that less than wanted."""

    data: bytes = b""


@dataclass(slots=True)
class _Write:
    data: bytes
    future: Future[WriteOutcome] = field(default_factory=Future)
    sent: int = 0


@dataclass(slots=True)
class _Read:
    count: int  #: 0: everything until the deadline
    timeout: float
    deadline: float
    future: Future[ReadOutcome] = field(default_factory=Future)


class AuxWriter(Component):
    """What goes out at one port. `byte_time` is s per byte on the line to the robot, 0 where bytes take no time."""

    def __init__(self, context: Context, port: int, byte_time: Callable[[], float]) -> None:
        super().__init__(context)
        self.name = f"AUX{port}"
        self.written = 0  #: bytes handed to the line
        self.dropped = 0  #: bytes that were taken, or refused, and never will be
        self._command, _, self._baud_field = PORTS[port - 1]
        self._byte_time = byte_time
        self._port_byte_time = 10 / BAUD_RATES[0]
        self._queue: deque[_Write] = deque()
        self._waiting = 0
        self._part: Instruction | None = None  #: on its way to the line
        self._free_at = -math.inf
        self._next = context.sends.timer(self._send_part)
        context.on_packet(Config, self._on_config)
        context.on_sent(self._command, self._on_sent)

    def write(self, data: bytes) -> Future[WriteOutcome]:
        """Write once; ends when the last byte has been handed to the line, or says why not and how many have."""
        write = _Write(data)
        why = self._context.unsupported(self._command)
        if not why and self._waiting + len(data) > BUFFER:
            why = f"no room for {counted(len(data), 'byte')}, {self._waiting} of at most {BUFFER} wait already"
        if why:
            self.dropped += len(data)
            finish(write.future, WriteOutcome(False, f"{self.name}: {why}"))
        elif not data:
            finish(write.future, WriteOutcome(True, f"{self.name}: nothing to write"))
        else:
            self._waiting += len(data)
            self._queue.append(write)
            self._schedule()
        return write.future

    def on_session_end(self, why: str) -> None:
        self._next.cancel()
        self.dropped += self._waiting
        self._waiting, self._part = 0, None
        while self._queue:
            write = self._queue.popleft()
            finish(write.future, WriteOutcome(False, f"{self.name}: {why}", write.sent))

    def _on_config(self, config: Config, stamp: float, now: float) -> None:
        self._port_byte_time = _port_byte_time(config, self._baud_field)

    def _schedule(self) -> None:
        """Send the next part when both lines are free."""
        if self._queue and self._part is None:
            self._next.set(self._free_at)

    def _send_part(self, now: float) -> None:
        write = self._queue[0]
        # A part is a frame: its number, type and length go with it.
        room = _room(self._byte_time(), OVERHEAD + 3)
        self._part = self._command(write.data[write.sent : write.sent + room])
        self._context.queue.put(self._part)

    def _on_sent(self, command: Instruction | Unlisted, now: float) -> None:
        if command is not self._part or not isinstance(command.value, bytes):
            return
        self._part = None
        count = len(command.value)
        # The next one when both lines are free: the robot's buffer towards the port is not known to hold more.
        self._free_at = now + max(count * self._port_byte_time, len(command.encode()) * self._byte_time())
        self.written += count
        self._waiting -= count
        write = self._queue[0]
        write.sent += count
        if write.sent == len(write.data):
            self._queue.popleft()
            message = f"{self.name}: {counted(write.sent, 'byte')} handed to the line"
            finish(write.future, WriteOutcome(True, message, write.sent))
        self._schedule()


class AuxReader(Component):
    """The input of one port. Requests bytes only while a caller listens or reads; emits each packet as `Received`."""

    def __init__(self, context: Context, port: int, byte_time: Callable[[], float]) -> None:
        super().__init__(context)
        self.name = f"AUX{port}"
        self.received = 0  #: bytes
        self.forgotten = 0  #: bytes that no `read` had taken when newer ones needed their room
        self.asked_again = 0  #: requests repeated because no byte came; a quiet device needs them, too
        self._id = Aux.IDS[port - 1]
        _, self._command, self._baud_field = PORTS[port - 1]
        self._byte_time = byte_time
        self._port_byte_time = 10 / BAUD_RATES[0]
        self._listening = False
        self._readers: deque[_Read] = deque()
        self._buffer = bytearray()
        self._asked: deque[int] = deque()  #: sizes of the requests under way
        self._size = 1  #: of the next request, if there is room for so many
        self._asked_at = -math.inf
        self._overdue = math.inf
        self._silences = 0
        self._to_flush = False
        self._next = context.sends.timer(self._ask)
        self._deadline = context.timeouts.timer(self._on_deadline)
        context.on_packet(Aux, self._on_aux)
        context.on_packet(Config, self._on_config)
        context.on_sent(self._command, self._on_sent)

    # -- requests ---------------------------------------------------------------------------------------------

    @property
    def obstacle(self) -> str:
        """Why nothing can be read here, in a sentence; "" where nothing is in the way."""
        return self._context.unsupported(self._command)

    def listen(self, on: bool) -> None:
        """Have every byte as it comes, in this session and later ones; or no more."""
        self._listening = on
        self._schedule()

    def read(self, count: int, timeout: float, now: float, *, flush: bool = False) -> Future[ReadOutcome]:
        """Read `count` bytes (0: all that come) within `timeout` s; `flush`: first drop what has come so far.

        Callers who read at the same time are served in turn. Bytes that are on their way to us survive a flush.
        """
        read = _Read(count, timeout, now + timeout)
        why = self.obstacle
        if not 0 <= count <= BUFFER:
            why = f"count is {count}, 0 to {BUFFER} are allowed"
        elif not 0.0 <= timeout <= MAX_TIMEOUT:
            why = f"timeout is {timeout:g} s, 0 to {MAX_TIMEOUT:g} are allowed"
        elif len(self._readers) == MAX_READERS:
            why = f"{MAX_READERS} requests to read wait already"
        if why:
            finish(read.future, ReadOutcome(False, f"{self.name}: {why}"))
            return read.future
        if flush:
            self._buffer.clear()
            self._to_flush = True
        if flush or not (self._listening or self._readers):
            # Nothing is known of the device, but how much the reader expects of it.
            self._asked.clear()
            self._size = BUFFER if count else 1
        self._readers.append(read)
        self._serve(now)
        self._schedule()
        return read.future

    # -- the session ------------------------------------------------------------------------------------------

    def on_session_start(self, now: float) -> None:
        self._schedule()

    def on_session_end(self, why: str) -> None:
        self._asked.clear()
        self._size, self._overdue, self._silences, self._to_flush = 1, math.inf, 0, False
        while self._readers:
            self._finish(self._readers[0], False, why)
        self._next.cancel()
        self._deadline.cancel()

    def _on_aux(self, packet: Aux, stamp: float, now: float) -> None:
        if packet.id != self._id:
            return
        self._answered(len(packet.data), now)
        self._buffer += packet.data
        self.received += len(packet.data)
        self._serve(now)
        surplus = max(0, len(self._buffer) - BUFFER)
        del self._buffer[:surplus]
        self.forgotten += surplus
        self._schedule()

    def _on_config(self, config: Config, stamp: float, now: float) -> None:
        self._port_byte_time = _port_byte_time(config, self._baud_field)

    def _schedule(self) -> None:
        """Ask as soon as there is something to ask for; look at the deadlines when the first has come."""
        if self._to_flush or self._next_size():
            self._next.set(-math.inf)
        else:
            self._next.cancel()
        self._deadline.set(min([self._overdue, *(read.deadline for read in self._readers)]))

    def _on_deadline(self, now: float) -> None:
        self._serve(now)
        if now >= self._overdue:
            self._unanswered()
        self._schedule()

    def _ask(self, now: float) -> None:
        if self._to_flush:
            self._to_flush = False
            self._context.queue.put(self._command(0))
        while size := self._next_size():
            self._asked.append(size)
            # Should it be lost on its way to the line, even; `_on_sent` knows better.
            self._overdue = now + QUIET
            self._context.queue.put(self._command(size))
        self._schedule()

    def _on_sent(self, command: Instruction | Unlisted, now: float) -> None:
        if command.value:
            self._asked_at = now
            self._overdue = now + (QUIET if command.value == 1 else self._patience)
            self._schedule()

    # -- asking -----------------------------------------------------------------------------------------------

    @property
    def _patience(self) -> float:
        """s within which bytes that are there have come, behind a SIP and another answer and over a radio modem."""
        return 0.1 + 100 * self._byte_time()

    def _next_size(self) -> int:
        """How many bytes to ask for now, 0: none."""
        room = _room(self._byte_time(), OVERHEAD + 1)
        # What is asked for must be filled in time at the port's own speed, or a steady stream would be given up.
        steady = int(self._patience * 0.75 / self._port_byte_time)
        ahead = AHEAD if AHEAD * room <= steady else 1
        room = min(room, steady)
        size = min(self._size, room)
        if self._asked:
            if len(self._asked) >= ahead or size < room:
                return 0
            size -= size in self._asked
        return max(0, min(size, self._missing()))

    def _missing(self) -> int:
        """Bytes that callers wait for and that are not requested yet; BUFFER for listeners, who take every byte."""
        if not (self._listening or self._readers) or self.obstacle:
            return 0
        if self._listening or any(read.count == 0 for read in self._readers):
            return BUFFER
        return sum(read.count for read in self._readers) - len(self._buffer) - sum(self._asked)

    def _answered(self, count: int, now: float) -> None:
        if count in self._asked:
            # Answers come in order: earlier requests were lost, or replaced before there were bytes enough.
            while self._asked.popleft() != count:
                pass
            if now - self._asked_at < self._patience / 2:
                self._size = min(2 * self._size, BUFFER)
        self._silences = 0
        self._overdue = self._asked_at + self._patience if self._asked else math.inf

    def _unanswered(self) -> None:
        """Fewer bytes are there than were asked for, or the request is lost, or the answer."""
        self._overdue = math.inf
        if self._asked and max(self._asked) > 1:
            self._size = 1
        elif self._missing():
            self.asked_again += 1
            self._silences += 1
            self._to_flush = self._silences % FLUSH_EVERY == 0
        self._asked.clear()

    # -- serving ----------------------------------------------------------------------------------------------

    def _serve(self, now: float) -> None:
        while self._readers:
            first = self._readers[0]
            if first.count and len(self._buffer) >= first.count:
                self._finish(first, True, counted(first.count, "byte"))
            elif now >= first.deadline:
                there = len(self._buffer)
                wanted = counted(first.count, "byte")
                come = f"{there} of {wanted}" if first.count else counted(there, "byte")
                self._finish(first, not first.count, f"{come} in {first.timeout:g} s")
            else:
                break
        for late in [read for read in self._readers if now >= read.deadline]:
            self._readers.remove(late)
            finish(late.future, ReadOutcome(False, f"{self.name}: in {late.timeout:g} s another request was not done"))

    def _finish(self, read: _Read, success: bool, message: str) -> None:
        """The first in the line gets what there is, but not more than it wants."""
        self._readers.remove(read)
        count = read.count or len(self._buffer)
        data = bytes(self._buffer[:count])
        del self._buffer[:count]
        finish(read.future, ReadOutcome(success, f"{self.name}: {message}", data))


@dataclass(frozen=True, slots=True)
class AuxPort:
    """Both directions of one port, numbered from 1."""

    number: int
    reader: AuxReader
    writer: AuxWriter


def aux_ports(context: Context, byte_time: Callable[[], float]) -> tuple[AuxPort, ...]:
    """Every port that a robot of the family may have. `byte_time`: s per byte on the line to the robot."""
    return tuple(
        AuxPort(number, AuxReader(context, number, byte_time), AuxWriter(context, number, byte_time))
        for number in range(1, len(PORTS) + 1)
    )


def _port_byte_time(config: Config, field: str) -> float:
    """s per byte at the port itself; AmigOS reports AUX1 only, and FLASH has 9600 baud for all."""
    code = getattr(config, field) or 0
    return 10 / BAUD_RATES[min(code, len(BAUD_RATES) - 1)]


def _room(byte_time: float, overhead: int) -> int:
    """Bytes that a frame may carry beside its `overhead` to be through in HOLD; the firmware's most on a fast line."""
    return max(1, min(MAX_TEXT, int(HOLD / byte_time) - overhead)) if byte_time else MAX_TEXT
