"""Parameters that a controller keeps in FLASH, as dataclasses whose fields know the manual's names for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, field, fields
from typing import Any, TypeVar

from ..profiles import ProfileError

WORD = 0x7FFF

T = TypeVar("T")


def number(keyword: str, default: int, low: int = 0, high: int = WORD) -> Any:
    """A field for an integer."""
    return field(default=default, metadata={"keyword": keyword, "range": (low, high)})


def text(keyword: str, default: str, length: int = 20, *, blanks: bool = False) -> Any:
    """A field for ASCII characters."""
    return field(default=default, metadata={"keyword": keyword, "length": length, "blanks": blanks})


def from_keywords(kind: type[T], overrides: Mapping[str, int | str], where: str, **fixed: Any) -> T:
    """The defaults with a profile's changes. Raises ProfileError: the keyword, and what is allowed."""
    known = {item.metadata["keyword"].lower(): item for item in fields(kind) if "keyword" in item.metadata}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for keyword, value in overrides.items():
        item = known.get(str(keyword).lower())
        if item is None:
            names = ", ".join(entry.metadata["keyword"] for entry in known.values())
            raise ProfileError(f"{where}: flash: {keyword!r} is not known, allowed: {names}")
        values[item.name] = _checked(item, value, f"{where}: flash: {keyword}")
    return kind(**values, **fixed)


def _checked(item: Field[Any], value: object, where: str) -> int | str:
    if "length" in item.metadata:
        length, blanks = item.metadata["length"], item.metadata["blanks"]
        characters = str(value)
        printable = characters.isascii() and characters.isprintable() and (blanks or " " not in characters)
        if len(characters) > length or not printable:
            without = "" if blanks else " without blanks"
            raise ProfileError(f"{where}: {value!r:.60}, allowed: up to {length} characters{without}")
        return characters
    low, high = item.metadata["range"]
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ProfileError(f"{where}: {value!r:.60}, an integer from {low} to {high} is needed")
    return value
