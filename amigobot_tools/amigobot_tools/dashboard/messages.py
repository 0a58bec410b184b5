# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Messages of the browser: what each must contain, checked before anything is done.

A message is a JSON object: `type` names the request, `id` is returned with the answer, the rest are its arguments.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from amigobot_driver.wording import shown, wrong_type

MAX_LENGTH = 16_384  # characters of a message
_MAX_TEXT = 200  # characters of an argument
_MAX_TEXTS = 36  # texts of an argument


@dataclass(frozen=True, slots=True)
class Between:
    """Allowed range of a number: `Annotated[float, Between(0, 1)]`."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Request:
    """What a browser may ask for."""

    name: str
    run: Callable[..., str | None]  #: called with the arguments; may return what was done, for the person
    arguments: Mapping[str, Any]  #: the type of each argument by name
    control: bool  #: the browser must hold control

    def checked(self, values: Mapping[str, object]) -> dict[str, Any]:
        """Return the arguments in a message, checked.

        Raises:
            ValueError: One is missing, unknown or has a wrong value; the message says which.
        """
        if unknown := sorted(values.keys() - self.arguments.keys()):
            known = ", ".join(self.arguments) or "none"
            raise ValueError(f"{self.name}: argument {unknown[0]!r:.60} is not known, allowed: {known}")
        checked = {}
        for name, kind in self.arguments.items():
            if name not in values:
                raise ValueError(f"{self.name}: argument {name} is missing")
            try:
                checked[name] = read_argument(kind, values[name])
            except ValueError as error:
                raise ValueError(f"{self.name}: {name} is {shown(values[name])}, {error}") from None
        return checked


def anyone(method: Any) -> Any:
    """Mark a request that needs no control."""
    method.needs_control = False
    return method


def requests_of(owner: object) -> dict[str, Request]:
    """Return the requests of an object: `do_step(self, seconds: Annotated[float, Between(0.01, 10)])` is `step`.

    An argument is a bool, a number in a range, a text, a tuple of texts, or a `Value`; `browser` is not in the message.
    """
    requests = {}
    for name in dir(owner):
        if name.startswith("do_"):
            run, kind = getattr(owner, name), name.removeprefix("do_")
            hints = get_type_hints(run, include_extras=True)
            arguments = {key: hint for key, hint in hints.items() if key not in ("browser", "return")}
            requests[kind] = Request(kind, run, arguments, getattr(run, "needs_control", True))
    return requests


#: Value of a parameter, which its owner checks.
Value = bool | int | float | str
Byte = Annotated[int, Between(0, 255)]
Sound = Annotated[int, Between(1, 255)]


def read_argument(kind: Any, value: object) -> Any:
    """Return an argument of a request.

    Raises:
        ValueError: It is not allowed; the message says what is expected.
    """
    if get_origin(kind) is Annotated:
        number, allowed = get_args(kind)
        name = "a whole number" if number is int else "a number"
        # bool is a subclass of int; NaN is in no range
        right = isinstance(value, number | int) and not isinstance(value, bool)
        if not right or not allowed.low <= value <= allowed.high:
            raise ValueError(f"expected {name} from {allowed.low:g} to {allowed.high:g}")
        return number(value)
    if kind is bool and not isinstance(value, bool):
        raise ValueError("expected true or false")
    if kind is Value and isinstance(value, int | float):
        if not abs(value) <= sys.float_info.max:  # an integer of JSON has any length
            raise ValueError("expected a finite number")
    elif kind is str or kind is Value:
        if not isinstance(value, str) or len(value) > _MAX_TEXT:
            raise ValueError(f"expected a text of up to {_MAX_TEXT} characters")
    elif get_origin(kind) is tuple:
        if not isinstance(value, list) or len(value) > _MAX_TEXTS:
            raise ValueError(f"expected a list of up to {_MAX_TEXTS} texts")
        return tuple(read_argument(str, item) for item in value)
    return value


def read_message(data: str) -> dict[str, Any]:
    """Read a message.

    Raises:
        ValueError: It is not a JSON object.
    """
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        raise ValueError("this is not JSON") from None
    if not isinstance(content, dict):
        raise ValueError(wrong_type("the message", content, "a JSON object"))
    return content


def take_id(content: dict[str, Any]) -> int | None:
    """Remove the id from a message and return it; None if it has none.

    Raises:
        ValueError: It is not a whole number of at least 0.
    """
    number = content.pop("id", None)
    if number is None or (isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 2**53):
        return number
    raise ValueError(wrong_type("id", number, "a whole number of at least 0"))
