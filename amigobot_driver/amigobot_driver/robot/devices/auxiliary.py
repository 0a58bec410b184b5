# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The auxiliary serial ports: bytes in, by requesting them, and bytes out, in parts (docs/protocol 5.7).

The robot keeps the bytes of a device in a ring buffer. It answers GETAUX n when n bytes are available, in one SERAUX
packet; nothing is acknowledged (AmigoBot manual, ch. 5). So the driver requests one byte while the device is quiet,
which arrives at once, and `CHUNK` bytes while it sends. If these do not arrive, fewer bytes are available: it requests
them one by one. A request that replaces a waiting one loses nothing. The bytes of a lost SERAUX or TTY2 are lost.

No fixed size does both. Requests for one byte read 34 bytes/s at 9600 baud and 46 at 115200, of the 480 that a GPS
sends. With requests for `CHUNK` bytes the end of an answer would not arrive.
"""

from __future__ import annotations

import math
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field

from ...protocol import BAUD_RATES, BITS_PER_BYTE, OVERHEAD, Aux, Command, Instruction
from ...protocol.commands import MAX_TEXT
from ...wording import counted
from ..component import Component, Context
from ..outcome import Outcome, finish

#: s for which one frame to or from a port may occupy the line: a velocity or a SIP waits no longer for it.
HOLD = 0.03
#: Most bytes that may wait to be written, or to be read by `aux_read`.
BUFFER = 8192
#: Longest time of a request to read, s.
MAX_TIMEOUT = 3600.0
#: s without a byte after which a request for one may have been lost (Player's figure) and is repeated.
QUIET = 1.0
CHUNK = 32  # bytes that are requested at once while the device sends
#: s in which available bytes arrive: behind a SIP and another answer.
ANSWER_TIMEOUT = 0.3
#: Of each port: the commands that write and read.
PORTS = ((Command.TTY2, Command.GETAUX), (Command.TTY3, Command.GETAUX2), (Command.TTY4, Command.GETAUX3))


@dataclass(frozen=True, slots=True)
class WriteOutcome(Outcome):
    """The result of a write; `count` bytes were sent."""

    count: int = 0


@dataclass(frozen=True, slots=True)
class ReadOutcome(Outcome):
    """The result of a read, with the bytes that arrived, even if fewer than requested."""

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


@dataclass(slots=True)
class AuxStats:
    """Counters of one port."""

    number: int  #: of the port, from 1
    written: int = 0  #: bytes that were sent
    dropped: int = 0  #: bytes that were refused, or accepted and not sent
    received: int = 0  #: bytes that have arrived
    overwritten: int = 0  #: bytes that no `read` had taken when newer ones needed their space
    resent: int = 0  #: requests that were repeated because no byte arrived; a quiet device needs them, too


class AuxPort(Component):
    """One port. It requests bytes only while it is listening or read; each packet is a `Received` event."""

    def __init__(self, number: int, context: Context) -> None:
        """Make a port that is not read.

        Args:
            number: Of the port, from 1.
            context: The robot's.
        """
        super().__init__(context)
        self.name = f"AUX{number}"
        self.stats = AuxStats(number)
        self._id = Aux.IDS[number - 1]
        self._put, self._get = PORTS[number - 1]
        self._writes: deque[_Write] = deque()
        self._part: Instruction | None = None  #: on its way to the line
        self._free_at = -math.inf  #: s, when the port has sent the last part
        self._next_part = context.sends.timer(self._send_part)
        self._listening = False
        self._read: _Read | None = None  #: the request in progress
        self._buffer = bytearray()
        self._asked = 0  #: bytes of the request without an answer yet; 0: there is none
        self._singles = 1  #: requests for one byte before the next one for CHUNK
        self._to_flush = False
        self._next_request = context.sends.timer(self._ask)
        self._deadline = context.timeouts.timer(self._serve)
        context.on_packet(Aux, self._on_aux)
        context.on_sent(self._put, self._on_sent)

    # -- the session ------------------------------------------------------------------------------------------

    def on_session_start(self, now: float) -> None:
        """Request bytes if there is a reader."""
        self._serve(now)

    def on_session_end(self, why: str) -> None:
        """Fail the pending requests: the bytes that wait are dropped, a reader gets those that have arrived."""
        self._part = None
        for timer in (self._next_part, self._next_request, self._deadline):
            timer.cancel()
        self.stats.dropped += self._waiting
        while self._writes:
            write = self._writes.popleft()
            finish(write.future, WriteOutcome(False, f"{self.name}: {why}", write.sent))
        self._asked, self._singles, self._to_flush = 0, 1, False
        if self._read:
            self._finish(self._read, False, why)

    def _room(self, overhead: int) -> int:
        """Return the bytes that a frame may carry beside its `overhead` to be sent in HOLD; at most MAX_TEXT."""
        byte_time = self._context.queue.byte_time
        return max(1, min(MAX_TEXT, int(HOLD / byte_time) - overhead)) if byte_time else MAX_TEXT

    # -- output -----------------------------------------------------------------------------------------------

    def write(self, data: bytes) -> Future[WriteOutcome]:
        """Write bytes, once.

        Returns:
            The result, when the last byte was sent, or with the reason and the number of bytes sent.
        """
        write = _Write(data)
        why = self._context.unsupported(self._put)
        if not why and self._waiting + len(data) > BUFFER:
            why = f"no room for {counted(len(data), 'byte')}, {self._waiting} of at most {BUFFER} wait already"
        if why:
            self.stats.dropped += len(data)
            finish(write.future, WriteOutcome(False, f"{self.name}: {why}"))
        elif not data:
            finish(write.future, WriteOutcome(True, f"{self.name}: nothing to write"))
        else:
            self._writes.append(write)
            if self._part is None:
                self._next_part.set(self._free_at)
        return write.future

    @property
    def _waiting(self) -> int:
        """Bytes that were accepted and not sent yet."""
        return sum(len(write.data) - write.sent for write in self._writes)

    def _send_part(self, now: float) -> None:
        write = self._writes[0]
        # A part is a frame: its number, type and length go with it.
        self._part = self._put(write.data[write.sent : write.sent + self._room(OVERHEAD + 3)])
        self._context.queue.put(self._part)

    def _on_sent(self, command: Instruction, now: float) -> None:
        if command is not self._part or not isinstance(command.value, bytes):
            return
        self._part, write, count = None, self._writes[0], len(command.value)
        # The next part when the port is free: the size of the robot's buffer is not known.
        # AmigOS reports AUX1 only, and FLASH has 9600 baud for all.
        config = self._context.config()
        baud = config.baud(f"aux{self.stats.number}_baud") if config else 0
        self._free_at = now + count * BITS_PER_BYTE / (baud or BAUD_RATES[0])
        self.stats.written += count
        write.sent += count
        if write.sent == len(write.data):
            self._writes.popleft()
            message = f"{self.name}: {counted(write.sent, 'byte')} handed to the line"
            finish(write.future, WriteOutcome(True, message, write.sent))
        if self._writes:
            self._next_part.set(self._free_at)

    # -- input ------------------------------------------------------------------------------------------------

    @property
    def problem(self) -> str:
        """Why the port cannot be read, as a sentence; "" if it can."""
        return self._context.unsupported(self._get)

    def listen(self, on: bool, now: float) -> None:
        """Request every byte as it arrives, in this session and later ones; or stop. `now` is in s."""
        self._listening = on
        self._serve(now)

    def read(self, count: int, timeout: float, now: float, *, flush: bool = False) -> Future[ReadOutcome]:
        """Read bytes. One request at a time.

        Args:
            count: Number of bytes, 0 to 8192; 0: all that arrive.
            timeout: Time in s, 0 to 3600.
            now: Time in s.
            flush: First discard the bytes that have arrived; those on the line survive.

        Returns:
            The result, when the bytes have arrived or the time is over.
        """
        read = _Read(count, timeout, now + timeout)
        why = self.problem
        if not 0 <= count <= BUFFER:
            why = f"count is {count}, allowed: 0 to {BUFFER} bytes"
        elif not 0.0 <= timeout <= MAX_TIMEOUT:
            why = f"timeout is {timeout:g} s, allowed: 0 to {MAX_TIMEOUT:g} s"
        elif self._read:
            why = "another request reads the port already"
        if why:
            finish(read.future, ReadOutcome(False, f"{self.name}: {why}"))
            return read.future
        if flush:
            self._buffer.clear()
            self._to_flush = True
        if flush or not self._listening:
            # The only hint about the device is how many bytes the reader expects.
            self._asked, self._singles = 0, not count
        self._read = read
        self._serve(now)
        return read.future

    def _on_aux(self, packet: Aux, stamp: float, now: float) -> None:
        if packet.id != self._id:
            return
        self._asked, self._singles = 0, max(0, self._singles - 1)
        self._buffer += packet.data
        self.stats.received += len(packet.data)
        self._serve(now)
        surplus = max(0, len(self._buffer) - BUFFER)
        del self._buffer[:surplus]
        self.stats.overwritten += surplus

    def _ask(self, now: float) -> None:
        """Request bytes. The request before was answered, or was lost, or waits for more bytes than are available."""
        if self._to_flush:
            self._to_flush = False
            self._context.queue.put(self._get(0))
        if not (missing := self._missing()):
            return
        if self._asked:
            self._singles = CHUNK if self._asked > 1 else 1
            self.stats.resent += self._asked == 1
        self._asked = 1 if self._singles else min(CHUNK, missing, self._room(OVERHEAD + 1))
        self._context.queue.put(self._get(self._asked))
        self._next_request.set(now + (ANSWER_TIMEOUT if self._asked > 1 else QUIET))

    def _missing(self) -> int:
        """Return the bytes that a caller waits for; BUFFER while listening."""
        if self.problem or not (self._listening or self._read):
            return 0
        if self._listening or self._read is None or not self._read.count:
            return BUFFER
        return self._read.count - len(self._buffer)

    def _serve(self, now: float) -> None:
        """Finish the read if its bytes are there or its time is over; request bytes if any are missing."""
        read, there = self._read, len(self._buffer)
        if read and read.count and there >= read.count:
            self._finish(read, True, counted(read.count, "byte"))
        elif read and now >= read.deadline:
            come = f"{there} of {counted(read.count, 'byte')}" if read.count else counted(there, "byte")
            self._finish(read, not read.count, f"{come} in {read.timeout:g} s")
        self._deadline.set(self._read.deadline if self._read else math.inf)
        if not (self._to_flush or self._missing()):
            self._next_request.cancel()
        elif not (self._asked and self._next_request.pending):
            self._next_request.set(-math.inf)

    def _finish(self, read: _Read, success: bool, message: str) -> None:
        """Give the available bytes to a reader, but not more than it requested."""
        self._read = None
        count = read.count or len(self._buffer)
        data = bytes(self._buffer[:count])
        del self._buffer[:count]
        finish(read.future, ReadOutcome(success, f"{self.name}: {message}", data))
