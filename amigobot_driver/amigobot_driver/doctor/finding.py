# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a check found and what may be the cause: frozen values for a terminal, a page or a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class Severity(Enum):
    """What a finding means for the user, the worst one last."""

    OK = "ok"  #: no problem
    NOTE = "note"  #: worth knowing; nothing to do
    WARNING = "warning"  #: works, but not well, or not for long
    ERROR = "error"  #: does not work

    @property
    def is_problem(self) -> bool:
        """Whether the user should do something."""
        return self in (Severity.WARNING, Severity.ERROR)


@dataclass(frozen=True, slots=True)
class Cause:
    """A possible cause of a problem, and the remedy."""

    key: str  #: stable name for programs, such as "port-busy"
    text: str  #: one sentence in plain words
    action: str = ""  #: what to do by hand first; "" for nothing
    command: str = ""  #: a shell command that can be typed as it is; after an action by hand it checks the result


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of one check."""

    check: str  #: name of the check
    severity: Severity
    text: str  #: what was seen
    causes: tuple[Cause, ...] = ()  #: of a problem, the most probable first
    details: tuple[str, ...] = ()  #: further lines
    values: Mapping[str, object] = field(default_factory=dict)  #: measured values by name; the name has the unit
