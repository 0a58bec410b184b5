# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Checks of what a program passes: a value of a wrong type must not reach the threads of the driver."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from ..errors import RequestRefusedError
from ..robot.options import has_type
from ..wording import wrong_type


def integer(name: str, value: Any) -> int:
    """Return a whole number. Raises RequestRefusedError for anything else."""
    if not has_type(value, Integral):
        raise RequestRefusedError(wrong_type(name, value, "a whole number"))
    return int(value)


def number(name: str, value: Any) -> float:
    """Return a number. Raises RequestRefusedError for anything else."""
    if not has_type(value, Real):
        accepted = "a number up to 1.8e308" if type(value) is int else "a number"
        raise RequestRefusedError(wrong_type(name, value, accepted))
    return float(value)


def event_type(name: str, value: object) -> None:
    """Raise RequestRefusedError unless `isinstance` accepts the value as a type."""
    try:
        isinstance(None, value)  # type: ignore[arg-type]
    except TypeError:
        raise RequestRefusedError(wrong_type(name, value, "a type such as Report")) from None
