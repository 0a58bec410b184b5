# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""How the parameters of other drivers become parameters of this one: the types that the tables are made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ...wording import wrong_type

Scalar = bool | int | float | str


class ImportFileError(ValueError):
    """The file or one of its values cannot be used. The message is one line."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What becomes of one parameter. `parameter` is its name here, "" for one without a counterpart."""

    parameter: str = ""
    #: converts the value; None as a result: the value means the robot's own setting
    convert: Callable[[Scalar], Scalar | None] | None = None
    note: str = ""  #: why it is left out, or what is different


@dataclass(frozen=True, slots=True)
class Source:
    """A driver whose parameters can be imported."""

    name: str
    rules: Mapping[str, Rule]
    #: settings of our driver that match the defaults of this one, unless the file sets them
    defaults: Mapping[str, Scalar] = field(default_factory=dict)
    #: behavior that differs, the most dangerous first
    differences: tuple[str, ...] = ()
    #: topics of the same type under another name: the name there by default, and the name here
    topics: Mapping[str, str] = field(default_factory=dict)
    #: parameters of several keys, such as host and port of a bridge; returns what it consumed
    combine: Callable[[dict[str, Scalar]], Mapping[str, Scalar]] | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """What a file of another driver says."""

    source: Source
    parameters: Mapping[str, Scalar]
    #: a sentence for each thing in the file that is no parameter of the robot's driver
    others: tuple[str, ...] = ()


@dataclass(slots=True)
class Imported:
    """The parameters of one file in terms of this driver."""

    source: Source
    values: dict[str, Scalar] = field(default_factory=dict)
    origin: dict[str, str] = field(default_factory=dict)  #: for each value, the key and value that it is from
    kept: list[str] = field(default_factory=list)  #: keys whose value means "as the robot has it"
    left_out: list[str] = field(default_factory=list)  #: a sentence for each key without a counterpart
    notes: list[str] = field(default_factory=list)
    others: tuple[str, ...] = ()  #: a sentence for each thing in the file that is no parameter


def convert(file: Given) -> Imported:
    """Translate what a file says.

    Raises:
        ImportFileError: A value is not what its parameter takes.
    """
    source, given = file.source, file.parameters
    result = Imported(source, dict(source.defaults), others=file.others)
    result.origin = dict.fromkeys(source.defaults, f"as {source.name} does by default")
    remaining = dict(given)
    if source.combine:
        for parameter, value in source.combine(remaining).items():
            result.values[parameter] = value
            result.origin[parameter] = ", ".join(f"{key}: {given[key]}" for key in given if key not in remaining)
    for key, value in remaining.items():
        rule = source.rules.get(key)
        if rule is None:
            result.left_out.append(f"{key}: {value}: {source.name} has no such parameter")
        elif not rule.parameter:
            result.left_out.append(f"{key}: {value}: {rule.note}")
        else:
            _add(result, key, value, rule)
    for parameter, value in result.values.items():
        if isinstance(value, str) and not value.isprintable():
            raise ImportFileError(wrong_type(parameter, value, "one line of text"))
    return result


def _add(result: Imported, key: str, value: Scalar, rule: Rule) -> None:
    try:
        converted = rule.convert(value) if rule.convert else value
    except ValueError as error:
        raise ImportFileError(wrong_type(key, value, str(error))) from None
    if converted is None:
        result.kept.append(f"{key}: {value}")
        return
    result.values[rule.parameter] = converted
    result.origin[rule.parameter] = f"{key}: {value}"
    if rule.note:
        result.notes.append(f"{key}: {rule.note}")


# -- conversions ----------------------------------------------------------------------------------------------


def number(value: Scalar) -> float:
    """Return a finite number. Raises ValueError with what is expected."""
    try:
        result = float(value)
    except ValueError:
        raise ValueError("a number") from None
    if not math.isfinite(result):
        raise ValueError("a finite number")
    return result


def integer(value: Scalar) -> int:
    """Return a whole number. Raises ValueError with what is expected."""
    result = number(value)
    if result != int(result):
        raise ValueError("a whole number")
    return int(result)


def switch(value: Scalar) -> bool:
    """Return a boolean from true, false, 1, 0, yes or no."""
    words = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    text = str(value).lower()
    if text not in words:
        raise ValueError("true or false")
    return words[text]


def scaled(factor: float = 1.0) -> Callable[[Scalar], float | None]:
    """Return a conversion of a magnitude: 0 means the robot's own setting; the sign is dropped."""

    def convert_magnitude(value: Scalar) -> float | None:
        return round(abs(number(value)) * factor, 6) or None

    return convert_magnitude


def if_at_least(minimum: int) -> Callable[[Scalar], int | None]:
    """Return a conversion of a whole number; less than `minimum` means the robot's own setting."""
    return lambda value: integer(value) if integer(value) >= minimum else None


def unless(unset: int) -> Callable[[Scalar], int | None]:
    """Return a conversion of a whole number; `unset` means the robot's own setting."""
    return lambda value: None if integer(value) == unset else integer(value)


def text(value: Scalar) -> str:
    """Return the value as text."""
    return str(value)


def socket_url(value: Scalar) -> str:
    """Return a port: `host:number` becomes socket://host:number."""
    name = str(value)
    return f"socket://{name}" if ":" in name and "://" not in name else name
