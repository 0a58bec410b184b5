# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A client as small as the measurements need it: every command is the caller's, every packet is kept with its time.

The driver repeats, delays and refuses commands to keep a robot safe; a measurement must know which byte was sent when.
What keeps the robot safe here: the firmware's watchdog stays armed, and `halt` ends every motion on every exit.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from amigobot_driver import AmigoBotError, PortError, Profile
from amigobot_driver.connection_policy import MODEM_ANSWER, MODEM_BAUD, MODEM_CONNECT, SEARCH_SPEEDS
from amigobot_driver.packet_file import RecordedFrame
from amigobot_driver.protocol import (
    BAUD_RATES,
    Command,
    CommandTable,
    ErraticConfig,
    FrameDecoder,
    Instruction,
    Packet,
    Parameters,
    Sip,
    SyncReply,
    Unlisted,
    parse,
)
from amigobot_driver.robot import radio_modem
from amigobot_driver.robot.dialects import Dialect, dialects

from .line import Line

P = TypeVar("P", bound=Packet)

#: letter of the firmware of an Erratic
_ERRATIC = "E"
#: s between two commands, if the profile asks for no more; s between two PULSEs while nothing else is sent
_SPACING, _BEAT = 0.02, 0.4
#: bits on the line for one byte
_BITS = 10
#: s that a read may take, so that a key stops the robot at once
_SLICE = 0.05
#: s to wait for an answer, and how often it is asked for
_ANSWER, _TRIES = 0.6, 3
#: s without a command before CLOSE
_UNHURRIED = 0.15
#: s in which a robot that sends without a request is detected
_LISTEN = 0.25


class Stopped(Exception):
    """The owner has pressed a key."""


class NoAnswer(AmigoBotError):
    """The robot does not answer."""


@dataclass(frozen=True, slots=True)
class Stamped:
    """A packet, and when its first byte was sent (s)."""

    time: float
    packet: Packet  #: that of an Erratic as the packet of an ActivMedia robot, where there is an equivalent
    data: bytes  #: as received, without header, count and checksum


