# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The Pioneer's gripper: its commands, and what its switches mean (docs/protocol 5.10; ARIA's ArGripper).

GRIPPERpacs report all switches. Without them there is the SIP. Where the gripper is wired to the user I/O (P2OS), the
SIP's gripper byte reports the paddles and the lift, and the digital inputs report beams and contacts. Where it is wired
to the general I/O (AROS, ARCOS), ARIA finds the switches in that byte, but Player reads it as on P2OS: so the driver
publishes it raw.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass

from ...errors import RequestRefusedError
from ...protocol import Command, Instruction, Packet, Sip
from ...protocol import Gripper as GripperPacket
from ..component import Context
from ..events import GripperReading, Lift, Paddles
from ..outcome import Outcome, finished
from ..request import RequestComponent, RetryPolicy
from ..sensing.io_ports import gripper_byte

NONE, USER_IO, GENERAL_IO = range(3)

#: Age in s beyond which a GRIPPERpac is ignored.
STALE = 1.0
#: Seconds per unit of GRIPPERVAL and of the grasp time.
STEP = 0.02

#: Bits of the switches: an end reads 0 when it is reached, a paddle 0 when it touches, a beam 1 when it is broken.
_OPEN_END, _LIFT_END, _OUTER_BEAM, _INNER_BEAM, _LEFT_PADDLE, _RIGHT_PADDLE, _LIFT_MOVING, _PADDLES_MOVING = (
    1 << bit for bit in range(8)
)
#: Bits of the SIP's byte where the gripper is wired to the user I/O.
_STATE_OPEN, _STATE_CLOSED, _STATE_PADDLES_MOVING = 1, 2, 4
_STATE_UP, _STATE_DOWN, _STATE_LIFT_MOVING = 16, 32, 64


@dataclass(frozen=True, slots=True)
class Order:
    """An argument of GRIPPER, and how the switches show its effect."""

    number: int  #: the argument
    confirmed: Callable[[GripperReading], bool] | None = None  #: None: the order lasts for a given time


def _is_moving(state: GripperReading) -> bool:
    """Return whether the paddles or the lift move."""
    return state.paddles_moving or state.lift_moving


ORDERS: Mapping[str, Order] = {
    "open": Order(1, lambda state: state.paddles_moving or state.paddles is Paddles.OPEN),
    "close": Order(2, lambda state: state.paddles_moving or state.paddles is Paddles.CLOSED),
    "stop": Order(3, lambda state: not state.paddles_moving),
    "up": Order(4, lambda state: state.lift_moving or state.lift is Lift.UP),
    "down": Order(5, lambda state: state.lift_moving or state.lift is Lift.DOWN),
    "stop_lift": Order(6, lambda state: not state.lift_moving),
    "store": Order(7, lambda state: _is_moving(state) or (state.paddles, state.lift) == (Paddles.CLOSED, Lift.UP)),
    "deploy": Order(8, lambda state: _is_moving(state) or (state.paddles, state.lift) == (Paddles.OPEN, Lift.DOWN)),
    "halt": Order(15, lambda state: not _is_moving(state)),
    "press": Order(16),
    "carry": Order(17),
}


