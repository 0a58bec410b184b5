# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The base class of packets, and the classes for unknown and malformed ones (docs/protocol 5.1)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from .wire import U8, Bytes, pack

#: Line speeds in the order of their codes in HOSTBAUD and CONFIGpac (docs/protocol E-16).
BAUD_RATES = (9600, 19200, 38400, 57600, 115200)


class Packet:
    """A packet from a robot. `id` is the first byte of its data."""

    __slots__ = ()
    id: int

    def encode(self) -> bytes:
        """Return the data of the frame for this packet.

        Raises:
            ValueError: A value does not fit its field.
        """
        return pack(self)


class TuningValues(Packet):
    """The tuning values that a robot reports; None for those that its firmware does not have.

    Names, units and codes are those of the CONFIG packet (docs/protocol 5.5). The attributes below are those that other
    modules read without `value`.
    """

    __slots__ = ()
    serial: str
    rev_count: int
    pwm_max: int
    stall_val: int
    rot_vel_max: int
    trans_vel_max: int
    rot_decel: int
    trans_decel: int

    @property
    @abstractmethod
    def info_cycle_ms(self) -> int:
        """Milliseconds between two SIPs."""

    @property
    @abstractmethod
    def stall_time_ms(self) -> int:
        """Milliseconds that the motors rest after a stall."""

    @property
    @abstractmethod
    def firmware_version(self) -> str:
        """Version as the firmware reports it, or ""."""

    def pid(self, servo: str) -> list[int]:
        """Return Kp, Kv and Ki of a servo, "rot" or "trans"."""
        return [getattr(self, f"{servo}_{term}") for term in ("kp", "kv", "ki")]

    def value(self, name: str) -> int | None:
        """Return a field by its name in the CONFIG packet; None if there is none."""
        value: int | None = getattr(self, name, None)
        return value

    def baud(self, name: str) -> int:
        """Return a line speed by the name of its field, "host_baud" for example; 0: unknown, or not reported."""
        code = self.value(name)
        return BAUD_RATES[code] if code is not None and code < len(BAUD_RATES) else 0

    def values(self) -> Iterator[tuple[str, int | str]]:
        """Yield name and value of every field that is present, in the order of the packet."""
        return _fields(self)


def _fields(part: Any) -> Iterator[tuple[str, int | str]]:
    for field in fields(part):
        value = getattr(part, field.name)
        if is_dataclass(value):
            yield from _fields(value)
        elif field.name != "id" and value is not None:
            yield field.name, value


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown(Packet):
    """A valid frame with an unknown id."""

    id: U8
    payload: Bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed(Packet):
    """A valid frame of a known id that is too short for its fields, and the reason."""

    id: U8
    payload: Bytes
    reason: str

    def encode(self) -> bytes:
        """Return the data as received, without the reason."""
        return bytes((self.id,)) + self.payload


#: Packet classes by id. Of several classes, the first that the data is long enough for applies.
PacketTable = dict[int, tuple[type[Packet], ...]]
