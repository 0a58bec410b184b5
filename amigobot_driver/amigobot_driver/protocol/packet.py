"""What every packet is, and what stands for those that no table knows (PROTOCOL 5.1)."""

from __future__ import annotations

from dataclasses import dataclass

from .wire import U8, Bytes, pack


class Packet:
    """Anything a robot sends. `id` is the first byte of its data."""

    __slots__ = ()
    id: int

    def encode(self) -> bytes:
        """The data of the frame that carries this packet. Raises ValueError when a value does not fit."""
        return pack(self)


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