class GripperControl(RequestComponent):
    """One order at a time, sent until the switches show its effect."""

    name = "gripper"
    retries = RetryPolicy(interval=0.5, limit=4)
    confirmed_by = (GripperPacket, Sip)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.newest: GripperReading | None = None
        self._order = ""  #: its name
        self._sip: Sip | None = None
        self._packet: GripperPacket | None = None
        self._packet_stamp = -math.inf

    def order(self, name: str, duration: float, now: float) -> Future[Outcome]:
        """Send an order.

        Args:
            name: One of `ORDERS`.
            duration: In s, for press and carry only.
            now: Time in s.

        Returns:
            The result, when the switches show the effect or the retries are over.
        """
        order = ORDERS.get(name)
        if order is None:
            raise RequestRefusedError(f"order is {name!r}, allowed: {', '.join(ORDERS)}")
        self._context.require(Command.GRIPPER)
        if self.fitted is False or self._kind == NONE:
            raise RequestRefusedError("this robot reports no gripper (FLASH parameter Gripper)")
        if order.confirmed is None:
            return self._order_for_a_time(order, name, duration)
        if duration:
            raise RequestRefusedError(f"duration is {duration:g} s, allowed for {name}: 0 s only")
        self._order = name
        return self.replace(now)

    def on_session_start(self, now: float) -> None:
        """Forget the state: packets of this session report it."""
        self.newest = self._sip = self._packet = None
        self._packet_stamp = -math.inf

    def _update(self, packet: GripperPacket | Sip, stamp: float, now: float) -> None:
        if isinstance(packet, Sip):
            self._sip = packet
        else:
            self._packet, self._packet_stamp = packet, stamp
        if self._sip and self.fitted and self._kind:
            self.newest = self._reading(self._sip, stamp)
            self._context.emit(self.newest)

    # -- inside -----------------------------------------------------------------------------------------------

    @property
    def fitted(self) -> bool | None:
        """Whether the robot reports a gripper; None before its CONFIGpac."""
        config = self._context.config()
        return bool(config.value("gripper")) if config else None

    def _commands(self) -> Iterable[Instruction]:
        return [Command.GRIPPER(ORDERS[self._order].number)]

    @property
    def _kind(self) -> int:
        """The wiring: as a packet reports it, else what is usual for the firmware."""
        usual = USER_IO if "P" in self._context.profile().firmware else GENERAL_IO
        return self._packet.type if self._packet else usual

    def _order_for_a_time(self, order: Order, name: str, duration: float) -> Future[Outcome]:
        """Send an order that lasts for a time once: sent twice, it would last longer."""
        self._context.require(Command.GRIPPERVAL)
        steps = round(duration / STEP) if math.isfinite(duration) else 0
        low = -255 if name == "carry" else 0
        if not steps or not low <= steps <= 255:
            allowed = f"{low * STEP:g} to {255 * STEP:g} s, but not 0"
            raise RequestRefusedError(f"duration is {duration:g} s, allowed for {name}: {allowed}")
        # Down is a negative number, as ARIA sends it, though the manuals' tables have only positive ones.
        commands = Command.GRIPPER(order.number), Instruction(Command.GRIPPERVAL, steps)
        outcome = self._context.queue.send_once(f"{name} for {abs(steps) * STEP:.2f} s", *commands)
        if outcome.success:
            self.fail(f"{self._order}: another order replaced this one")
        return finished(outcome)

    def _reading(self, sip: Sip, stamp: float) -> GripperReading:
        state, kind, packet = gripper_byte(sip), self._kind, self._packet
        by_packet = packet is not None and stamp - self._packet_stamp < STALE
        by_sip = kind == USER_IO
        switches = packet.switches if packet and by_packet else (sip.digital_in or 0) if by_sip else 0
        known = by_packet or by_sip
        paddles, lift = _by_state(state) if by_sip else _by_switches(switches)
        return GripperReading(
            stamp=stamp,
            paddles=paddles if known else Paddles.UNKNOWN,
            paddles_moving=bool(state & _STATE_PADDLES_MOVING if by_sip else switches & _PADDLES_MOVING),
            lift=lift if known else Lift.UNKNOWN,
            lift_moving=bool(state & _STATE_LIFT_MOVING if by_sip else switches & _LIFT_MOVING),
            inner_beam=bool(switches & _INNER_BEAM),
            outer_beam=bool(switches & _OUTER_BEAM),
            left_contact=known and not switches & _LEFT_PADDLE,
            right_contact=known and not switches & _RIGHT_PADDLE,
            kind=kind,
            state=state,
            switches=switches,
            grasp_time=packet.grasp_time * STEP if packet else None,
        )

    def _confirmation(self, packet: Packet) -> str:
        confirmed, state = ORDERS[self._order].confirmed, self.newest
        if confirmed and state and state.lift is not Lift.UNKNOWN and confirmed(state):
            return f"{self._order}: {_text(state)}"
        return ""

    def _failure(self) -> str:
        state, sent = self.newest, self._sent()
        if state is None or state.lift is Lift.UNKNOWN:
            self.succeed(f"{sent}; this robot's packets do not report the state of the gripper")
            return ""
        if self._order in ("up", "down", "store", "deploy") and state.lift is Lift.AT_END:
            self.succeed(f"{sent}: {_text(state)}, and the robot does not report which end")
            return ""
        return f"{sent}; the robot reports {_text(state)}"


def _by_state(state: int) -> tuple[Paddles, Lift]:
    """Return the positions in the SIP's byte."""
    paddles = Paddles.OPEN if state & _STATE_OPEN else Paddles.CLOSED if state & _STATE_CLOSED else Paddles.BETWEEN
    return paddles, Lift.UP if state & _STATE_UP else Lift.DOWN if state & _STATE_DOWN else Lift.BETWEEN


def _by_switches(switches: int) -> tuple[Paddles, Lift]:
    """Return the positions by the switches of a GRIPPERpac."""
    lift = Lift.BETWEEN if switches & _LIFT_END else Lift.AT_END
    if not switches & (_LEFT_PADDLE | _RIGHT_PADDLE):
        return Paddles.CLOSED, lift
    return Paddles.BETWEEN if switches & _OPEN_END else Paddles.OPEN, lift


def _text(state: GripperReading) -> str:
    """Return the state as text."""
    paddles = "moving" if state.paddles_moving else state.paddles.name.lower()
    lift = "moving" if state.lift_moving else state.lift.name.lower().replace("_", " ")
    return f"paddles {paddles}, lift {lift}"
