"""What every packet is, and what stands for those that no table knows (docs/protocol.md 5.1)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from .wire import U8, Bytes, pack


class Packet:
    """Anything a robot sends. `id` is the first byte of its data."""

    __slots__ = ()
    id: int

    def encode(self) -> bytes:
        """The data of the frame that carries this packet. Raises ValueError when a value does not fit."""
        return pack(self)


class Parameters(Packet):
    """A robot's word on its working parameters; None where its firmware has no such thing.

    Names, units and codes are those of CONFIGpac (docs/protocol.md 5.5).
    """

    __slots__ = ()
    serial: str
    rev_count: int
    watchdog: int
    low_battery: int
    pwm_max: int
    stall_val: int
    rot_vel_max: int
    trans_vel_max: int
    rot_acc: int
    rot_decel: int
    rot_kp: int
    rot_kv: int
    rot_ki: int
    trans_acc: int
    trans_decel: int
    trans_kp: int
    trans_kv: int
    trans_ki: int

    @property
    @abstractmethod
    def info_cycle_ms(self) -> int:
        """Milliseconds between two standard packets."""

    @property
    @abstractmethod
    def stall_time_ms(self) -> int:
        """Milliseconds that the motors rest after a stall."""

    @property
    @abstractmethod
    def firmware_version(self) -> str:
        """As the firmware says it, or ""."""

    def value(self, name: str) -> int | None:
        """A field by its name in CONFIGpac."""
        value: int | None = getattr(self, name, None)
        return value

    def values(self) -> Iterator[tuple[str, int | str]]:
        """Every field that is there, by name, in the packet's order."""
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
    """A good frame with an id that no table knows."""

    id: U8
    payload: Bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed(Packet):
    """A good frame of a known id that is too short for its fields, and why."""

    id: U8
    payload: Bytes
    reason: str

    def encode(self) -> bytes:
        """The data as it came; the reason is ours, not the robot's."""
        return bytes((self.id,)) + self.payload


#: Which packets an id may stand for; with several, the first that the data is long enough for.
PacketTable = dict[int, tuple[type[Packet], ...]]
