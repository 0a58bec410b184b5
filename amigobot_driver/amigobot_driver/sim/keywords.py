# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Dataclass fields that know the manual's keyword and allowed values of a FLASH parameter."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping
from dataclasses import Field, field, fields
from typing import Any, TypeVar

from ..profiles import ProfileError
from ..wording import shown, wrong_type

#: largest value of a signed 16-bit parameter
WORD = 0x7FFF

T = TypeVar("T")


def number(keyword: str, default: int, low: int = 0, high: int = WORD) -> Any:
    """Define a dataclass field for an integer parameter.

    Args:
        keyword: Name in the manual.
        default: Value from the factory.
        low: Smallest allowed value.
        high: Largest allowed value.

    Returns:
        The field.
    """
    return field(default=default, metadata={"keyword": keyword, "range": (low, high)})


def text(keyword: str, default: str, length: int = 20, *, blanks: bool = False) -> Any:
    """Define a dataclass field for a parameter of printable ASCII characters.

    Args:
        keyword: Name in the manual.
        default: Value from the factory.
        length: Largest allowed number of characters.
        blanks: Whether spaces are allowed.

    Returns:
        The field.
    """
    return field(default=default, metadata={"keyword": keyword, "length": length, "blanks": blanks})


def from_keywords(kind: type[T], overrides: Mapping[str, int | str], where: str, **fixed: Any) -> T:
    """Build a parameter set from its defaults and values given by keyword.

    Args:
        kind: Dataclass whose fields come from `number` and `text`.
        overrides: Values by keyword; case is ignored and the last one counts.
        where: Origin of the values, for error messages.
        fixed: Fields without keyword, by field name.

    Returns:
        The parameter set.

    Raises:
        ProfileError: A keyword is unknown, or a value is outside its range.
    """
    known = {item.metadata["keyword"].lower(): item for item in fields(kind) if "keyword" in item.metadata}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for keyword, value in overrides.items():
        item = known.get(str(keyword).lower())
        if item is None:
            # Texts first, as in the manuals: the fields of a base class are the first of a dataclass.
            entries = sorted((entry.metadata for entry in known.values()), key=lambda entry: "length" not in entry)
            names = ", ".join(entry["keyword"] for entry in entries)
            raise ProfileError(f"{where}: flash: {keyword!r} is not known, allowed: {names}")
        values[item.name] = _checked(item, value, f"{where}: flash: {keyword}")
    return kind(**values, **fixed)


def to_keywords(kind: type, source: object, names: Collection[str] | None = None) -> dict[str, int | str]:
    """Return the values of another object that fit a parameter set, by keyword.

    Args:
        kind: Dataclass whose fields come from `number` and `text`.
        source: Has the values under the names of these fields, as a CONFIG packet does; missing and wrong ones are
            left out.
        names: Fields that are of interest; None for all.
    """
    values: dict[str, int | str] = {}
    for item in fields(kind):
        value = getattr(source, item.name, None)
        if value is None or "keyword" not in item.metadata or (names is not None and item.name not in names):
            continue
        with contextlib.suppress(ProfileError):
            values[item.metadata["keyword"]] = _checked(item, value, item.name)
    return values


def _checked(item: Field[Any], value: object, where: str) -> int | str:
    if "length" in item.metadata:
        length, blanks = item.metadata["length"], item.metadata["blanks"]
        characters = str(value)
        printable = characters.isascii() and characters.isprintable() and (blanks or " " not in characters)
        if len(characters) > length or not printable:
            without = "" if blanks else " without blanks"
            allowed = f"up to {length} printable ASCII characters{without}"
            raise ProfileError(f"{where} is {shown(value)}, allowed: {allowed}")
        return characters
    low, high = item.metadata["range"]
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ProfileError(wrong_type(where, value, f"an integer from {low} to {high}"))
    return value
