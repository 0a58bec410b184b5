# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Options as NAME=VALUE: dataclass fields that know their meaning and how their text is read.

A reader raises ValueError with what it expects.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from ..wording import wrong_type

T = TypeVar("T")


class OptionError(ValueError):
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
        return since >= 0.0 and (since if math.isinf(self.every) else since % self.every) < self.duration

    def begins(self, before: float, time: float) -> bool:
        """Return whether the fault begins after `before` and not after `time` (s)."""
        if math.isinf(self.every):
            return before < self.start <= time
        return time >= self.start and (time - self.start) // self.every > (before - self.start) // self.every


def number(low: float = 0.0, high: float = math.inf) -> Callable[[str], float]:
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


def numbers(text: str) -> frozenset[int]:
    """Read whole numbers with commas between them."""
    try:
        return frozenset(int(word) for word in text.split(","))
    except ValueError:
        raise ValueError("numbers with commas between them") from None


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


_READERS: dict[type, Callable[[str], Any]] = {float: number(), bool: flag, frozenset: numbers, type(None): window}


def option(default: Any, help: str, read: Callable[[str], Any] | None = None) -> Any:
    """Define a field.

    Args:
        default: Value without the option; its type chooses the reader, None that of a time window.
        help: Meaning and unit.
        read: Another reader.
    """
    return field(default=default, metadata={"help": help, "read": read or _READERS[type(default)]})


def option_help(kind: type[Any]) -> str:
    """Return the options of a dataclass, one per line."""
    return "\n".join(f"  {item.name:<16} {item.metadata['help']}" for item in fields(kind))


def parse_options(what: str, texts: Iterable[str], base: T) -> T:
    """Read options.

    Args:
        what: Kind of option, for messages: wear, sonar, fault or variant.
        texts: One NAME=VALUE per option.
        base: Value of the others.

    Raises:
        OptionError: A name is unknown, or a value is not allowed.
    """
    known = {item.name: item.metadata for item in fields(base)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in known:
            raise OptionError(f"{what} {name!r:.60} is not known, allowed: {', '.join(known)}")
        try:
            values[name] = known[name]["read"](value)
        except ValueError as error:
            meaning = known[name]["help"]
            expected = meaning if str(error) in meaning else f"{error} ({meaning})"
            raise OptionError(wrong_type(f"{what} {name}", value, expected)) from None
    return replace(base, **values)  # type: ignore[type-var]
