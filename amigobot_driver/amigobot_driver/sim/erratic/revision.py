# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Open questions about the Erratic's firmware: its manual and the one deployed driver contradict each other.

Revision(heading="deg", layout="player")
parse_revision(["heading=deg", "layout=player"], Revision())       # the same
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from ...profiles import Profile
from ..option_fields import one_of, option, parse_options


def _either(default: str, other: str, help: str) -> Any:
    return option(default, f"{default} or {other}: {help}", one_of(default, other))


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One answer to each open question (docs/protocol E-40 to E-48); the defaults are the manual's."""

    heading: str = _either("4096", "deg", "unit of headings: 4096 units per turn, or degrees (E-42)")
    layout: str = _either("manual", "player", "motor packet of 19 bytes (manual) or of 18 (E-43)")
    wheels: str = _either("right", "left", "the wheel whose velocity comes first in VEL2 (E-45)")
    duty: str = _either("percent", "permille", "unit of PWM_DUTY (E-46)")
    bits: str = _either(
        "manual", "player", "digital inputs from bit 0, set: no floor; or from bit 4, set: floor (E-48)"
    )
    checksum: str = _either("data", "count", "what the checksum covers: the data, or also the count (E-40)")


def revision_names() -> tuple[str, ...]:
    """Return the names of the questions."""
    return tuple(item.name for item in fields(Revision))


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


def parse_revision(texts: Iterable[str], base: Revision) -> Revision:
    """Read a revision.

    Args:
        texts: One NAME=VALUE per question.
        base: Answers to the other questions.

    Raises:
        OptionError: A name or value does not exist.
    """
    return parse_options("variant", texts, base)
