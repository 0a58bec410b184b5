# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The layout of typed values in the data of a frame, for both parsing and encoding.

A packet is a frozen dataclass; its annotations define how each field is encoded:

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Encoders(Packet):
        id: U8 = 0x90
        left: S32
        right: S32
        extra: U16 | None = None     # trailing fields that older firmware leaves out

`pack` and `unpack` follow the order of the fields. Integers are little-endian (docs/protocol 2.1).
"""

from __future__ import annotations

import functools
import types
import typing
from dataclasses import dataclass, fields
from typing import Annotated, Any, Protocol, TypeVar


def signed(value: int, bits: int) -> int:
    """Wrap an integer, such as the difference of two counters, to a signed one of `bits` bits."""
    return (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


class TruncatedError(ValueError):
    """The data ends inside a field."""


class Codec(Protocol):
    """Reads and writes values of one type.

    Raises:
        TruncatedError: On reading, the data ends inside the value.
        ValueError: On writing, the value does not fit.
    """

    def read(self, data: bytes, at: int) -> tuple[Any, int]:
        """Read the value at offset `at`; return it and the offset after it."""

    def write(self, value: Any) -> bytes:
        """Return the bytes of a value."""


class Int:
    """A little-endian integer of 1 to 4 bytes."""

    def __init__(self, size: int, *, signed: bool) -> None:
        self._size, self._signed = size, signed

    def __str__(self) -> str:
        return f"{'s' if self._signed else 'u'}{8 * self._size}"

    def read(self, data: bytes, at: int) -> tuple[int, int]:
        """Read the value at offset `at`; return it and the offset after it."""
        end = at + self._size
        if end > len(data):
            raise TruncatedError(f"{self._size}-byte integer at offset {at} of {len(data)} bytes")
        return int.from_bytes(data[at:end], "little", signed=self._signed), end

    def write(self, value: int) -> bytes:
        """Return the bytes of a value."""
        try:
            return value.to_bytes(self._size, "little", signed=self._signed)
        except OverflowError:
            bits = 8 * self._size
            kind, low = ("a signed", -1 << bits - 1) if self._signed else ("an unsigned", 0)
            high = low + (1 << bits) - 1
            raise ValueError(f"{value} does not fit {kind} {bits}-bit integer ({low} to {high})") from None


def _characters(value: str) -> bytes:
    if "\0" in value:
        raise ValueError(f"{value!r} contains a NUL, which would end the text early")
    return value.encode("latin-1")


class CString:
    """Characters and a NUL. A string without its NUL is cut at the end of the data."""

    def __str__(self) -> str:
        return "text, NUL"

    def read(self, data: bytes, at: int) -> tuple[str, int]:
        """Read the value at offset `at`; return it and the offset after it."""
        if at >= len(data):
            raise TruncatedError(f"string at offset {at} of {len(data)} bytes")
        end = data.find(0, at)
        if end < 0:
            return data[at:].decode("latin-1"), len(data)
        return data[at:end].decode("latin-1"), end + 1

    def write(self, value: str) -> bytes:
        """Return the bytes of a value."""
        return _characters(value) + b"\0"


class FixedString:
    """Characters in a field of fixed size, NUL-padded; a full field has no NUL."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __str__(self) -> str:
        return f"text[{self._size}]"

    def read(self, data: bytes, at: int) -> tuple[str, int]:
        """Read the value at offset `at`; return it and the offset after it."""
        end = at + self._size
        if end > len(data):
            raise TruncatedError(f"{self._size}-character field at offset {at} of {len(data)} bytes")
        return data[at:end].partition(b"\0")[0].decode("latin-1"), end

    def write(self, value: str) -> bytes:
        """Return the bytes of a value."""
        raw = _characters(value)
        if len(raw) > self._size:
            raise ValueError(f"{value!r} is longer than its {self._size}-character field")
        return raw.ljust(self._size, b"\0")


class Rest:
    """All bytes up to the end of the data."""

    def __str__(self) -> str:
        return "bytes to the end"

    def read(self, data: bytes, at: int) -> tuple[bytes, int]:
        """Read the value at offset `at`; return it and the offset after it."""
        return data[at:], len(data)

    def write(self, value: bytes) -> bytes:
        """Return the bytes of a value."""
        return value


