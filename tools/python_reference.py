# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""python -m tools.python_reference: fill the reference of docs/python.md from the code."""

from __future__ import annotations

import enum
import inspect
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs" / "python.md"
BEGIN, END = "<!-- reference -->\n", "<!-- end of reference -->"

sys.path.insert(0, str(ROOT / "amigobot_driver"))

import amigobot_driver  # noqa: E402
from amigobot_driver import AmigoBot, AmigoBotError, Event, EventStream, Recording, Subscription  # noqa: E402

#: What methods of AmigoBot return and a program ends or reads: each has a table of its own.
HANDLES = (EventStream, Subscription, Recording)
#: Headings of tables that are not the name of the class that AmigoBot has these members from.
TITLES = {"Sensing": "Sensors", "Devices": "Devices of some robots"}


def page(text: str) -> str:
    """The page with its tables filled."""
    head, rest = text.split(BEGIN)
    return head + BEGIN + "\n" + reference() + "\n" + END + rest.split(END)[1]


def reference() -> str:
    """The tables: the members of AmigoBot by topic, streams, values and events, errors."""
    tables = [_table("### Connecting", {_signature("AmigoBot", AmigoBot.__init__): _first(AmigoBot)})]
    topics = {base.__name__: base for base in AmigoBot.__mro__[1:-1]}
    tables += [_table(f"### {TITLES.get(name, name)}", _members(base)) for name, base in topics.items()]
    tables += [_table(f"### `{kind.__name__}`", _members(kind)) for kind in HANDLES]
    public = {name: getattr(amigobot_driver, name) for name in amigobot_driver.__all__}
    errors = {name: value for name, value in public.items() if _is_error(value)}
    classes = {name: value for name, value in public.items() if isinstance(value, type) and name not in errors}
    values = {name: value for name, value in classes.items() if value not in (AmigoBot, *HANDLES)}
    events = {name: value for name, value in values.items() if issubclass(value, Event)}
    tables.append(_table("### Events", _values(events)))
    others = {name: value for name, value in values.items() if name not in events}
    tables.append(_table("### Values", _values(others)))
    tables.append(_table("### Errors", {name: _first(value) for name, value in errors.items()}))
    return "\n".join(tables)


def members(kind: type) -> dict[str, Any]:
    """The public members that a class itself defines."""
    return {name: value for name, value in vars(kind).items() if not name.startswith("_") and _first(value)}


def _members(kind: type) -> dict[str, str]:
    return {_signature(name, value): _first(value) for name, value in members(kind).items()}


def _values(kinds: dict[str, Any]) -> dict[str, str]:
    """Each class with its first sentence, and the members of an enumeration."""
    return {
        name + (f"({', '.join(each.name for each in kind)})" if issubclass(kind, enum.Enum) else ""): _first(kind)
        for name, kind in kinds.items()
    }


def _is_error(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, AmigoBotError)


def _signature(name: str, value: Any) -> str:
    if isinstance(value, property):
        return name
    parameters = list(inspect.signature(value).parameters.values())[1:]
    shown, keyword_only = [], False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            if not any(other.kind is other.VAR_POSITIONAL for other in parameters):
                shown.append("*")
        shown.append(str(parameter.replace(annotation=parameter.empty)))
    return f"{name}({', '.join(shown)})"


def _first(value: Any) -> str:
    """The first sentence of a docstring."""
    text = inspect.getdoc(value) or ""
    return re.split(r"(?<=\.)\s", " ".join(text.split("\n\n")[0].split()))[0]


def _table(title: str, rows: dict[str, str]) -> str:
    lines = "\n".join(f"{name}\n    {text.replace('`', '')}" for name, text in rows.items())
    return f"{title}\n\n```text\n{lines}\n```\n"


if __name__ == "__main__":
    FILE.write_text(page(FILE.read_text(encoding="utf-8")), encoding="utf-8")
