# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""`ros2 doctor` and `ros2 doctor --report` look at the driver's nodes with these two classes.

Source: the README of ros2doctor, "Add New Checks". The port of the robot is not opened: `amigobot doctor` does that.
"""

from __future__ import annotations

from ros2doctor.api import DoctorCheck, DoctorReport, Report, Result

from ..doctor import Severity, verdict
from ..doctor.graph import examine_graph
from .graph_reader import read_graph


class AmigobotCheck(DoctorCheck):
    """Checks the nodes and topics around the driver."""

    def category(self) -> str:
        """Return the category of this check."""
        return "amigobot"

    def check(self) -> Result:
        """Return the number of errors and warnings; adding one prints it."""
        result = Result()
        for finding, cause in verdict(examine_graph(read_graph())):
            text = " ".join(filter(None, (cause.text, cause.action, cause.command)))
            if finding.severity is Severity.ERROR:
                result.add_error(text)
            else:
                result.add_warning(text)
        return result


class AmigobotReport(DoctorReport):
    """Reports the nodes and topics around the driver."""

    def category(self) -> str:
        """Return the category of this report."""
        return "amigobot"

    def report(self) -> Report:
        """Return the findings of all checks of ROS."""
        report = Report("AMIGOBOT DRIVER")
        for finding in examine_graph(read_graph()):
            report.add_to_report(finding.check, f"{finding.severity.value}: {finding.text}")
        return report
