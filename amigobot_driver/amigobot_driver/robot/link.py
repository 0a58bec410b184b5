# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The side of a robot that faces the port: bytes to packets, packets to session and components, commands to frames.

No I/O, no threads, no clock. The owner of the port calls `receive` with the bytes of each read and `poll` when
`next_time` has come, and writes what `take` returns until that is None. Each call returns the events that it caused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..connection_policy import DRIVER_SILENCE
from ..protocol import FRAME_DATA, OVERHEAD, Command, Frame, FrameDecoder, Malformed, Packet, Reset, Sip, Unknown, parse
from ..wording import counted
from .command_queue import CommandQueue, Priority
from .component import Component, Dispatcher
from .dialects import Dialect
from .events import BaudChange, Event, FrameSeen, LinkChanged, ModemCall, Notice, Received
from .link_observer import LinkObserver
from .scheduler import Scheduler
from .session import LinkState, Session


@dataclass(slots=True)
class PacketStats:
    """Valid frames by their content."""

    standard: int = 0  #: SIPs
    other: int = 0  #: all other packets
    unknown: int = 0  #: among `other`, packets with an id that the driver does not know
    malformed: int = 0  #: among `other`, packets with a wrong length or content


class RobotLink:
    """Keeps a session with a robot, and hands packets to the components and commands to the line."""

    def __init__(
        self,
        observer: LinkObserver,
        spacing: float,
        dialects: tuple[Dialect, ...],
        pinned: Dialect | None = None,
    ) -> None:
        """Make a link without a port.

        Args:
            observer: The robot behind the link.
            spacing: Time in s between two frames to the robot.
            dialects: See `Session`.
            pinned: See `Session`.
        """
        self.decoder = FrameDecoder()
        self.packets = PacketStats()
        self.queue = CommandQueue(spacing)
        self.session = Session(
            self.queue.put,
            lambda baud: self.emit(BaudChange(baud)),
            dialects,
            pinned,
            write=lambda data: self.emit(ModemCall(data)),
        )
        self.trace = False  #: emit every frame, both ways
        self.sends, self.timeouts, self.dispatcher = Scheduler(), Scheduler(), Dispatcher()
        self.dispatcher.on_sent(Command.RESET, lambda command, now: self.session.reset_sent(now))
        self._observer = observer
        self.components: list[Component] = []  #: of the robot, in the order in which they begin a session
        self._reported = self.session.state, self.session.note
        self._events: list[Event] = []
        self._closing = self._ended = False

    # -- the port ---------------------------------------------------------------------------------------------

    def connected(self, byte_time: float | None, baud: int, now: float) -> list[Event]:
        """Look for the robot on a port that was opened; return the events that this caused.

        Args:
            byte_time: See `Port`.
            baud: The line speed at which to look for the robot first.
            now: Time in s.
        """
        self.set_byte_time(byte_time)
        self.queue.drop()
        self.session.start(now, baud if byte_time else 0)
        self._follow_session(now)
        return self._flush()

    def disconnected(self, why: str, now: float) -> list[Event]:
        """End the session: the port was closed, or could not be opened. Return the events that this caused.

        Args:
            why: Reason, for the operator.
            now: Time in s.
        """
        if not self._ended:  # MobileSim closes the connection at CLOSE
            self.session.stop(why)
            self._follow_session(now)
        self.queue.drop()
        return self._flush()

    def set_byte_time(self, byte_time: float | None) -> None:
        """Discard an incomplete frame and use another line speed; `byte_time` as in `Port`."""
        self.decoder.reset()
        self.decoder.byte_time = byte_time or 0.0
        self.decoder.check = self.session.dialect.check
        self._observer.on_byte_time(byte_time)

    def receive(self, data: bytes, now: float, arrived: float | None = None) -> list[Event]:
        """Process the bytes of one read. Never raises.

        Args:
            data: What the read returned.
            now: Time in s.
            arrived: Time in s when the read returned, if that was before `now`; frames are stamped from this time.

        Returns:
            The events that the bytes caused.
        """
        session = self.session
        if not session.running:
            session.on_bytes(data)
        for frame in self.decoder.feed(data, now if arrived is None else min(arrived, now)):
            dialect, running = session.dialect, session.running
            packet = parse(frame.data, dialect.packets)
            if self.trace:
                self._events.append(FrameSeen(False, type(packet).__name__, frame.data, frame.stamp))
            packet = dialect.on_packet(packet)
            while dialect.remarks:
                self._events.append(Notice(dialect.remarks.popleft()))
            session.receive(packet, now)
            self._follow_session(now)
            # The notice of a reset ends a session, and belongs to it.
            self._dispatch(packet, frame, now, in_session=session.running or (running and isinstance(packet, Reset)))
        return self._flush()

    def drained(self, read_until: float, now: float) -> list[Event]:
        """Confirm that all bytes that arrived before `read_until` (s) were received: a silent robot is lost now."""
        self.session.drained(read_until, now)
        self._follow_session(now)
        return self._flush()

    def poll(self, now: float) -> list[Event]:
        """Run the deadlines that are due; call it at `next_time` or earlier."""
        if now >= self.session.deadline:
            self.session.receive(None, now)
            self._follow_session(now)
        self.timeouts.run(now)
        if self.session.running:
            self.sends.run(now, self.queue.has_room)
        return self._flush()

    def take(self, now: float) -> bytes | None:
        """Return the next frame to write; None if none is due."""
        # After a freeze of the process a velocity may have expired in the queue: its timer replaces it.
        self.timeouts.run(now)
        queue, dialect = self.queue, self.session.dialect
        if self.session.running and now - queue.last_sent > DRIVER_SILENCE:
            # The process was suspended: old requests are void, and the first frame must be a stop.
            queue.drop(Priority.STOP, Priority.KEEP_ALIVE)
            for component in self.components:
                component.on_silence_of_driver(now)
        instruction = queue.take(now)
        if instruction is None:
            return None
        self.dispatcher.sent(instruction, now)
        translated = dialect.command(instruction)
        if translated is None:
            # The last check: a number with another meaning for this robot is never sent.
            queue.stats.withheld += 1
            self._events.append(Notice(f"{instruction} is not sent: this robot has no such command"))
            return None
        frame = translated.encode(dialect.check)
        queue.on_line(len(frame), now)
        if self.trace:
            self._events.append(FrameSeen(True, translated.name, frame[FRAME_DATA], now))
        return frame

    @property
    def read_deadline(self) -> float:
        """When silence ends the session (s), inf while none runs; call `drained` when the port is read after this."""
        return self.session.silent_at

    def next_time(self) -> float:
        """Return the time (s) at which `poll` or `take` must be called; inf if there is nothing to do."""
        time = min(self.session.deadline, self.queue.next_time(), self.timeouts.next_time())
        return min(time, self.sends.next_time()) if self.session.running and self.queue.has_room() else time

    def close(self) -> bool:
        """Close the session: stop, motors off, sonar off, CLOSE. `take` returns these frames, then nothing more.

        May be called again where the robot goes on sending: CLOSE is then sent first as well, because one that follows
        other commands without a pause left a robot half open (docs/reference/field.md).

        Returns:
            Whether there was a session to close.
        """
        self._ended = True
        again = self._closing
        open_states = LinkState.RUNNING, LinkState.OPENING, LinkState.LOST
        self._closing = self._closing or self.session.state in open_states
        self.session.stop("the driver is closing")
        self._reported = self.session.state, self.session.note  # no event: the driver ends
        self._end_session(self.session.note)
        # No component waits any longer: a RESET that is pending fails now.
        self.timeouts.run(math.inf)
        if again:
            self.queue.put(Command.CLOSE(), Priority.STOP)
        if self._closing:
            self.queue.put(Command.STOP(), Priority.STOP)
            self.queue.put(Command.ENABLE(0))
            self.queue.put(Command.SONAR(0))
            self.queue.put(Command.CLOSE())
        return self._closing

    # -- inside -----------------------------------------------------------------------------------------------

    def _follow_session(self, now: float) -> None:
        """Report a new state or note of the session, and notify observer and components of a new state."""
        (before, note), state = self._reported, self.session.state
        if (state, self.session.note) == (before, note):
            return
        self._reported = state, self.session.note
        requested = self.session.requested and state is LinkState.LOST
        self._events.append(LinkChanged(state, self.session.note, requested, self.session.refused))
        if state is before:
            return
        if before is LinkState.RUNNING:
            self._end_session(self.session.note)
        if state is LinkState.OPENING and self.session.identity:
            self._observer.on_identity(self.session.identity, now)
        elif state is LinkState.RUNNING:
            for component in self.components:
                component.on_session_start(now)

    def _dispatch(self, packet: Packet, frame: Frame, now: float, *, in_session: bool) -> None:
        if isinstance(packet, Sip):
            self.packets.standard += 1
        else:
            self.packets.other += 1
            self.packets.unknown += isinstance(packet, Unknown)
            self.packets.malformed += isinstance(packet, Malformed)
            self._events.append(Received(packet, frame.stamp))
        packet, measured = self._observer.measured(packet, frame.stamp, len(frame.data) + OVERHEAD)
        if in_session:
            self.dispatcher.packet(packet, measured, now)
        elif isinstance(packet, Sip) and self.session.state is LinkState.OPENING:
            self._observer.on_early_sip(packet, measured)

    def _end_session(self, why: str) -> None:
        if raw := self.queue.waiting(Priority.RAW):
            unsent = f"{counted(raw, 'requested command')} had not been sent"
            self._events.append(Notice(f"{unsent} when the connection ended, and will not be: {why}"))
        self.queue.drop()
        for component in self.components:
            component.on_session_end(why)

    def emit(self, event: Event) -> None:
        """Publish an event; the next call for the port returns it."""
        self._events.append(event)

    def _flush(self) -> list[Event]:
        events, self._events = self._events, []
        return events
