# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Single values and sections of values, as YAML has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from ...wording import wrong_type
from .rules import ImportFileError, Scalar

#: The keys that lead to a group of parameters in a file, outermost first.
Path = tuple[str, ...]


def typed(text: str) -> Scalar:
    """Return a text as YAML reads it: 0.5 is a number, true is a boolean."""
    value = yaml.safe_load(text) if text else ""
    return value if isinstance(value, bool | int | float | str) else text


def scalar(key: str, value: object) -> Scalar:
    """Return a single value.

    Raises:
        ImportFileError: It is a list or another structure.
    """
    if not isinstance(value, bool | int | float | str):
        raise ImportFileError(wrong_type(key, value, "a single value"))
    return value


def sections(content: Mapping[Any, Any], path: Path = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The values of a mapping and of the mappings in it, each with the names of nodes and namespaces around them."""
    yield path, {str(key): value for key, value in content.items() if not isinstance(value, dict)}
    for key, value in content.items():
        if isinstance(value, dict):
            yield from sections(value, (*path, *(part for part in str(key).split("/") if part)))
