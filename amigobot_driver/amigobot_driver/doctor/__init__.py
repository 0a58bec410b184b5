# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Diagnosis of a robot and its connection: typed findings, without a word printed.

    case = Case(target=parse_target("/dev/ttyUSB0"))
    for finding in examine(case):
        print(finding.severity.value, finding.check, finding.text)

`amigobot doctor` prints them. No check moves the robot.

One table (config/doctor.yaml) has a row for each cause: its condition, severity, sentence and remedy. Conditions read
figures, which are attributes of an object:

- `History`, snapshots of a running driver: /diagnostics, `amigobot monitor` and the dashboard evaluate the rows with
  `live` in it (`live_findings`).
- `Evidence`, what an examination has recorded: every byte and its time, decoded packets, answers and two snapshots. It
  is a `History`, too; the doctor evaluates all rows, those of the line first.

The same file says which values of each field of a packet, and of each setting, are plausible: what no other row knows
is named as that field with its values.

The names below are loaded when they are used first: the node needs the findings only.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .case import Case as Case
    from .examination import examine as examine
    from .examination import examine_held as examine_held
    from .examination import verdict as verdict
    from .finding import Cause as Cause
    from .finding import Finding as Finding
    from .finding import Severity as Severity
    from .history import History as History
    from .history import live_findings as live_findings
    from .report import as_json as as_json
    from .target import Kind as Kind
    from .target import Target as Target
    from .target import parse_target as parse_target

#: The modules of the names, the light ones first.
_MODULES = ("finding", "history", "target", "case", "examination", "report")


def __getattr__(name: str) -> object:
    for module in () if name.startswith("_") else _MODULES:
        if hasattr(part := importlib.import_module(f"{__name__}.{module}"), name):
            return getattr(part, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
