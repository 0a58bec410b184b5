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
from typing import Any

from amigobot_driver.wording import shown, wrong_type

MAX_LENGTH = 16_384  # characters of a message
_MAX_TEXT = 200  # characters of an argument


class BadMessage(ValueError):
    """A message that cannot be executed; the text says what is wrong with it. `number` is its id, None without."""

    def __init__(self, text: str, number: int | None = None) -> None:
        super().__init__(text)
        self.number = number


#: Reads one argument of a request. Raises ValueError with what is expected.
Reader = Callable[[object], Any]


def number(low: float, high: float) -> Reader:
    """Return a reader of finite numbers in a range."""

    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise ValueError(f"expected a number from {low:g} to {high:g}")
        return float(value)

    return read


def whole(low: int, high: int) -> Reader:
    """Return a reader of whole numbers in a range."""

    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ValueError(f"expected a whole number from {low} to {high}")
        return value

    return read


def flag(value: object) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise ValueError("expected true or false")
    return value


def text(value: object) -> str:
    """Read a text of limited length."""
    if not isinstance(value, str) or len(value) > _MAX_TEXT:
        raise ValueError(f"expected a text of up to {_MAX_TEXT} characters")
    return value


def texts(most: int) -> Reader:
    """Return a reader of lists of texts."""

    def read(value: object) -> tuple[str, ...]:
        if not isinstance(value, list) or len(value) > most:
            raise ValueError(f"expected a list of up to {most} texts")
        return tuple(map(text, value))

    return read


def parameter_value(value: object) -> bool | int | float | str:
    """Read a number, true or false, or a text: the value of a parameter, which its owner checks."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("expected a finite number")
    if isinstance(value, bool | int | float):
        return value
    return text(value)


@dataclass(frozen=True, slots=True)
class Request:
    """What a browser may ask for.

    Args:
        run: Called with the arguments; returns what was done, for the person. It may wait for the robot.
        arguments: The reader of each argument by name.
        control: The browser must hold control.
    """

    run: Callable[..., str]
    arguments: Mapping[str, Reader] = field(default_factory=dict)
    control: bool = True


@dataclass(frozen=True, slots=True)
class Message:
    """A message with the form of a request; its arguments are not checked yet."""

    kind: str
    number: int | None
    values: Mapping[str, object]

    def arguments(self, allowed: Mapping[str, Reader]) -> dict[str, Any]:
        """Return the checked arguments.

        Raises:
            BadMessage: One is missing, unknown or has a wrong value.
        """
        if unknown := sorted(self.values.keys() - allowed.keys()):
            known = ", ".join(allowed) or "none"
            raise BadMessage(f"{self.kind}: argument {unknown[0]!r:.60} is not known, allowed: {known}", self.number)
        checked = {}
        for name, read in allowed.items():
            if name not in self.values:
                raise BadMessage(f"{self.kind}: argument {name} is missing", self.number)
            try:
                checked[name] = read(self.values[name])
            except ValueError as error:
                explained = f"{self.kind}: {name} is {shown(self.values[name])}, {error}"
                raise BadMessage(explained, self.number) from None
        return checked


def read_message(data: str) -> Message:
    """Read a message.

    Raises:
        BadMessage: It is not a JSON object with a type.
    """
    try:
        content = json.loads(data)
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
