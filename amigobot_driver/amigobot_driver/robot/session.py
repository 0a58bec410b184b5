# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The connection to one robot, as a pure object: packets and time in, instructions and a state out.

Source: docs/protocol 3.

A connection is one script, `Session._connection`, in the order of its steps: each `yield` waits for the next packet
until a deadline and gets None when the deadline passes first. There is no clock and no port here.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from enum import Enum

from .. import connection_policy as policy
from ..protocol import Command, Instruction, Packet, Reset, Sip, SyncReply, TuningValues
from ..wording import robot_name
from . import radio_modem
from .dialects import Dialect, Script

_NO_ANSWER = (
    "no robot answers{}: is it switched on, is the cable in its serial port, "
    "is another program connected to it? Retrying"
)
_LONGEST_TEXT = 200  #: bytes
_POLL_PERIOD = 0.05  #: s between two looks for text
_NAMELESS = SyncReply(name="", robot_class="", subclass="")


class LinkState(Enum):
    """State of a connection."""

    DISCONNECTED = 0  #: the port is not open
    SYNCING = 1  #: the driver asks for a robot
    OPENING = 2  #: a robot has answered; no SIP has arrived yet
    RUNNING = 3  #: the robot is connected
    LOST = 4  #: the session has ended by itself; the driver asks for the robot again


