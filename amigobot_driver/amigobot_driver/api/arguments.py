# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Checks of what a program passes: a value of a wrong type must not reach the threads of the driver."""

from __future__ import annotations

import numbers
from dataclasses import fields
from typing import Any

from ..errors import RequestRefusedError
from ..robot import Options
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


def check_options(options: object) -> None:
    """Raise RequestRefusedError if the options or one of them have a wrong type."""
    if not isinstance(options, Options):
        raise RequestRefusedError(wrong_type("options", options, "Options(...)"))
    for field in fields(options):
        check_option(field.name, getattr(options, field.name))


def check_option(name: str, value: Any) -> None:
    """Raise RequestRefusedError if the value of an option has a wrong type."""
    default = getattr(Options(), name)
    if isinstance(default, bool | str):
        if not isinstance(value, type(default)):
            raise RequestRefusedError(
                wrong_type(name, value, "True or False" if isinstance(default, bool) else "a text")
            )
    elif isinstance(default, int):
        integer(name, value)
    elif isinstance(default, float):
        number(name, value)
    elif name == "sonar_sequence":
        for sonar in value:
            integer(name, sonar)
