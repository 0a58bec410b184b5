# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Diagnosis of a robot and its connection: typed findings, without a word printed.

    case = Case(target=parse_target("/dev/ttyUSB0"))
    for finding in examine(case):
        print(finding.severity.value, finding.check, finding.text)

`amigobot doctor` prints them. No check moves the robot.

One table (config/doctor.yaml) has a row for each cause: part, severity, sentence and remedy. A function with @measure
and the key of the row says what it sees in the evidence:

- `History`, snapshots of a running driver: /diagnostics, `amigobot monitor` and the dashboard evaluate the rows with
  `live` in it (`live_findings`).
- `Evidence`, one frozen value with every byte of an examination and its time, decoded packets, answers and two
  snapshots: the doctor evaluates all rows in it, those of the line first.

The same file says which values of each field of a packet, and of each setting, are plausible: what no other row knows
is named as that field with its values.

The names below are loaded when they are used first: the node needs the findings only.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..transport.tcp import DEFAULT_TCP_PORT
    from .case import OBSERVED, Case
    from .examination import examine, examine_held, not_examined, verdict
    from .finding import Cause, Finding, Severity
    from .graph import Endpoint, Graph, examine_graph
    from .history import History
    from .report import Anonymizer, as_json, environment
    from .serial_ports import SerialPortEntry, choose_port, serial_ports
    from .state import MAX_GAPS, live_findings
    from .target import Kind, Target, parse_target

__all__ = [
    "DEFAULT_TCP_PORT",
    "MAX_GAPS",
    "OBSERVED",
    "Anonymizer",
    "Case",
    "Cause",
    "Endpoint",
    "Finding",
    "Graph",
    "History",
    "Kind",
    "SerialPortEntry",
    "Severity",
    "Target",
    "as_json",
    "choose_port",
    "environment",
    "examine",
    "examine_graph",
    "examine_held",
    "live_findings",
    "not_examined",
    "parse_target",
    "serial_ports",
    "verdict",
]

#: Modules that define these names, the light ones first.
_MODULES = ("finding", "history", "target", "state", "case", "graph", "serial_ports", "examination", "report")


def __getattr__(name: str) -> object:
    if name in __all__:
        for module in _MODULES:
            if hasattr(part := importlib.import_module(f"{__name__}.{module}"), name):
                globals()[name] = value = getattr(part, name)
                return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
