# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Diagnosis of a robot and its connection: typed findings, without a word printed.

    case = Case(target=parse_target("/dev/ttyUSB0"))
    for finding in examine(case):
        print(finding.severity.value, finding.check, finding.text)

`amigobot doctor` prints them. No check moves the robot.

One table (config/doctor.yaml) has a row for each cause: its condition, severity, sentence and remedy. Conditions
compare figures, which are attributes of an object:

- `History`, snapshots of a running driver: /diagnostics, `amigobot monitor` and the dashboard evaluate the rows with
  `live` in it (`live_findings`).
- `Evidence`, what an examination has recorded: every byte and its time, decoded packets, answers and two snapshots. It
  is a `History`, too; the doctor evaluates all rows, those of the line first.

From a byte to a cause: `TappedLine` keeps each byte with its time. `OwnSession` runs the core of the driver on it.
`RecordedSession` has what both have recorded. Its parts compute figures of it, each when a row asks for it: `line` of
the bytes, `packets`, `robot` and `sonars`. `findings_of` evaluates the rows of one part, and `examine` the parts in
their order. `verdict` ranks the causes. Before a byte is sent, `Computer` has the figures.

To add a check, add a row. If comparisons cannot state its condition, add a property with a docstring to
the part that it is of. A fault of `test/doctor_faults.py` proves it.

The same file says which values of each field of a packet, and of each setting, are plausible: what no other row knows
is named as that field with its values.

The names below are loaded when they are used first: the node needs the findings only.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..transport import Kind, Target, parse_target
    from .case import Case
    from .examination import as_json, examine, examine_held, verdict
    from .finding import Cause, Finding, Severity
    from .history import History, live_findings

__all__ = ["Case", "Cause", "Finding", "History", "Kind", "Severity", "Target"]
__all__ += ["as_json", "examine", "examine_held", "live_findings", "parse_target", "verdict"]
#: The modules of the names, the light ones first.
_MODULES = (".finding", ".history", "..transport", ".case", ".examination")


def __getattr__(name: str) -> object:
    for module in _MODULES if name in __all__ else ():
        if hasattr(part := importlib.import_module(module, __name__), name):
            return getattr(part, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
