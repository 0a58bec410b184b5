"""The Pioneer's gripper: what it is told, and what its switches mean (PROTOCOL 4.1 and 5.10; ARIA's ArGripper).

GRIPPERpacs tell all switches. Without them there is the SIP: where the gripper is wired to the user I/O (P2OS), its
gripper byte tells of the paddles and of the lift, and the digital inputs of beams and contacts. Where it is wired to
the general I/O (AROS, ARCOS), ARIA finds the switches in that byte, Player the same as on P2OS: so it stays raw.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass

from ...profiles import Profile
from ...protocol import Command, Instruction, Packet, Parameters, Sip
from ...protocol import Gripper as GripperPacket
from ..events import Event, GripperSeen, Lift, Paddles
from ..feature import Feature
from ..outcome import Outcome, Waiting, finished
from ..parts.ports import gripper_byte

NONE, USER_IO, GENERAL_IO = range(3)

#: s between two tries, and how many, until the gripper is seen to obey.
RETRY = 0.5
TRIES = 4
#: s after which a GRIPPERpac is old.
STALE = 1.0
#: s to one unit of GRIPPERVAL and of the grasp time.
STEP = 0.02

#: Bits of the switches: an end reads 0 when it is reached, a paddle 0 when it touches, a beam 1 when it is broken.
_OPEN_END, _LIFT_END, _OUTER_BEAM, _INNER_BEAM, _LEFT, _RIGHT, _LIFT_MOVES, _PADDLES_MOVE = (
    1 << bit for bit in range(8)
)
#: Bits of the SIP's byte where the gripper is wired to the user I/O.
_STATE_OPEN, _STATE_CLOSED, _STATE_MOVES = 1, 2, 4
_STATE_UP, _STATE_DOWN, _STATE_LIFT_MOVES = 16, 32, 64


@dataclass(frozen=True, slots=True)
class Order:
    """An argument of GRIPPER, and how one sees that the gripper obeys. Without `obeyed` it lasts for a time."""

    number: int
    obeyed: Callable[[GripperSeen], bool] | None = None


def _any(state: GripperSeen) -> bool:
    return state.paddles_moving or state.lift_moving


ORDERS: Mapping[str, Order] = {
    "open": Order(1, lambda seen: seen.paddles_moving or seen.paddles is Paddles.OPEN),
    "close": Order(2, lambda seen: seen.paddles_moving or seen.paddles is Paddles.CLOSED),
    "stop": Order(3, lambda seen: not seen.paddles_moving),
    "up": Order(4, lambda seen: seen.lift_moving or seen.lift is Lift.UP),
    "down": Order(5, lambda seen: seen.lift_moving or seen.lift is Lift.DOWN),
    "stop_lift": Order(6, lambda seen: not seen.lift_moving),
    "store": Order(7, lambda seen: _any(seen) or (seen.paddles, seen.lift) == (Paddles.CLOSED, Lift.UP)),
    "deploy": Order(8, lambda seen: _any(seen) or (seen.paddles, seen.lift) == (Paddles.OPEN, Lift.DOWN)),
    "halt": Order(15, lambda seen: not _any(seen)),
    "press": Order(16),
    "carry": Order(17),
}


class Gripper(Feature):
    """One order at a time, sent until it is obeyed."""

    def __init__(self, profile: Profile, lacks: Callable[[Command], str]) -> None:
        self._lacks = lacks
        self._name = ""
        self._once: tuple[Instruction, ...] = ()
        self._tries = self._resent = 0
        self._next_try = math.inf
        self._waiting = Waiting()
        self.seen: GripperSeen | None = None  #: the newest
        self._fitted: bool | None = None  #: as CONFIGpac says; None: it has not come
        self._sip: Sip | None = None
        self._packet: GripperPacket | None = None
        self._packet_stamp = -math.inf
        self.adopt(profile)

    def adopt(self, profile: Profile) -> None:
        """The robot is of this profile."""
        #: how it is likely wired, until a packet says so
        self._usual = USER_IO if "P" in profile.firmware else GENERAL_IO
        self._forget()

    def want(self, name: str, duration: float, now: float) -> Future[Outcome]:
        """Give an order by its name; `duration` (s) is for press and carry. The future ends when it is obeyed."""
        order = ORDERS.get(name)
        if order is None:
            return finished(False, f"order is {name!r}, allowed: {', '.join(ORDERS)}")
        if why := self._lacks(Command.GRIPPER) or self._absent():
            return finished(False, why)
        if order.obeyed is None:
            return self._last(order, name, duration, now)
        if duration:
            return finished(False, f"duration is {duration:g} s, {name} takes none")
        self._waiting.finish(False, f"{self._name}: another order came in between")
        self._name, self._tries, self._next_try = name, 0, now
        return self._waiting.add()

    def begin(self, now: float) -> None:
        self._forget()

    def end(self, why: str) -> None:
        self._once, self._next_try = (), math.inf
        self._waiting.finish(False, why)

    def hear(self, packet: Packet, now: float) -> Iterator[Event]:
        return self._waiting.notices()

    def perceive(self, packet: Packet, stamp: float) -> Iterator[Event]:
        """Take a packet with the values of the time `stamp`."""
        if isinstance(packet, Parameters):
            self._fitted = fitted(packet)
        elif isinstance(packet, GripperPacket):
            self._packet, self._packet_stamp = packet, stamp
        elif isinstance(packet, Sip):
            self._sip = packet
        if isinstance(packet, GripperPacket | Sip) and self._sip and self._kind and self._fitted:
            self.seen = self._look(self._sip, stamp)
            self._judge(self.seen)
            yield self.seen

    def due(self, now: float) -> Iterator[Instruction]:
        once, self._once = self._once, ()
        yield from once
        if now < self._next_try:
            return
        order = Command.GRIPPER(ORDERS[self._name].number)
        if self._tries == TRIES:
            self._next_try = math.inf
            self._give_up(order)
            return
        self._resent += self._tries > 0
        self._tries += 1
        self._next_try = now + RETRY
        yield order

    def next_time(self) -> float:
        return -math.inf if self._once else self._next_try

    def counters(self) -> Mapping[str, int]:
        return {"gripper_resent": self._resent, "gripper_given_up": self._waiting.given_up}

    # -- inside -----------------------------------------------------------------------------------------------

    def _forget(self) -> None:
        self.seen = self._fitted = self._sip = self._packet = None
        self._packet_stamp = -math.inf

    def _absent(self) -> str:
        if self._fitted is False or self._kind == NONE:
            return "this robot says that it has no gripper (FLASH parameter Gripper)"
        return ""

    @property
    def _kind(self) -> int:
        return self._packet.type if self._packet else self._usual

    def _last(self, order: Order, name: str, duration: float, now: float) -> Future[Outcome]:
        """An order that lasts for a time is sent once, lest it lasts longer."""
        if why := self._lacks(Command.GRIPPERVAL):
            return finished(False, why)
        steps = round(duration / STEP) if math.isfinite(duration) else 0
        low = -255 if name == "carry" else 0
        if not steps or not low <= steps <= 255:
            return finished(
                False, f"duration is {duration:g} s, {name} takes {low * STEP:g} to {255 * STEP:g} and not 0"
            )
        self._waiting.finish(False, f"{self._name}: another order came in between")
        # The way down is a negative number, as ARIA sends it, though the manuals' tables know only positive ones.
        value = Instruction(Command.GRIPPERVAL, steps)
        self._once += (Command.GRIPPER(order.number), value)
        self._next_try = math.inf
        return finished(True, f"{name} for {abs(steps) * STEP:.2f} s, sent once; no packet tells of it")

    def _look(self, sip: Sip, stamp: float) -> GripperSeen:
        state, kind, packet = gripper_byte(sip), self._kind, self._packet
        by_packet = packet is not None and stamp - self._packet_stamp < STALE
        by_sip = kind == USER_IO
        switches = packet.switches if packet and by_packet else (sip.digital_in or 0) if by_sip else 0
        known = by_packet or by_sip
        return GripperSeen(
            stamp=stamp,
            paddles=_paddles(state) if by_sip else _paddles_by_switches(switches) if known else Paddles.UNKNOWN,
            paddles_moving=bool(state & _STATE_MOVES if by_sip else switches & _PADDLES_MOVE),
            lift=_lift(state) if by_sip else _lift_by_switches(switches) if known else Lift.UNKNOWN,
            lift_moving=bool(state & _STATE_LIFT_MOVES if by_sip else switches & _LIFT_MOVES),
            inner_beam=bool(switches & _INNER_BEAM),
            outer_beam=bool(switches & _OUTER_BEAM),
            left_contact=known and not switches & _LEFT,
            right_contact=known and not switches & _RIGHT,
            kind=kind,
            state=state,
            switches=switches,
            grasp_time=packet.grasp_time * STEP if packet else None,
        )

    def _judge(self, seen: GripperSeen) -> None:
        # A packet that was on its way before anything was sent shows nothing.
        if not self._tries or self._next_try == math.inf:
            return
        obeyed = ORDERS[self._name].obeyed
        if obeyed and seen.lift is not Lift.UNKNOWN and obeyed(seen):
            self._next_try = math.inf
            self._waiting.finish(True, f"{self._name}: {_story(seen)}")

    def _give_up(self, order: Instruction) -> None:
        seen, sent = self.seen, f"sent {order} {TRIES} times"
        if seen is None or seen.lift is Lift.UNKNOWN:
            self._waiting.finish(True, f"{sent}; this robot's packets do not tell how the gripper stands")
        elif self._name in ("up", "down", "store", "deploy") and seen.lift is Lift.AT_END:
            self._waiting.finish(True, f"{sent}: {_story(seen)}, and the robot does not tell which")
        else:
            self._waiting.give_up(f"{sent}, the robot reports {_story(seen)}")


def fitted(config: Parameters) -> bool:
    """Whether the robot says that it has one."""
    return bool(config.value("gripper"))


def _paddles(state: int) -> Paddles:
    return Paddles.OPEN if state & _STATE_OPEN else Paddles.CLOSED if state & _STATE_CLOSED else Paddles.BETWEEN


def _lift(state: int) -> Lift:
    return Lift.UP if state & _STATE_UP else Lift.DOWN if state & _STATE_DOWN else Lift.BETWEEN


def _paddles_by_switches(switches: int) -> Paddles:
    if not switches & (_LEFT | _RIGHT):
        return Paddles.CLOSED
    return Paddles.BETWEEN if switches & _OPEN_END else Paddles.OPEN


def _lift_by_switches(switches: int) -> Lift:
    return Lift.BETWEEN if switches & _LIFT_END else Lift.AT_END


def _story(seen: GripperSeen) -> str:
    """How it stands, in words."""
    paddles = "moving" if seen.paddles_moving else seen.paddles.name.lower()
    lift = "moving" if seen.lift_moving else seen.lift.name.lower().replace("_", " ")
    return f"paddles {paddles}, lift {lift}"
