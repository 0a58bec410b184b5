# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Open questions about the Erratic's firmware: its manual and the one deployed driver contradict each other.

Revision(heading="deg", layout="player")
parse_revision(["heading=deg", "layout=player"])       # the same
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any

from ...profiles import Profile


class RevisionError(ValueError):
    """A variant does not exist; the message names what is allowed."""


def _either(default: str, other: str, help: str) -> Any:
    return field(default=default, metadata={"choices": (default, other), "help": help})


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One answer to each open question (docs/protocol.md E-40 to E-48); the defaults are the manual's."""

    heading: str = _either("4096", "deg", "unit of headings: 4096 units per turn, or degrees (E-42)")
    layout: str = _either("manual", "player", "motor packet of 19 bytes (manual) or of 18 (E-43)")
    wheels: str = _either("right", "left", "the wheel whose velocity comes first in VEL2 (E-45)")
    duty: str = _either("percent", "permille", "unit of PWM_DUTY (E-46)")
    bits: str = _either(
        "manual", "player", "digital inputs from bit 0, set: no floor; or from bit 4, set: floor (E-48)"
    )
    checksum: str = _either("data", "count", "what the checksum covers: the data, or also the count (E-40)")

    def __post_init__(self) -> None:
        for item in fields(self):
            _check(item, getattr(self, item.name))


def revision_names() -> tuple[str, ...]:
    """Return the names of the questions."""
    return tuple(item.name for item in fields(Revision))


def revision_help() -> str:
    """Return the questions and their answers, one per line."""
    variants = (
        (f"{item.name}={'|'.join(item.metadata['choices'])}", item.metadata["help"]) for item in fields(Revision)
    )
    return "\n".join(f"  {variant:<22} {meaning}" for variant, meaning in variants)


def revision_of(profile: Profile) -> Revision:
    """Return the revision that a profile describes."""
    quirks, floor = profile.quirks, profile.floor
    return Revision(
        heading="deg" if quirks.heading_in_degrees else "4096",
        wheels="left" if quirks.left_wheel_first else "right",
        duty="permille" if quirks.duty_per_mille else "percent",
        bits="player" if floor.floor_is_high else "manual",
        checksum="count" if quirks.checksum_over_count else "data",
    )


def parse_revision(texts: Iterable[str], base: Revision | None = None) -> Revision:
    """Read a revision.

    Args:
        texts: One NAME=VALUE per question.
        base: Answers to the other questions; None for the defaults.

    Returns:
        The revision.

    Raises:
        RevisionError: A name or value does not exist.
    """
    values = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in revision_names():
            raise RevisionError(f"variant {name!r:.60} is not known, allowed: {', '.join(revision_names())}")
        values[name] = value
    return replace(base or Revision(), **values)


def _check(item: Field[Any], value: str) -> None:
    choices = item.metadata["choices"]
    if value not in choices:
        raise RevisionError(
            f"variant {item.name} is {value!r:.60}, allowed: {' or '.join(choices)} ({item.metadata['help']})"
        )
