# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A client as small as the measurements need it: every command is the caller's, every packet is kept with its time.

The driver repeats, delays and refuses commands to keep a robot safe; a measurement must know which byte was sent when.
What keeps the robot safe here: the firmware's watchdog stays armed, and `halt` ends every motion on every exit.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from amigobot_driver import AmigoBotError, ConnectionFailedError, PortError, Profile
from amigobot_driver.connection_policy import ANSWER_TIMEOUT, CLOSE_SILENCE, CONNECT_TIMEOUT, KEEP_ALIVE
from amigobot_driver.packet_file import RecordedFrame
from amigobot_driver.protocol import (
    BAUD_RATES,
    Command,
    FrameDecoder,
    Instruction,
    Packet,
    Parameters,
    SyncReply,
    parse,
)
from amigobot_driver.robot.dialects import Dialect, dialects
from amigobot_driver.robot.session import Session
from amigobot_driver.transport import Port

P = TypeVar("P", bound=Packet)

_FIRST_BAUD = 9600
_BYTE = 10  # bits on the line
_READ = 0.05  # s that a read takes at most, so that a key stops the robot at once
_SPACING = 0.02  # s between two commands, if the profile asks for no more
_TRIES = 3  # times that CONFIG is requested


class StoppedError(Exception):
    """The person at the robot has pressed a key."""


@dataclass(frozen=True, slots=True)
class Stamped:
    """A packet, and when its first byte was sent (s)."""

    time: float
    packet: Packet  #: that of an Erratic as the packet of an ActivMedia robot, where there is an equivalent
    data: bytes  #: as received, without header, count and checksum


