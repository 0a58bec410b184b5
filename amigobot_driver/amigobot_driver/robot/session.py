"""The connection to one robot, as a pure object: packets and time in, instructions and a state out.

Source: docs/protocol.md 3.

The whole life of a connection is one script, `Session._life`, written as it happens: each `yield` waits for the
next packet until a deadline and gets None when the deadline passes first. There is no clock and no port here.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from enum import Enum

from ..connection_policy import (
    FIRST_SIP_TIMEOUT,
    LISTEN,
    LOSS_GRACE,
    OPEN_TRIES,
    RESTART,
    SETTLE,
    SYNC_ROUNDS,
    VISITS_AT_KNOWN_SPEED,
)
from ..protocol import BAUD_RATES, Command, Instruction, Packet, Reset, Sip, SyncReply
from .dialects import Dialect, Script

_NOBODY = (
    "no robot answers{}: is it switched on, is the cable in its serial port, "
    "is another program connected to it? Trying on"
)


class LinkState(Enum):
    """Where a connection stands."""

    DISCONNECTED = 0
    SYNCING = 1
    OPENING = 2
    RUNNING = 3
    LOST = 4


class Session:
    """Connects, notices a lost robot, connects again, for ever.

    `send` takes an instruction for the wire; `tune` is called with a line speed to change to. Robots are greeted in the
    first of the dialects unless their packets are those of another; with `pinned`, in that one only.
    """

    def __init__(
        self,
        send: Callable[[Instruction], object],
        tune: Callable[[int], object],
        dialects: tuple[Dialect, ...],
        pinned: Dialect | None = None,
    ) -> None:
        self.state = LinkState.DISCONNECTED
        self.running = False  #: the state is RUNNING
        self.changed = False  #: state or note may be others than those that `Link` reported last
        #: what is seen, in plain words, with the remedy where a person can help
        self.note = "not connected"
        self.identity: SyncReply | None = None
        self.connections = 0
        self.requested = False  #: the last session ended because the user asked for it
        self._reset_at = -math.inf
        self.found_at = 0  #: the line speed of the last session, 0: none yet, or a port without one
        self.dialect = pinned or dialects[0]  #: the one that is spoken now
        self.send = send
        self._dialects, self._pinned = dialects, pinned
        self._stranger = False  #: one was found in the rounds at this line speed
        self._tune = tune
        self._baud = 0
        self._now = 0.0
        self.deadline = math.inf  #: s, when `receive` must be called without a packet; inf while there is no port
        self._script: Script[None] | None = None
        #: s, when a running session is lost if no SIP has arrived until then; inf in other states
        self.silent_at = math.inf
        self._drained = -math.inf  #: s, all packets that arrived before this time have been received

    def start(self, now: float, baud: int) -> None:
        """The port is open and runs at `baud`, the likely speed; 0 for a port that has no speed. Begin."""
        self._now = now
        self._baud = baud
        self._script = self._life()
        self.silent_at = math.inf
        self.deadline = next(self._script)

    def stop(self, note: str) -> None:
        """The port is gone or about to be closed: nothing more is sent."""
        self._script = None
        self.deadline = self.silent_at = math.inf
        self._enter(LinkState.DISCONNECTED, note)

    def receive(self, packet: Packet | None, now: float) -> None:
        """Take a packet, or None when `deadline` has passed without one."""
        if self._script is not None:
            self._now = now
            self.deadline = self._script.send(packet)

    def drained(self, since: float, now: float) -> None:
        """All packets that arrived before `since` (s) have been received: silence until then is the robot's."""
        self._drained = max(self._drained, since)
        if since >= self.silent_at:
            self.receive(None, now)

    def _enter(self, state: LinkState, note: str) -> None:
        self.state, self.note = state, note
        self.running = state is LinkState.RUNNING
        self.changed = True

    # -- what a greeting may do -------------------------------------------------------------------------------

    def wait(self, seconds: float, accept: Callable[[Packet], bool]) -> Script[Packet | None]:
        """The first packet that `accept` takes, or None after `seconds`."""
        deadline = self._now + seconds
        while self._now < deadline and (packet := (yield deadline)) is not None:
            if accept(packet):
                return packet
        return None

    def report(self, note: str) -> None:
        """Report what is being done, for the operator."""
        self._enter(LinkState.SYNCING, note)

    # -- the script -------------------------------------------------------------------------------------------

    def _life(self) -> Script[None]:
        while True:
            yield from self._connect()
            self.connections += 1
            self.found_at = self._baud
            self._enter(LinkState.RUNNING, f"connected to {self._name()}{self._speed()}")
            why = yield from self._run()
            self._enter(LinkState.LOST, why)

    def _connect(self) -> Script[None]:
        """Find the robot at some line speed and open a session; returns only when SIPs arrive."""
        likely = self._baud
        others = [baud for baud in BAUD_RATES if baud != likely] if likely else []
        # The likely speed comes up before each of the others: it is the one a robot has after a reset.
        scan = [likely, *(baud for other in others for baud in (other, likely))]
        patience = [likely] * VISITS_AT_KNOWN_SPEED if self.connections else []
        stranger_until = 0  #: visits; what was said of a robot that was not asked for is true until then
        for visit, baud in enumerate(itertools.chain(patience, itertools.cycle(scan))):
            self._change_baud(baud)
            if visit >= max(len(patience) + len(scan), stranger_until):
                self._enter(LinkState.SYNCING, _NOBODY.format(", at any line speed" if likely else ""))
            elif self.state is not LinkState.LOST and visit >= stranger_until:
                self._enter(LinkState.SYNCING, f"looking for a robot{self._speed()}")
            self._stranger = False
            for _ in range(SYNC_ROUNDS):
                if (yield from self._attempt()):
                    return
            if self._stranger:
                stranger_until = visit + 1 + len(scan)
                yield from self.wait(SETTLE, lambda packet: False)
            else:
                yield from self._dislodge()

    def _attempt(self) -> Script[bool]:
        """Listen; greet a robot that sends already in its dialect, else in the likely one; open a session."""
        self.dialect = self._pinned or self._dialects[0]
        packet = yield from self.wait(LISTEN, lambda packet: self._speaker(packet) is not None)
        speaker = self._speaker(packet) if packet else None
        if speaker and self._pinned not in (None, speaker):
            self._stranger = True
            self._enter(
                LinkState.SYNCING,
                f"the packets on this line are those of the profile {speaker.fallback}, another robot than was asked "
                "for: correct the parameter robot, or leave it empty",
            )
            return False
        self.dialect = speaker or self.dialect
        if packet is None and self._may_be_open:
            self.send(Command.STOP())
        identity = yield from self.dialect.greet(self, streaming=packet is not None)
        return identity is not None and (yield from self._open(identity))

    @property
    def _may_be_open(self) -> bool:
        """A robot may drive in the last session and receive our frames, though we receive none: SYNC0 is a pulse to it.

        Not where a connection is new that takes its session with it when it ends. There a STOP, which is no part of a
        handshake, can do harm: MobileSim never gets over one.
        """
        return self.state is LinkState.LOST or bool(self._baud and self.connections)

    def _speaker(self, packet: Packet) -> Dialect | None:
        """Whose packet this is, where only one dialect sends it."""
        return next((dialect for dialect in self._dialects if dialect.streams(packet)), None)

    def _dislodge(self) -> Script[None]:
        """Free a robot that is synchronized but not open: it sends nothing and accepts only OPEN."""
        self.send(Command.OPEN())
        yield from self.wait(SETTLE, lambda packet: False)
        self.send(Command.CLOSE())
        yield from self.wait(SETTLE, lambda packet: False)

    def _open(self, identity: SyncReply) -> Script[bool]:
        self.identity = identity
        self._enter(LinkState.OPENING, f"found {self._name()}, opening a session")
        yield from self.wait(SETTLE, lambda packet: False)
        for _ in range(OPEN_TRIES):
            self.send(Command.OPEN())
            self.send(Command.PULSE())
            if (yield from self.wait(FIRST_SIP_TIMEOUT, _is_sip)):
                return True
        self._enter(LinkState.SYNCING, f"{self._name()} answers but opens no session: is its battery below 11 V?")
        return False

    def reset_sent(self, now: float) -> None:
        """RESET goes out: silence after it is what it was sent for."""
        self._reset_at = now

    def _lost(self, why: str) -> str:
        self.requested = self._now - self._reset_at < RESTART
        return "the robot restarts, as RESET asked for; connecting again" if self.requested else why

    def _run(self) -> Script[str]:
        """Stay until packets stop; returns why."""
        self.requested, self._reset_at = False, -math.inf
        last_sip = self._now
        try:
            while True:
                self.silent_at = deadline = last_sip + self.dialect.silence
                packet = yield deadline
                if packet is None and self._drained < deadline:
                    # Only the clock says so; the port has not been read since. A reader that hangs gets no more time.
                    packet = yield self._now + LOSS_GRACE
                if packet is None:
                    silent = f"no packet for {self._now - last_sip:.1f} s"
                    return self._lost(f"{silent}: is the robot switched on and in range?")
                if isinstance(packet, Reset):
                    return self._lost("the robot's controller was reset")
                if isinstance(packet, Sip):
                    last_sip = self._now
        finally:
            self.silent_at = math.inf

    def _name(self) -> str:
        """What the robot calls itself, fit for a line of text."""
        name = self.identity.name if self.identity else ""
        return "".join(letter if letter.isprintable() else "?" for letter in name) or "a robot without a name"

    def _speed(self) -> str:
        return f" at {self._baud} baud" if self._baud else ""

    def _change_baud(self, baud: int) -> None:
        if baud != self._baud:
            self._baud = baud
            self._tune(baud)


def _is_sip(packet: Packet) -> bool:
    return isinstance(packet, Sip)