class Client:
    """One session with a robot, in the commands and packets of an ActivMedia robot; the dialect translates them.

    Args:
        line: To the robot.
        stopped: Whether the owner wants everything to stop; asked at least 20 times a second.
    """

    def __init__(self, line: Line, stopped: Callable[[], bool] = lambda: False) -> None:
        self.line = line
        self._dialects = dialects()
        self.dialect = self._dialects[0]
        self._spacing = _SPACING
        self.opened = False
        self.packets: list[Stamped] = []
        self.commands: list[str] = []  #: what was sent, PULSEs that only keep the session alive left out
        self.records: list[RecordedFrame] = []
        self._stopped = stopped
        self._decoder = FrameDecoder()
        self._bridge_byte_time = 0.0  #: of the serial line behind a network connection, as CONFIG has it
        self._sent_at = -1e9
        self._began = line.now()

    # -- time and bytes ---------------------------------------------------------------------------------------

    def now(self) -> float:
        """The time in s."""
        return self.line.now()

    def wait(self, seconds: float, *, alive: bool = True) -> list[Stamped]:
        """Let time pass.

        Args:
            seconds: How long.
            alive: Send PULSE while the session is open, so that the watchdog does not stop the robot.

        Returns:
            The packets that arrived.

        Raises:
            Stopped: The owner has pressed a key.
        """
        first, end = len(self.packets), self.now() + seconds
        while (now := self.now()) < end - 1e-9:
            if self._stopped():
                raise Stopped
            if alive and self.opened and now - self._sent_at >= _BEAT:
                self._write(Command.PULSE())
            self._receive(self.line.read(min(_SLICE, end - now)))
        return self.packets[first:]

    def wait_for(
        self, kind: type[P], seconds: float, accept: Callable[[P], bool] = lambda packet: True, *, alive: bool = True
    ) -> P | None:
        """Wait for the next packet of a kind, at most `seconds`."""
        first, end = len(self.packets), self.now() + seconds
        while True:
            for stamped in self.packets[first:]:
                if isinstance(stamped.packet, kind) and accept(stamped.packet):
                    return stamped.packet
            first = len(self.packets)
            if self.now() >= end - 1e-9:
                return None
            self.wait(min(0.01, end - self.now()), alive=alive)

    def _receive(self, data: bytes) -> None:
        known = self.line.byte_time
        self._decoder.byte_time = self._bridge_byte_time if known is None else known
        for frame in self._decoder.feed(data, self.now()):
            packet = self.dialect.on_packet(parse(frame.data, self.dialect.packets))
            self.packets.append(Stamped(frame.stamp, packet, frame.data))
            self.records.append(RecordedFrame(frame.stamp - self._began, False, frame.data))

    # -- commands ---------------------------------------------------------------------------------------------

    def send(self, *instructions: Instruction | Unlisted) -> float:
        """Send commands, spaced as the firmware needs it.

        Returns:
            When the last one was sent, s.

        Raises:
            ValueError: The robot has no such command.
        """
        for instruction in instructions:
            self.wait(max(0.0, self._sent_at + self._spacing - self.now()), alive=False)
            self.commands.append(str(self._write(instruction)))
        return self._sent_at

    def can_send(self, command: CommandTable) -> bool:
        """Return whether the dialect has a command, whatever the firmware makes of it."""
        return self.dialect.supports(command, "")

    def send_bytes(self, frame: bytes, name: str) -> None:
        """Send a frame as it stands, right or wrong; `name` is for the report."""
        self.wait(max(0.0, self._sent_at + self._spacing - self.now()), alive=False)
        self._sent_at = self.now()
        self.line.write(frame)
        self.commands.append(name)
        self.records.append(RecordedFrame(self._sent_at - self._began, True, frame[3:-2]))

    def _write(self, instruction: Instruction | Unlisted) -> Instruction | Unlisted:
        """Send a command in the robot's dialect, and return it."""
        own = self.dialect.command(instruction)
        if own is None:
            raise ValueError(f"this robot has no command {instruction}")
        frame = own.encode(self.dialect.check)
        self.line.write(frame)
        self._sent_at = self.now()
        self.records.append(RecordedFrame(self._sent_at - self._began, True, frame[3:-2]))
        return own

    def ask(self, instruction: Instruction, kind: type[P], seconds: float = _ANSWER) -> P | None:
        """Send a command and return its answer; None if there is none."""
        self.send(instruction)
        return self.wait_for(kind, seconds)

    def config(self) -> Parameters | None:
        """Request the CONFIG packet; None if the robot does not answer."""
        for _ in range(_TRIES):
            if (answer := self.ask(Command.CONFIG(), Parameters)) is not None:
                if answer.host_baud < len(BAUD_RATES):
                    self._bridge_byte_time = _BITS / BAUD_RATES[answer.host_baud]
                return answer
        return None

    # -- the session ------------------------------------------------------------------------------------------

    def set_profile(self, profile: Profile) -> None:
        """Use the dialect of a profile, and its choices where the manuals contradict each other."""
        if profile.firmware:
            self._use(next(each for each in self._dialects if set(profile.firmware) & set(each.firmware)))
        self.dialect.set_profile(profile)
        self._decoder.check = self.dialect.check
        self._spacing = max(_SPACING, profile.link.command_spacing)

    def _use(self, dialect: Dialect) -> None:
        """Speak a dialect from now on; what was received in another one is no longer among the packets."""
        if dialect is not self.dialect:
            self.dialect = dialect
            self.packets.clear()

    def connect(self) -> SyncReply:
        """Find the robot at one of the line speeds, end a session that is open, and synchronize.

        Raises:
            NoAnswer: No robot answers.
        """
        for rounds, baud in itertools.product((1, _TRIES), SEARCH_SPEEDS):
            self.line.set_baud(baud)
            streaming = self.wait_for(Packet, _LISTEN, lambda packet: any(d.streams(packet) for d in self._dialects))
            if streaming is None and baud == MODEM_BAUD:
                self._call_modem()
            if streaming is not None:
                self._use(next(each for each in self._dialects if each.streams(streaming)))
            reply = self._identify() if self.is_erratic else self._synchronize(rounds, streaming=streaming is not None)
            if reply is not None:
                return reply
        raise NoAnswer(
            "no robot answers at any line speed: is it switched on, is the cable in its serial port? `amigobot doctor` "
            "finds out why"
        )

    def _call_modem(self) -> None:
        """Let a radio modem call that of the robot, as the driver does."""
        self.line.write(radio_modem.CALL)
        text, began = b"", self.now()
        while self.now() < began + (MODEM_CONNECT if radio_modem.is_connecting(text) else MODEM_ANSWER):
            text += self.line.read(_SLICE)

    @property
    def is_erratic(self) -> bool:
        """Whether the robot is an Erratic, which sends and obeys without a handshake."""
        return self.dialect.firmware == _ERRATIC

    def _identify(self) -> SyncReply | None:
        """Stop an Erratic, and ask it for its parameters, which have its name."""
        self.send(Command.STOP(), Command.ENABLE(0))
        answer = self.config()
        if not isinstance(answer, ErraticConfig):
            return None
        return SyncReply(name=answer.name, robot_class=answer.type, subclass=answer.subtype)

    def _synchronize(self, rounds: int, *, streaming: bool) -> SyncReply | None:
        if streaming:
            self.send(Command.STOP(), Command.ENABLE(0))
            self._send_close()
            self.wait(0.3)
        for _ in range(rounds):
            if self._sync(0) and self._sync(1) and isinstance(reply := self._sync(2), SyncReply):
                return reply
            # Frees a robot that another program left synchronized but not open.
            self.send(Command.OPEN())
            self._send_close()
            self.wait(0.2)
        return None

    def send_sync(self, number: int) -> None:
        """Send SYNC0, SYNC1 or SYNC2, which have the numbers of PULSE, OPEN and CLOSE."""
        self.send(Unlisted(number))
        self.commands[-1] = f"SYNC{number}"

    def _sync(self, number: int) -> Packet | None:
        self.send_sync(number)
        return self.wait_for(Packet, _ANSWER, lambda packet: getattr(packet, "id", None) == number)

    def open(self) -> None:
        """Open the session: packets flow, the motors are off.

        Raises:
            NoAnswer: No standard packet comes.
        """
        self.send(Command.OPEN())
        self.opened = True
        self.send(Command.PULSE())
        if self.wait_for(Sip, 2.0) is None:
            raise NoAnswer("the robot answers, but sends no standard packet after OPEN: is its battery below 11 V?")

    def close(self) -> None:
        """Stop the robot and end the session."""
        if self.opened:
            self.send(Command.STOP(), Command.ENABLE(0), Command.SONAR(0))
            self._send_close()
        self.opened = False
        try:
            self.wait(0.3, alive=False)
        except PortError:  # MobileSim ends the connection at CLOSE
            self.line.reopen()

    def _send_close(self) -> None:
        """End the session; right after another command, CLOSE did not end that of a real Pioneer."""
        self.wait(_UNHURRIED, alive=False)
        self.send(Command.CLOSE())

    def halt(self) -> None:
        """Stop the robot and switch its motors off, also if the owner presses keys meanwhile."""
        stopped, self._stopped = self._stopped, lambda: False
        try:
            if self.opened:
                self.send(Command.STOP(), Command.STOP(), Command.ENABLE(0))
        finally:
            self._stopped = stopped

    def end(self) -> None:
        """End the session for good; a line that fails by now is left to the robot's watchdog."""
        self._stopped = lambda: False
        with contextlib.suppress(AmigoBotError):
            self.close()