class Client:
    """One session with a robot, in the commands and packets of an ActivMedia robot; the dialect translates them.

    Args:
        open_port: Opens the port, also after it was lost.
        now: Returns the time in s, as of the port.
        stopped: Whether everything shall stop; asked at least 20 times a second.
    """

    def __init__(
        self,
        open_port: Callable[[], Port],
        now: Callable[[], float] = time.monotonic,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.now = now
        self.dialect: Dialect = dialects()[0]
        self.opened = False
        self.packets: list[Stamped] = []
        self.commands: list[str] = []  #: what was sent, without the handshake and PULSEs that keep the session alive
        self.on_record: Callable[[RecordedFrame], None] = lambda record: None  #: called with each frame, both ways
        self._open_port, self._port = open_port, open_port()
        self._stopped = stopped
        self._known: Dialect | None = None  #: that of the robot, once it is known
        self._baud, self._spacing = _FIRST_BAUD, _SPACING
        self._decoder = FrameDecoder()
        self._bridge_byte_time = 0.0  #: s, of the serial line behind a network connection, as CONFIG has it
        self._began, self._sent_at = now(), now() - 1.0

    # -- time and bytes -----------------------------------------------------------------------------------------------

    def wait(self, seconds: float, *, alive: bool = True) -> list[Stamped]:
        """Let time pass.

        Args:
            seconds: How long.
            alive: Send PULSE while the session is open, so that the watchdog does not stop the robot.

        Returns:
            The packets that arrived.

        Raises:
            StoppedError: The person has pressed a key.
        """
        first, end = len(self.packets), self.now() + seconds
        while (now := self.now()) < end - 1e-9:
            if self._stopped():
                raise StoppedError
            if alive and self.opened and now - self._sent_at >= KEEP_ALIVE:
                self._write(Command.PULSE())
            self._decode(self._port.read(min(_READ, end - now)))
        return self.packets[first:]

    def wait_for(self, kind: type[P], seconds: float, accept: Callable[[P], bool] = lambda packet: True) -> P | None:
        """Wait for the next packet of a kind, at most `seconds`."""
        end = self.now() + seconds
        while (left := end - self.now()) > 1e-6:
            for stamped in self.wait(min(0.01, left)):
                if isinstance(stamped.packet, kind) and accept(stamped.packet):
                    return stamped.packet
        return None

    def _decode(self, data: bytes) -> list[Stamped]:
        """Take the bytes of a read; return the packets that are complete."""
        known, first = self._port.byte_time, len(self.packets)
        self._decoder.byte_time = self._bridge_byte_time if known is None else known
        for frame in self._decoder.feed(data, self.now()):
            packet = self.dialect.on_packet(parse(frame.data, self.dialect.packets))
            self.packets.append(Stamped(frame.stamp, packet, frame.data))
            self.on_record(RecordedFrame(frame.stamp - self._began, False, frame.data))
        return self.packets[first:]

    # -- commands -----------------------------------------------------------------------------------------------------

    def send(self, *instructions: Instruction) -> float:
        """Send commands, spaced as the firmware needs it.

        Returns:
            When the last one was sent, s.
        """
        for instruction in instructions:
            self._pause()
            self.commands.append(str(self._write(instruction)))
        return self._sent_at

    def send_bytes(self, frame: bytes, name: str) -> None:
        """Send a frame as it stands, right or wrong; `name` is for the report."""
        self._pause()
        self._write_frame(frame)
        self.commands.append(name)

    def ask(self, instruction: Instruction, kind: type[P], seconds: float = ANSWER_TIMEOUT) -> P | None:
        """Send a command and return its answer; None if there is none."""
        self.send(instruction)
        return self.wait_for(kind, seconds)

    def config(self) -> Parameters | None:
        """Request the CONFIG packet; None if the robot does not answer."""
        for _ in range(_TRIES):
            if (answer := self.ask(Command.CONFIG(), Parameters)) is not None:
                code = answer.value("host_baud")
                if code is not None and code < len(BAUD_RATES):
                    self._bridge_byte_time = _BYTE / BAUD_RATES[code]
                return answer
        return None

    def _pause(self) -> None:
        self.wait(max(0.0, self._sent_at + self._spacing - self.now()), alive=False)

    def _write(self, instruction: Instruction) -> Instruction:
        """Send a command in the robot's dialect, and return it."""
        own = self.dialect.command(instruction)
        if own is None:
            raise ValueError(f"this robot has no command {instruction}")
        self._write_frame(own.encode(self.dialect.check))
        return own

    def _write_frame(self, frame: bytes) -> None:
        self._port.write(frame)
        self._sent_at = self.now()
        if data := frame[3:-2]:  # a recording has frames only, not FA FB 12 FE
            self.on_record(RecordedFrame(self._sent_at - self._began, True, data))

    # -- the session --------------------------------------------------------------------------------------------------

    def set_profile(self, profile: Profile) -> None:
        """Use the dialect of a profile, and its choices where the manuals contradict each other."""
        if profile.firmware:
            known = (self.dialect, *dialects())
            self.dialect = self._known = next(each for each in known if set(profile.firmware) & set(each.firmware))
        self.dialect.set_profile(profile)
        self._decoder.check = self.dialect.check
        self._spacing = max(_SPACING, profile.link.command_spacing)

    def connect(self) -> SyncReply:
        """Find the robot as the driver does, and open a session: packets flow, the motors are off.

        Raises:
            ConnectionFailedError: No robot answers, or it opens no session.
        """
        self.opened = False
        queue: deque[Instruction] = deque()
        candidates = (self._known,) if self._known else dialects()
        session = Session(queue.append, self._set_baud, candidates, self._known, write=self._port.write)
        session.start(self.now(), 0 if self._port.byte_time in (None, 0.0) else self._baud)
        end = self.now() + CONNECT_TIMEOUT
        while not session.running:
            if self._stopped():
                raise StoppedError
            if (now := self.now()) >= end:
                raise ConnectionFailedError(session.note.removesuffix("Retrying") + "`amigobot doctor` finds out why")
            self.dialect = session.dialect
            if queue and now >= self._sent_at + self._spacing:
                self._write(queue.popleft())
            due = min(session.deadline, self._sent_at + self._spacing if queue else end)
            data = self._port.read(min(_READ, max(0.0, due - now)))
            session.on_bytes(data)
            for stamped in self._decode(data):
                session.receive(stamped.packet, self.now())
            if self.now() >= session.deadline:
                session.receive(None, self.now())
        if self._known is None:
            self.packets.clear()  # they were taken for those of another dialect
        self.dialect = self._known = session.dialect
        self.opened = True
        assert session.identity is not None
        return session.identity

    def _set_baud(self, baud: int) -> None:
        self._baud = baud
        self._port.set_baud(baud)
        self._decoder.reset()

    def close(self) -> None:
        """Stop the robot and end the session."""
        if self.opened:
            self.send(Command.STOP(), Command.ENABLE(0), Command.SONAR(0))
            self.wait(0.15, alive=False)  # right after another command, CLOSE did not end that of a real Pioneer
            self.send(Command.CLOSE())
        self.opened = False
        try:
            self.wait(CLOSE_SILENCE, alive=False)
        except PortError:  # MobileSim ends the connection at CLOSE
            self._port.close()
            self._port = self._open_port()

    def halt(self) -> None:
        """Stop the robot and switch its motors off, also if keys are pressed meanwhile."""
        stopped, self._stopped = self._stopped, lambda: False
        try:
            if self.opened:
                self.send(Command.STOP(), Command.STOP(), Command.ENABLE(0))
        finally:
            self._stopped = stopped

    def end(self) -> None:
        """End the session and close the port; a line that fails by now is left to the robot's watchdog."""
        self._stopped = lambda: False
        with contextlib.suppress(AmigoBotError):
            self.halt()
            self.close()
        self._port.close()
