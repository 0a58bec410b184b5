# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Dataclass fields that know their meaning and allowed values: options as NAME=VALUE, FLASH parameters by keyword.

A reader takes a value, which is a text in an option. It raises ValueError with what it expects.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, TypeVar

from ..errors import AmigoBotError
from ..wording import wrong_type

#: largest value of a signed 16-bit parameter
WORD = 0x7FFF

T = TypeVar("T")
Reader = Callable[[Any], Any]


class OptionError(AmigoBotError, ValueError):
    """An option does not exist or cannot be read; the message names what is allowed."""


@dataclass(frozen=True, slots=True)
class Window:
    """Time window of a fault: from `start` for `duration`, repeated every `every`; s since the simulation started."""

    start: float
    duration: float = 0.0
    every: float = math.inf

    def covers(self, time: float) -> bool:
        """Return whether the fault is active at `time` (s)."""
        since = time - self.start
        return since >= 0.0 and since % self.every < self.duration

    def begins(self, before: float, time: float) -> bool:
        """Return whether the fault begins after `before` and not after `time` (s)."""
        return time >= self.start and (time - self.start) // self.every > (before - self.start) // self.every


# --- readers -----------------------------------------------------------------------------------------------


def number(low: float = 0.0, high: float = math.inf) -> Reader:
    """Return a reader of finite numbers in a range."""
    expected = f"a number of at least {low:g}" if math.isinf(high) else f"a number from {low:g} to {high:g}"

    def read(text: str) -> float:
        value = _float(text, expected)
        if not low <= value <= high or math.isinf(value):
            raise ValueError(expected)
        return value

    return read


def flag(text: str) -> bool:
    """Read 0 or 1."""
    if text not in ("0", "1"):
        raise ValueError("0 or 1")
    return text == "1"


def numbers(high: int) -> Reader:
    """Return a reader of whole numbers from 0, with commas between them."""

    def read(text: str) -> frozenset[int]:
        words = [word.strip() for word in text.split(",")]
        if not all(word.isdecimal() and int(word) <= high for word in words):
            raise ValueError(f"whole numbers from 0 to {high} with commas between them")
        return frozenset(map(int, words))

    return read


def window(text: str) -> Window:
    """Read START[:DURATION[:EVERY]]."""
    expected = "times in s of at least 0, a DURATION shorter than EVERY"
    start, duration, every, more = [*text.split(":"), "", "", ""][:4]
    made = Window(_float(start, expected), _float(duration or "0", expected), _float(every or "inf", expected))
    if more or not (0.0 <= made.start < math.inf and 0.0 <= made.duration < made.every):
        raise ValueError(expected)
    return made


def _float(text: str, expected: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(expected) from None


def integer(low: int, high: int) -> Reader:
    """Return a reader of integers in a range."""

    def read(value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise ValueError(f"an integer from {low} to {high}")
        return value

    return read


def characters(length: int, *, blanks: bool) -> Reader:
    """Return a reader of up to `length` printable ASCII characters, spaces among them if `blanks`."""

    def read(value: object) -> str:
        text = str(value) if isinstance(value, str | int) else "\0"
        if len(text) > length or not (text.isascii() and text.isprintable()) or (" " in text and not blanks):
            raise ValueError(f"up to {length} printable ASCII characters{'' if blanks else ' without blanks'}")
        return text

    return read


_READERS: dict[type, Reader] = {float: number(), bool: flag, type(None): window}

# --- fields ------------------------------------------------------------------------------------------------


def option(default: Any, help: str, read: Reader | None = None) -> Any:
    """Define the field of an option.

    Args:
        default: Value without the option; its type chooses the reader, None that of a time window.
        help: Meaning and unit.
        read: Another reader.
    """
    return field(default=default, metadata={"help": help, "read": read or _READERS[type(default)]})


def parameter(keyword: str, default: int, low: int = 0, high: int = WORD) -> Any:
    """Define the field of a FLASH parameter that is an integer.

    Args:
        keyword: Name in the manual.
        default: Value from the factory.
        low: Smallest allowed value.
        high: Largest allowed value.
    """
    return field(default=default, metadata={"keyword": keyword, "help": "", "read": integer(low, high)})


def text(keyword: str, default: str, length: int = 20, *, blanks: bool = False) -> Any:
    """Define the field of a FLASH parameter that is a text.

    Args:
        keyword: Name in the manual.
        default: Value from the factory.
        length: Largest allowed number of characters.
        blanks: Whether spaces are allowed.
    """
    return field(default=default, metadata={"keyword": keyword, "help": "", "read": characters(length, blanks=blanks)})


def _by_name(kind: type) -> dict[str, Field[Any]]:
    """Return the fields that have a reader, by keyword or else by their own name."""
    return {item.metadata.get("keyword", item.name): item for item in fields(kind) if "read" in item.metadata}


def read_fields(what: str, kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Read values for a dataclass.

    Args:
        what: Origin of the values, for messages: fault, or the name of a profile.
        kind: The dataclass.
        values: By keyword or name; case is ignored and the last one counts.

    Returns:
        The values by the names of the fields.

    Raises:
        OptionError: A name is unknown, or a value is not allowed.
    """
    known = _by_name(kind)
    by_lower = {name.lower(): item for name, item in known.items()}
    found = {}
    for name, value in values.items():
        item = by_lower.get(str(name).lower())
        if item is None:
            raise OptionError(f"{what} {name!r:.60} is not known, allowed: {', '.join(known)}")
        try:
            found[item.name] = item.metadata["read"](value)
        except ValueError as error:
            meaning, expected = item.metadata["help"], str(error)
            if meaning:
                expected = meaning if expected in meaning else f"{expected} ({meaning})"
            raise OptionError(wrong_type(f"{what} {name}", value, expected)) from None
    return found


def parse_options(what: str, texts: Iterable[str], base: T) -> T:
    """Read options.

    Args:
        what: Kind of option, for messages: wear, sonar or fault.
        texts: One NAME=VALUE per option.
        base: Value of the others.

    Raises:
        OptionError: A name is unknown, or a value is not allowed.
    """
    pairs = (text.partition("=") for text in texts)
    values = {name: value for name, _, value in pairs}
    return replace(base, **read_fields(what, type(base), values))  # type: ignore[type-var]


def option_help(kind: type) -> str:
    """Return the options of a dataclass, one per line."""
    return "\n".join(f"  {name:<16} {item.metadata['help']}" for name, item in _by_name(kind).items())


def readable_values(kind: type, source: object, names: Collection[str] | None = None) -> dict[str, Any]:
    """Return the values of another object that a dataclass allows, by keyword.

    Args:
        kind: The dataclass.
        source: Has the values under the names of the fields, as a CONFIG packet does.
        names: Fields that are of interest; None for all.
    """
    values = {}
    for keyword, item in _by_name(kind).items():
        if names is None or item.name in names:
            with contextlib.suppress(ValueError):
                values[keyword] = item.metadata["read"](getattr(source, item.name, None))
    return values
