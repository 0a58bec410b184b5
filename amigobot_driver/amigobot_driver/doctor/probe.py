# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Asks for a robot at each line speed of an open port, and says what answers.

The probe sends only what ends or begins a handshake: SYNC0, SYNC1, SYNC2 and CLOSE (docs/protocol 3.2), and the call
of a radio modem. A robot does not move from it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial

from ..connection_policy import MODEM_ANSWER, MODEM_BAUD, MODEM_CONNECT, SEARCH_SPEEDS
from ..protocol import (
    Command,
    FrameDecoder,
    Sip,
    checksum_with_count,
    parse,
)
from ..robot import radio_modem
from ..transport import Port
from .strangers import stranger

#: Time in s to listen before the first byte is sent, in the first and in the second round: in a session a robot sends
#: at least every 0.1 s.
LISTEN = (0.15, 0.25)
#: Time in s to wait for each answer, in the first and in the second round: a robot on a cable answers within 0.1 s at
#: 9600 baud, one behind a radio later.
ANSWER = (0.3, 0.5)
#: Line speed of older GPS receivers, and s in which one sends its text at least once.
_GPS_SPEED, _GPS_PERIOD = 4800, 1.3
#: Share of printable bytes in a text.
_TEXT = 0.8
_EMPTY_LINE = b"\r\n"
#: The only frame of the probe that no robot sends: an answer that contains it is an echo.
_STOP = Command.STOP().encode()
#: Bytes of a SYNC frame.
_SYNC = len(Command.PULSE().encode())
#: SYNC0s of a trial, and those in a row without an answer that end it; s to wait for each answer, and for late ones
#: before the trial.
_TRIALS, _MISSED, _PATIENCE, _QUIET = 20, 3, 1.8, 1.5


class Answer(Enum):
    """What is at the other end."""

    ROBOT = auto()
    LOOP_BACK = auto()  #: every byte comes back
    ECHO = auto()  #: every byte comes back, and a robot answers
    TEXT = auto()
    NOISE = auto()  #: bytes that are neither packets nor text
    SILENCE = auto()


