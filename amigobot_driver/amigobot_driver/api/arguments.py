# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Checks of what a program passes: a value of a wrong type must not reach the threads of the driver."""

from __future__ import annotations

import numbers

from ..errors import RequestRefusedError
from ..wording import wrong_type


def integer(name: str, value: object) -> int:
    """Return a whole number. Raises RequestRefusedError for anything else."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise RequestRefusedError(wrong_type(name, value, "a whole number"))
    return int(value)


def number(name: str, value: object) -> float:
    """Return a number. Raises RequestRefusedError for anything else."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise RequestRefusedError(wrong_type(name, value, "a number"))
    try:
        return float(value)
    except OverflowError:
        raise RequestRefusedError(wrong_type(name, value, "a number up to 1.8e308")) from None


def event_type(name: str, value: object) -> None:
    """Raise RequestRefusedError unless `isinstance` accepts the value as a type."""
    try:
        isinstance(None, value)  # type: ignore[arg-type]
    except TypeError:
        raise RequestRefusedError(wrong_type(name, value, "a type such as Report")) from None
