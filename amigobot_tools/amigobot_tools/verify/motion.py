# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The motion of a robot as its packets show it: unwrapped counters, in SI units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from amigobot_driver.protocol import Encoders, Sip

from .client import Stamped

#: modulus of differences of X and Y, for 15 and 16 bits (docs/protocol.md E-08), and of the heading
_POSITION, _TURN = 0x8000, 4096
_TICKS = 1 << 32
#: s by which the encoders may come after the standard packet of their cycle
_CYCLE = 0.06


@dataclass(frozen=True, slots=True)
class Row:
    """One standard packet."""

    time: float  #: s
    x: float  #: m since the first row, along the robot's X axis
    y: float  #: m
    heading: int  #: units, unwrapped
    left: float  #: m/s
    right: float  #: m/s
    ticks: tuple[int, int] | None  #: left and right encoder, unwrapped
    travel: float  #: m that the middle of the axle has rolled, by the encoders if there are any, else by X and Y

    @property
    def velocity(self) -> float:
        """m/s of the middle of the axle."""
        return (self.left + self.right) / 2

    @property
    def difference(self) -> float:
        """m/s, half the difference of the wheels: the turn rate times half the track."""
        return (self.right - self.left) / 2


class MotionLog:
    """The standard packets of a drive, in order.

    Args:
        packets: Of all kinds.
        distance_unit: m for a unit of X and Y.
        velocity_unit: m/s for a unit of the wheel velocities.
        ticks_per_meter: Of the encoders; 0: unknown.
    """

    def __init__(
        self, packets: Sequence[Stamped], distance_unit: float, velocity_unit: float, ticks_per_meter: float
    ) -> None:
        self.rows: list[Row] = []
        cycles = _cycles(packets)
        x = y = travel = 0.0
        heading = 0
        ticks = (0, 0)
        before: Sip | None = None
        counters: Encoders | None = None
        for time, sip, encoders in cycles:
            if before is not None:
                dx = _difference(sip.x, before.x, _POSITION) * distance_unit
                dy = _difference(sip.y, before.y, _POSITION) * distance_unit
                turned = _difference(sip.heading, before.heading, _TURN)
                angle = math.tau / _TURN * (before.heading + turned / 2)
                x, y, heading = x + dx, y + dy, heading + turned
                rolled = dx * math.cos(angle) + dy * math.sin(angle)
            else:
                heading, rolled = sip.heading, 0.0
            current: tuple[int, int] | None = None
            if encoders is not None:
                if counters is None:
                    ticks = (0, 0)
                else:
                    left = _difference(encoders.left, counters.left, _TICKS)
                    right = _difference(encoders.right, counters.right, _TICKS)
                    ticks = ticks[0] + left, ticks[1] + right
                    if ticks_per_meter:
                        rolled = (left + right) / 2 / ticks_per_meter
                counters, current = encoders, ticks
            elif counters is not None and ticks_per_meter:
                rolled = 0.0  # this cycle's encoders were lost: the next ones make up for it
            travel += rolled
            left_speed, right_speed = sip.left_velocity * velocity_unit, sip.right_velocity * velocity_unit
            self.rows.append(Row(time, x, y, heading, left_speed, right_speed, current, travel))
            before = sip

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def period(self) -> float:
        """Mean time between two standard packets, s; NaN for less than two."""
        if len(self.rows) < 2:
            return math.nan
        return (self.rows[-1].time - self.rows[0].time) / (len(self.rows) - 1)


def _cycles(packets: Sequence[Stamped]) -> list[tuple[float, Sip, Encoders | None]]:
    """Return each standard packet with its time and the encoders of its cycle, if they came."""
    cycles: list[tuple[float, Sip, Encoders | None]] = []
    for stamped in packets:
        if isinstance(stamped.packet, Sip):
            cycles.append((stamped.time, stamped.packet, None))
        elif isinstance(stamped.packet, Encoders) and cycles and stamped.time - cycles[-1][0] < _CYCLE:
            cycles[-1] = (*cycles[-1][:2], stamped.packet)
    return cycles


def _difference(new: int, old: int, size: int) -> int:
    """Return the smallest change of a counter that wraps."""
    return (new - old + size // 2) % size - size // 2