@dataclass(slots=True)
class ProbeResult:
    """What the probe received."""

    answer: Answer = Answer.SILENCE
    baud: int = 0  #: line speed of the answer; 0: the port has none
    streaming: bool = False  #: the robot was in a session that another program left open, or it is an Erratic
    counted: bool = False  #: the checksum of its packets includes the count (docs/protocol E-40)
    unasked: int = 0  #: number of times that bytes came while nothing was sent
    received: bytes = b""  #: bytes that were received at the line speed of the answer
    sent: int = 0  #: number of bytes that were sent
    prompt: bool = True  #: it answered at the first attempt
    speeds: tuple[int, ...] = ()  #: line speeds in baud that were tried
    received_by_speed: dict[int, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CommandTrial:
    """One command that was sent for its answer: SYNC0 before a session, CONFIG in it."""

    argument: int | None
    sent: float  #: s
    latency: float  #: s until its answer; inf: none came


_PASSED = CommandTrial(None, 0.0, 0.0)


class Prober:
    """Probes one port."""

    def __init__(self, port: Port, early: bytes = b"", clock: Callable[[], float] = time.monotonic) -> None:
        """Make a prober.

        Args:
            port: The open port.
            early: Bytes that were read from it before.
            clock: Returns seconds.
        """
        self._port, self._clock = port, clock
        self._early = early
        self.result = ProbeResult()

    def run(self, first_speed: int = 0) -> ProbeResult:
        """Try every line speed until a robot answers.

        Args:
            first_speed: Line speed to try before the others; 0: the most probable one.

        Raises:
            PortError: The port was lost.
        """
        speeds: tuple[int, ...] = SEARCH_SPEEDS
        if self._port.byte_time is None or self._port.byte_time == 0 or self._port.name.startswith("sim:"):
            speeds = (0,)  # a network connection or a simulated robot has no speed on this side
        elif first_speed:
            speeds = (first_speed, *(speed for speed in SEARCH_SPEEDS if speed != first_speed))
        result, rounds = self.result, tuple(zip(LISTEN, ANSWER, strict=True))
        # With one speed there is time to be patient from the start.
        rounds = rounds if len(speeds) > 1 else rounds[-1:] * len(rounds)
        for number, (listen, answer) in enumerate(rounds, 1):
            for speed in speeds:
                result.speeds = tuple(dict.fromkeys((*result.speeds, speed)))
                if self._try(speed, listen, answer, last=number == len(rounds)):
                    return result
            if any(stranger(data) for data in result.received_by_speed.values()):
                break
        self._classify()
        if result.answer is Answer.NOISE and result.unasked > 1 and len(speeds) > 1:
            self._listen_for_gps()
        return result

    def try_commands(self) -> tuple[CommandTrial, ...]:
        """Send SYNC0 to a robot that was found, again and again, each after the answer to the one before.

        Raises:
            PortError: The port was lost.
        """
        result, trials = self.result, list[CommandTrial]()
        if not result.prompt:
            # A late answer may be that to a question at an earlier speed.
            for speed in (result.baud, *(speed for speed in reversed(result.speeds) if speed != result.baud)):
                if speed:
                    self._port.set_baud(speed)
                if math.isfinite(self._wake().latency):
                    result.baud = speed
                    break
            else:
                if result.baud:
                    self._port.set_baud(result.baud)
        while len(trials) < _TRIALS and any(math.isfinite(one.latency) for one in [_PASSED, *trials][-_MISSED:]):
            trials.append(self._try_sync())
            if sum(one.latency for one in trials if math.isfinite(one.latency)) > _PATIENCE:
                break
        return tuple(trials)

    # -- inside -------------------------------------------------------------------------------------------------------

    def _wake(self) -> CommandTrial:
        """End whatever state the robot is in, wait for late answers, and try SYNC0."""
        # A session is closed, and a robot that is synchronized and not open takes OPEN only.
        for commands in ((Command.STOP(), Command.CLOSE()), (Command.OPEN(), Command.CLOSE())):
            for command in commands:
                self._send(command.encode())
            self._read(self.result.baud, _QUIET / 2)
        return self._try_sync()

    def _try_sync(self) -> CommandTrial:
        question = Command.PULSE().encode()
        self._send(question)
        sent = self._clock()
        data = self._read(self.result.baud, _PATIENCE, lambda data: question in data)
        return CommandTrial(None, sent, self._clock() - sent if question in data else math.inf)

    def _try(self, speed: int, listen: float, answer: float, *, last: bool) -> bool:
        """Ask at one speed; whether the answer is clear. In the last round, each command is tried without answers."""
        self.result.prompt = self.result.sent == 0
        if speed:
            self._port.set_baud(speed)
        received = self._early + self._read(speed, listen)
        self.result.unasked += bool(received)
        self.result.received_by_speed[speed] = self._early + self.result.received_by_speed[speed]
        self._early = b""
        # What is like a command is a late echo: a robot that was not asked sends no answer to SYNC0 or SYNC1.
        if packets := _packets(_without_echo(received)):
            return self._found(Answer.ROBOT, speed, streaming=_streams(packets))
        if speed == MODEM_BAUD and not received:
            self._call_modem()
        # STOP comes first on a serial line: in a session that the probe did not notice, every other frame would revive
        # the last velocity (docs/protocol 3.6). A TCP connection is a new session; STOP blocks MobileSim.
        sent = self._send(_STOP) if speed else b""
        received = b""
        for command in (Command.PULSE(), Command.OPEN(), Command.CLOSE()):
            sent += self._send(command.encode())
            received += self._read(speed, answer, enough=partial(_complete, sent, received))
            # Damaged answers: those to SYNC1 and SYNC2 may show what damages them.
            if received != sent and _STOP not in received and (_packets(received) or not (received or last)):
                break
        if received and (received == sent or _STOP in received):
            # A robot behind an adapter that echoes answers later than the echo.
            received += self._read(speed, answer)
            if _packets(_without_echo(received)):
                return self._found(Answer.ECHO, speed)
            if received == sent:
                return self._found(Answer.LOOP_BACK, speed)
        # It ends the state SYNCED, in which a robot is silent, also if another program has left it there.
        self._send(Command.CLOSE().encode())
        if (packets := _packets(received)) and _STOP not in received:
            self._read(speed, listen)
            return self._found(Answer.ROBOT, speed, streaming=_streams(packets))
        # A modem, a console or a server answers to an empty line; a robot skips it.
        self._send(_EMPTY_LINE)
        return False

    def _call_modem(self) -> None:
        """Let a radio modem call that of the robot, as the driver does."""
        self._send(radio_modem.CALL)
        text = self._read(MODEM_BAUD, MODEM_ANSWER, lambda text: text != b"" and not radio_modem.is_connecting(text))
        if radio_modem.is_connecting(text):
            self._read(MODEM_BAUD, MODEM_CONNECT, lambda more: radio_modem.is_settled(text + more))

    def _found(self, answer: Answer, speed: int, *, streaming: bool = False) -> bool:
        result = self.result
        result.answer, result.baud, result.streaming = answer, speed, streaming
        result.received = result.received_by_speed.get(speed, b"")
        result.counted = answer is Answer.ROBOT and not FrameDecoder().feed(result.received, 0.0)
        return True

    def _classify(self) -> None:
        """Say what the bytes are that contain no packet: those of the speed with the most printable text."""
        result = self.result
        received = {speed: _without_echo(data) for speed, data in result.received_by_speed.items() if data}
        if not received:
            return
        result.received_by_speed = received
        speed = max(received, key=lambda speed: (printable_share(received[speed]) >= _TEXT, len(received[speed])))
        text = printable_share(received[speed]) >= _TEXT
        self._found(Answer.TEXT if text else Answer.NOISE, speed)

    def _listen_for_gps(self) -> None:
        """Listen at the one usual speed that no robot has."""
        self._port.set_baud(_GPS_SPEED)
        if stranger(self._read(_GPS_SPEED, _GPS_PERIOD)):
            self._found(Answer.TEXT, _GPS_SPEED)

    def _send(self, data: bytes) -> bytes:
        self._port.write(data)
        self.result.sent += len(data)
        return data

    def _read(self, speed: int, seconds: float, enough: Callable[[bytes], bool] = lambda data: False) -> bytes:
        data, end = b"", self._clock() + seconds
        while (remaining := end - self._clock()) > 0 and not enough(data):
            data += self._port.read(remaining)
        self.result.received_by_speed[speed] = self.result.received_by_speed.get(speed, b"") + data
        return data


def _complete(sent: bytes, before: bytes, data: bytes) -> bool:
    """Whether no more bytes need be awaited: each command has its answer, or all that was sent has come back."""
    received = before + data
    if sent.startswith(received) and len(sent) > _SYNC:
        return received == sent
    return len(_packets(received)) >= len(_packets(sent.replace(_STOP, b"")))


def printable_share(data: bytes) -> float:
    """Return the share of bytes that are printable ASCII or ends of lines."""
    return sum(0x20 <= byte < 0x7F or byte in b"\r\n\t" for byte in data) / len(data) if data else 0.0


def _without_echo(data: bytes) -> bytes:
    for command in (Command.STOP(), Command.PULSE(), Command.OPEN(), Command.CLOSE()):
        data = data.replace(command.encode(), b"")
    return data.replace(radio_modem.CALL, b"")


def _packets(data: bytes) -> list[bytes]:
    """The data of the valid frames, with the checksum of either dialect."""
    plain = FrameDecoder().feed(data, 0.0)
    return [frame.data for frame in plain or FrameDecoder(check=checksum_with_count).feed(data, 0.0)]


def _streams(packets: list[bytes]) -> bool:
    """Whether packets of an open session are among these."""
    return any(isinstance(parse(packet), Sip) or packet[0] & 0xF0 == 0x80 for packet in packets)