class Counted:
    """A count byte and that many items. Reads only complete items: MobileSim sends too large a count."""

    def __init__(self, item: Any) -> None:
        self._item = _codec(item)

    def __str__(self) -> str:
        return f"count u8, then {self._item} each"

    def read(self, data: bytes, at: int) -> tuple[tuple[Any, ...], int]:
        """Read the value at offset `at`; return it and the offset after it."""
        count, at = _COUNT.read(data, at)
        items = []
        for _ in range(count):
            try:
                item, at = self._item.read(data, at)
            except TruncatedError:
                break
            items.append(item)
        return tuple(items), at

    def write(self, value: tuple[Any, ...]) -> bytes:
        """Return the bytes of a value."""
        return _COUNT.write(len(value)) + b"".join(map(self._item.write, value))


def _codec(hint: Any) -> Any:
    """Return the codec in an annotation such as U16; a codec is returned as it is."""
    return hint.__metadata__[0] if hasattr(hint, "__metadata__") else hint


class Record:
    """A nested dataclass. Of several alternatives, the first that fits the data exactly, else the last."""

    def __init__(self, *alternatives: type) -> None:
        self._alternatives = alternatives

    def __str__(self) -> str:
        return " or ".join(cls.__name__ for cls in self._alternatives)

    def read(self, data: bytes, at: int) -> tuple[Any, int]:
        """Read the value at offset `at`; return it and the offset after it."""
        *preferred, fallback = self._alternatives
        for cls in preferred:
            try:
                read = _read(cls, data, at)
            except TruncatedError:
                continue
            if read[1] == len(data):
                return read
        return _read(fallback, data, at)

    def write(self, value: Any) -> bytes:
        """Return the bytes of a value."""
        return pack(value)


_COUNT = Int(1, signed=False)

U8 = Annotated[int, Int(1, signed=False)]
S8 = Annotated[int, Int(1, signed=True)]
U16 = Annotated[int, Int(2, signed=False)]
S16 = Annotated[int, Int(2, signed=True)]
S24 = Annotated[int, Int(3, signed=True)]
U32 = Annotated[int, Int(4, signed=False)]
S32 = Annotated[int, Int(4, signed=True)]
Text = Annotated[str, CString()]
Bytes = Annotated[bytes, Rest()]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    codec: Codec
    optional: bool


@functools.cache
def _layout(cls: type) -> tuple[_Field, ...]:
    hints = typing.get_type_hints(cls, include_extras=True)
    layout = []
    for field in fields(cls):
        hint, optional = hints[field.name], False
        if typing.get_origin(hint) in (types.UnionType, typing.Union):
            hint, optional = typing.get_args(hint)[0], True
        layout.append(_Field(field.name, _codec(hint), optional))
    return tuple(layout)


def describe(cls: type) -> tuple[tuple[str, str, bool], ...]:
    """Return for each field: name, type as text, and whether older firmware omits it."""
    return tuple((field.name, str(field.codec), field.optional) for field in _layout(cls))


def _read(cls: type, data: bytes, at: int) -> tuple[Any, int]:
    """Read a `cls` at offset `at`, up to the first optional field that the data does not have."""
    values: dict[str, Any] = {}
    for field in _layout(cls):
        if field.optional and at == len(data):
            break
        try:
            values[field.name], at = field.codec.read(data, at)
        except TruncatedError:
            if not field.optional:
                raise
            break
    return cls(**values), at


def unpack(cls: type[T], data: bytes) -> T:
    """Parse data as a dataclass. Bytes after its last field are ignored.

    Raises:
        TruncatedError: The data ends inside a required field.
    """
    value: T = _read(cls, data, 0)[0]
    return value


def pack(value: Any) -> bytes:
    """Encode a packet or record in the order of its fields.

    Args:
        value: Instance of a dataclass whose annotations are codecs, such as U16.

    Returns:
        The bytes. They end before the first optional field that is None.

    Raises:
        ValueError: A value does not fit its field, or an optional field is None and a later one has a value.
    """
    cls: type = type(value)
    parts: list[bytes] = []
    ended_by = None
    for field in _layout(cls):
        item = getattr(value, field.name)
        if item is None and field.optional:
            ended_by = ended_by or field.name
        elif ended_by:
            raise ValueError(f"{cls.__name__}.{field.name} requires {ended_by}, which comes before it")
        else:
            try:
                parts.append(field.codec.write(item))
            except ValueError as error:
                raise ValueError(f"{cls.__name__}.{field.name}: {error}") from None
    return b"".join(parts)
