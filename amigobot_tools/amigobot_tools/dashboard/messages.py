# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Messages of the browser: what each must contain, checked before anything is done.

A message is a JSON object: `type` names the request, `id` is returned with the answer, the rest are its arguments.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from amigobot_driver.wording import shown, wrong_type

#: Characters of a message at most.
MAX_LENGTH = 16_384


class BadMessage(ValueError):
    """A message that cannot be executed; the text says what is wrong with it. `number` is its id, None without."""

    def __init__(self, text: str, number: int | None = None) -> None:
        super().__init__(text)
        self.number = number


class Argument(Protocol):
    """One argument of a request."""

    def read(self, value: object) -> Any:
        """Return the value. Raises ValueError with what is expected."""
        ...


@dataclass(frozen=True, slots=True)
class Number:
    """A finite number in a range."""

    low: float
    high: float

    def read(self, value: object) -> float:
        """Return the value. Raises ValueError with what is expected."""
        good = isinstance(value, int | float) and not isinstance(value, bool)
        if not good or not self.low <= value <= self.high:  # type: ignore[operator]
            raise ValueError(f"expected a number from {self.low:g} to {self.high:g}")
        return float(value)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number in a range."""

    low: int
    high: int

    def read(self, value: object) -> int:
        """Return the value. Raises ValueError with what is expected."""
        if not isinstance(value, int) or isinstance(value, bool) or not self.low <= value <= self.high:
            raise ValueError(f"expected a whole number from {self.low} to {self.high}")
        return value


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    def read(self, value: object) -> bool:
        """Return the value. Raises ValueError with what is expected."""
        if not isinstance(value, bool):
            raise ValueError("expected true or false")
        return value


@dataclass(frozen=True, slots=True)
class Text:
    """A text of limited length."""

    max_length: int = 200

    def read(self, value: object) -> str:
        """Return the value. Raises ValueError with what is expected."""
        if not isinstance(value, str) or len(value) > self.max_length:
            raise ValueError(f"expected a text of up to {self.max_length} characters")
        return value


@dataclass(frozen=True, slots=True)
class Texts:
    """A list of texts."""

    max_length: int  #: texts in the list
    each: Text = Text()

    def read(self, value: object) -> tuple[str, ...]:
        """Return the value. Raises ValueError with what is expected."""
        if not isinstance(value, list) or len(value) > self.max_length:
            raise ValueError(f"expected a list of up to {self.max_length} texts")
        return tuple(self.each.read(one) for one in value)


@dataclass(frozen=True, slots=True)
class Anything:
    """A number, true or false, or a text: the value of a parameter, which its owner checks."""

    def read(self, value: object) -> bool | int | float | str:
        """Return the value. Raises ValueError with what is expected."""
        if not isinstance(value, bool | int | float | str) or (isinstance(value, float) and not math.isfinite(value)):
            raise ValueError("expected a finite number, true, false or a text")
        if isinstance(value, str) and len(value) > 200:
            raise ValueError("expected a text of up to 200 characters")
        return value


@dataclass(frozen=True, slots=True)
class Request:
    """What a browser may ask for.

    Args:
        run: Called with the arguments; returns what was done, for the person. It may wait for the robot.
        arguments: Each argument by name.
        control: The browser must hold control.
    """

    run: Callable[..., str]
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    control: bool = True


@dataclass(frozen=True, slots=True)
class Message:
    """A message with the form of a request; its arguments are not checked yet."""

    kind: str
    number: int | None
    values: Mapping[str, object]

    def arguments(self, allowed: Mapping[str, Argument]) -> dict[str, Any]:
        """Return the checked arguments.

        Raises:
            BadMessage: One is missing, unknown or has a wrong value.
        """
        if unknown := sorted(self.values.keys() - allowed.keys()):
            known = ", ".join(allowed) or "none"
            raise BadMessage(f"{self.kind}: argument {unknown[0]!r:.60} is not known, allowed: {known}", self.number)
        checked = {}
        for name, argument in allowed.items():
            if name not in self.values:
                raise BadMessage(f"{self.kind}: argument {name} is missing", self.number)
            try:
                checked[name] = argument.read(self.values[name])
            except ValueError as error:
                text = f"{self.kind}: {name} is {shown(self.values[name])}, {error}"
                raise BadMessage(text, self.number) from None
        return checked


def read_message(text: str) -> Message:
    """Read a message.

    Raises:
        BadMessage: It is not a JSON object with a type.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise BadMessage("this is not JSON") from None
    if not isinstance(content, dict):
        raise BadMessage(wrong_type("the message", content, "a JSON object"))
    kind, number = content.pop("type", None), content.pop("id", None)
    if number is not None and (not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 2**53):
        raise BadMessage(wrong_type("id", number, "a whole number of at least 0"))
    if kind is None:
        raise BadMessage("type is missing", number)
    if not isinstance(kind, str):
        raise BadMessage(wrong_type("type", kind, "a text"), number)
    return Message(kind, number, content)
