# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Checks of what a program passes: a value of a wrong type must not reach the threads of the driver."""

from __future__ import annotations

import numbers
from dataclasses import fields

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
    defaults = Options()
    for field in fields(options):
        value, default = getattr(options, field.name), getattr(defaults, field.name)
        if isinstance(default, bool | str):
            if not isinstance(value, type(default)):
                raise RequestRefusedError(
                    wrong_type(field.name, value, "True or False" if isinstance(default, bool) else "a text")
                )
        elif isinstance(default, int):
            integer(field.name, value)
        elif isinstance(default, float):
            number(field.name, value)
    for sonar in options.sonar_sequence:
        integer("sonar_sequence", sonar)
