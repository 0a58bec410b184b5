# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Diagnosis of a robot and its connection: checks that yield typed findings, without a word printed.

    case = Case(target=parse_target("/dev/ttyUSB0"))
    for finding in examine(case):
        print(finding.severity.value, finding.check, finding.text)

`amigobot doctor` prints them. No check moves the robot.
"""

from ..transport.tcp import DEFAULT_TCP_PORT
from .check import CHECKS, OBSERVED, Case, Check, Stage
from .examination import examine, not_examined, verdict
from .finding import Cause, Finding, Severity
from .graph import Endpoint, Graph, examine_graph
from .held import examine_held
from .report import Anonymizer, as_json, environment
from .search import choose_port
from .serial_ports import SerialPortEntry, serial_ports
from .target import Kind, Target, parse_target

__all__ = [
    "CHECKS",
    "DEFAULT_TCP_PORT",
    "OBSERVED",
    "Anonymizer",
    "Case",
    "Cause",
    "Check",
    "Endpoint",
    "Finding",
    "Graph",
    "Kind",
    "SerialPortEntry",
    "Severity",
    "Stage",
    "Target",
    "as_json",
    "choose_port",
    "environment",
    "examine",
    "examine_graph",
    "examine_held",
    "not_examined",
    "parse_target",
    "serial_ports",
    "verdict",
]