class Session:
    """Connects, detects a lost robot and connects again, without end."""

    def __init__(
        self,
        send: Callable[[Instruction], object],
        set_baud: Callable[[int], object],
        dialects: tuple[Dialect, ...],
        pinned: Dialect | None = None,
        *,
        write: Callable[[bytes], object] = lambda data: None,
    ) -> None:
        """Make a session that is not connected.

        Args:
            send: Queues an instruction.
            set_baud: Requests another line speed of the port.
            write: Sends bytes that are no frame.
            dialects: Of all robots; a handshake begins in the first one unless packets of another arrive.
            pinned: The only dialect to use.
        """
        self.state = LinkState.DISCONNECTED
        self.running = False  #: the state is RUNNING
        #: description for the operator: what is the case, why, and what to do
        self.note = "not connected"
        self.identity: SyncReply | None = None  #: of the robot of this session, or of the last one
        self.connections = 0
        self.requested = False  #: the last session ended because of a request of the user
        self._reset_at = -math.inf
        self.found_at = 0  #: the line speed of the last session, 0: none yet, or a port without one
        self.dialect = pinned or dialects[0]  #: in use
        self.send = send
        self._dialects, self._pinned, self._requested_dialect = dialects, pinned, pinned
        self._own: SyncReply | None = None  #: identity of the robot of the first session; None before
        self.refused = False  #: another robot was found at this line speed
        self._serial = ""  #: serial number of the robot
        self._doubtful = False  #: the last robot had the same name and model, and another serial number
        self._set_baud, self._write = set_baud, write
        self._text = b""  #: newest bytes from the port, which may be text of a radio modem
        self._modem_failed = False  #: a radio modem has said that it is not connected
        self._baud = 0
        self._now = 0.0
        self.deadline = math.inf  #: s, when `receive` must be called without a packet; inf while there is no port
        self._script: Script[None] | None = None
        #: s, when a running session is lost if no SIP has arrived until then; inf in other states
        self.silent_at = math.inf
        self._drained = -math.inf  #: s, all packets that arrived before this time have been received

    def start(self, now: float, baud: int) -> None:
        """Begin to connect on a port that was opened.

        Args:
            now: Time in s.
            baud: Line speed of the port, the likely one of the robot; 0 for a port without a line speed.
        """
        self._now = now
        self._baud = baud
        self._script = self._connection()
        self.silent_at = math.inf
        self.deadline = next(self._script)

    def stop(self, note: str) -> None:
        """End: the port was closed or is about to be. Nothing more is sent."""
        self._script = None
        self.refused = False
        self.deadline = self.silent_at = math.inf
        self._enter(LinkState.DISCONNECTED, note)

    def forget_robot(self) -> None:
        """Accept another robot in the next session, as in a recording."""
        self._pinned, self._own, self._serial = self._requested_dialect, None, ""

    def receive(self, packet: Packet | None, now: float) -> None:
        """Take a packet, or None when `deadline` has passed without one."""
        if self._script is not None:
            self._now = now
            self.deadline = self._script.send(packet)

    def on_bytes(self, data: bytes) -> None:
        """Take bytes outside a session, packets or not: a radio modem writes text."""
        self._text = (self._text + data)[-_LONGEST_TEXT:]

    def drained(self, read_until: float, now: float) -> None:
        """Confirm that the port was read: a silence until then is a silence of the robot.

        Args:
            read_until: Time in s. All packets that arrived before it were received.
            now: Current time in s; not before `read_until`.
        """
        self._drained = max(self._drained, read_until)
        if read_until >= self.silent_at:
            self.receive(None, now)

    def _enter(self, state: LinkState, note: str) -> None:
        self.state, self.note = state, note
        self.running = state is LinkState.RUNNING

    # -- for the handshake of a dialect -------------------------------------------------------------------------------

    def wait(self, seconds: float, accept: Callable[[Packet], bool]) -> Script[Packet | None]:
        """Wait for the first packet that `accept` returns True for; None after `seconds`."""
        deadline = self._now + seconds
        while self._now < deadline and (packet := (yield deadline)) is not None:
            if accept(packet):
                return packet
        return None

    def pause(self, seconds: float) -> Script[None]:
        """Ignore all packets for so many seconds."""
        yield from self.wait(seconds, lambda packet: False)

    def report(self, note: str) -> None:
        """Report the current step to the operator."""
        self._enter(LinkState.SYNCING, note)

    # -- the script -------------------------------------------------------------------------------------------

    def _connection(self) -> Script[None]:
        while True:
            yield from self._connect()
            self.connections += 1
            self._pinned, self._own = self.dialect, self.identity
            self.found_at = self._baud
            self._enter(LinkState.RUNNING, f"connected to {self._name()}{_at([self._baud])}")
            why = yield from self._run()
            self._enter(LinkState.LOST, why)

    def _connect(self) -> Script[None]:
        """Find the robot at any line speed and open a session; return when SIPs arrive."""
        likely = self._baud
        speeds = [likely, *(baud for baud in policy.SEARCH_SPEEDS if baud != likely)] if likely else [0]
        if self.connections:
            first = [(likely, policy.SYNC_ROUNDS)] * policy.VISITS_AT_KNOWN_SPEED
        else:
            first = [(baud, 1) for baud in speeds] if likely else []
        later = [(baud, policy.SYNC_ROUNDS) for baud in speeds]
        tried: list[int] = []
        found_until = 0  #: visits for which the note about another robot or a modem stays
        for visit, (baud, rounds) in enumerate(itertools.chain(first, itertools.cycle(later))):
            if baud != self._baud:
                self._baud = baud
                self._set_baud(baud)
            if len(tried) == len(speeds) and visit >= max(len(first), found_until):
                self._enter(LinkState.SYNCING, _NO_ANSWER.format(_at(tried)))
            elif self.state is not LinkState.LOST and visit >= found_until:
                without = f"; none answers{_at(tried)}" if tried else ""
                self._enter(LinkState.SYNCING, f"looking for a robot{_at([baud])}{without}")
            self.refused = self._modem_failed = False
            for attempt in range(rounds):
                if (yield from self._attempt(call_modem=baud == policy.MODEM_BAUD and attempt == 0)):
                    return
                if self.refused:
                    break
            if baud not in tried:
                tried.append(baud)
            if self.refused or self._modem_failed:
                found_until = visit + 1 + len(speeds)
            if self.refused:
                yield from self.pause(policy.OTHER_ROBOT_PAUSE)
            else:
                yield from self._free_synced_robot()

    def _attempt(self, *, call_modem: bool) -> Script[bool]:
        """Listen, perform the handshake in the dialect of the packets, else in the likely one, and open a session."""
        self.dialect = self._pinned or self._dialects[0]
        packet = yield from self.wait(policy.LISTEN, lambda packet: self._dialect_of(packet) is not None)
        found = self._dialect_of(packet) if packet else None
        if found and self._pinned not in (None, found):
            if self._own:
                return self._refuse(f"one with the packets of the profile {found.fallback}")
            self.refused = True
            self._enter(
                LinkState.SYNCING,
                f"the packets on this line are those of the profile {found.fallback}, another robot than requested: "
                "name its profile, or none",
            )
            return False
        self.dialect = found or self.dialect
        if packet is None and self._may_be_open:
            self.send(Command.STOP())
        if packet is None and call_modem:
            yield from self._call_modem()
        identity = yield from self.dialect.handshake(self, streaming=packet is not None)
        if identity is None:
            return False
        known = identity if self._own in (None, _NAMELESS) else self._own
        if identity not in (known, _NAMELESS):  # some answers to the greetings of an Erratic may be lost
            self.send(Command.CLOSE())
            return self._refuse(_described(identity))
        return (yield from self._open(known))

    def _call_modem(self) -> Script[None]:
        """Let a radio modem call that of the robot, as Player and ARIA do; go on if no text comes."""
        self._text = b""
        self._write(radio_modem.CALL)
        answer = policy.MODEM_ANSWER
        yield from self._wait_for_text(answer, lambda text: text != b"" and not radio_modem.is_connecting(text))
        if radio_modem.is_connecting(self._text):
            self.report("a radio modem calls the modem of the robot")
            yield from self._wait_for_text(policy.MODEM_CONNECT, radio_modem.is_settled)
        if why := radio_modem.failure(self._text):
            self._modem_failed = True
            self.report(why)

    def _wait_for_text(self, seconds: float, accept: Callable[[bytes], bool]) -> Script[None]:
        end = self._now + seconds
        while self._now < end and not accept(self._text):
            yield min(end, self._now + _POLL_PERIOD)

    def _refuse(self, other: str) -> bool:
        """Leave another robot than that of the first session alone: maps, limits and settings are not for it."""
        self.refused = True
        own = _described(self._own or _NAMELESS, self._serial)
        self._enter(
            LinkState.LOST,
            f"another robot answers at this port, {other}, instead of {own}: its motors stay off and nothing is set. "
            "Connect the first one again, or restart this program to use this one",
        )
        return False

    @property
    def _may_be_open(self) -> bool:
        """Whether the robot may still be in the last session, receive frames and drive: SYNC0 is a pulse to it.

        A TCP connection ends its session with it. There a STOP, which no handshake has, can do harm: MobileSim does
        not recover from one.
        """
        return self.state is LinkState.LOST or bool(self._baud and self.connections)

    def _dialect_of(self, packet: Packet) -> Dialect | None:
        """Return the dialect that alone sends this packet; None if several do."""
        return next((dialect for dialect in self._dialects if dialect.streams(packet)), None)

    def _free_synced_robot(self) -> Script[None]:
        """Free a robot that is synchronized but not open: it sends nothing and accepts only OPEN."""
        self.send(Command.OPEN())
        yield from self.pause(policy.SETTLE)
        self.send(Command.CLOSE())
        yield from self.pause(policy.SETTLE)

    def _open(self, identity: SyncReply) -> Script[bool]:
        self.identity = identity
        if not self._doubtful:
            self._enter_opening()
        yield from self.pause(policy.SETTLE)
        for _ in range(policy.OPEN_TRIES):
            self.send(Command.OPEN())
            self.send(Command.PULSE())
            if (yield from self.wait(policy.FIRST_SIP_TIMEOUT, _is_sip)):
                return not self._serial or (yield from self._check_serial(identity))
        self._enter(LinkState.SYNCING, f"{self._name()} answers but opens no session: is its battery below 11 V?")
        return False

    def _enter_opening(self) -> None:
        self._enter(LinkState.OPENING, f"found {self._name()}, opening a session")

    def _check_serial(self, identity: SyncReply) -> Script[bool]:
        """Return whether the robot has the serial number of the first session, or does not report one in time."""
        config = None
        for _ in range(policy.OPEN_TRIES):
            self.send(Command.CONFIG())
            if config := (yield from self.wait(policy.ANSWER_TIMEOUT, lambda packet: isinstance(packet, TuningValues))):
                break
        if isinstance(config, TuningValues) and config.serial != self._serial:
            self.send(Command.CLOSE())
            self._doubtful = True
            return self._refuse(_described(identity, config.serial))
        if self._doubtful:
            if config is None:
                return False
            self._doubtful = False
            self._enter_opening()
        return (yield from self.wait(policy.FIRST_SIP_TIMEOUT, _is_sip)) is not None  # a session begins with a SIP

    def reset_sent(self, now: float) -> None:
        """RESET is sent: the silence after it is expected."""
        self._reset_at = now

    def _lost(self, why: str) -> str:
        self.requested = self._now - self._reset_at < policy.RESTART
        return "the robot restarts after RESET; connecting again" if self.requested else why

    def _run(self) -> Script[str]:
        """Stay until packets stop; return why."""
        self.requested, self._reset_at = False, -math.inf
        last_sip = self._now
        try:
            while True:
                self.silent_at = deadline = last_sip + self.dialect.sip_timeout
                packet = yield deadline
                if packet is None and self._drained < deadline:
                    # The port has not been read since. A reader thread that hangs gets no more time.
                    packet = yield self._now + policy.LOSS_GRACE
                if packet is None:
                    silent = f"no packet for {self._now - last_sip:.1f} s"
                    return self._lost(f"{silent}: is the robot switched on and in range?")
                if isinstance(packet, Reset):
                    return self._lost("the robot's controller was reset")
                if isinstance(packet, Sip):
                    last_sip = self._now
                elif isinstance(packet, TuningValues):
                    self._serial = packet.serial
        finally:
            self.silent_at = math.inf

    def _name(self) -> str:
        """Return the robot's name for messages."""
        return robot_name(self.identity.name if self.identity else "")


def _at(speeds: list[int]) -> str:
    """Return line speeds for a message; "" for a port without one."""
    return f" at {', '.join(map(str, speeds))} baud" if any(speeds) else ""


def _described(identity: SyncReply, serial: str = "") -> str:
    """Return name, model and serial number of a robot for a message."""
    details = filter(None, (identity.subclass, serial and f"serial number {serial}"))
    return f"{robot_name(identity.name)} ({', '.join(details)})"


def _is_sip(packet: Packet) -> bool:
    return isinstance(packet, Sip)
