# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Diagnostics: one status for each part of the robot, with the remedy, on /diagnostics once a second."""

from __future__ import annotations

from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node
from std_msgs.msg import Header

from ..doctor import Finding, History, Severity, live_findings
from ..robot import RobotSnapshot
from ..wording import given_name
from . import topics

_LEVELS = {
    Severity.OK: DiagnosticStatus.OK,
    Severity.NOTE: DiagnosticStatus.OK,
    Severity.WARNING: DiagnosticStatus.WARN,
    Severity.ERROR: DiagnosticStatus.ERROR,
}


class Diagnostics:
    """Publishes the status of every part of the robot and the node."""

    def __init__(self, node: Node, port: str) -> None:
        self._node = node
        self._port = port
        self._publisher = topics.DIAGNOSTICS.publisher(node)
        self._prefix = node.get_fully_qualified_name().lstrip("/")
        self._history = History()
        self._added: dict[str, Callable[[], Finding]] = {}

    def add(self, name: str, check: Callable[[], Finding]) -> None:
        """Add the status of another part.

        Args:
            name: Name of the part, the end of the status name.
            check: Returns its status. It is called once a second, without the robot's lock.
        """
        self._added[name] = check

    def publish(self, snapshot: RobotSnapshot) -> None:
        """Publish the state of the robot if /diagnostics has a subscriber; call this once a second."""
        self._history.snapshots.append(snapshot)
        if self._publisher.count():
            self._publisher.publish(self._message())

    def _message(self) -> DiagnosticArray:
        identity = self._history.now.identity
        hardware = (given_name(identity.name) or identity.subclass) if identity else self._port
        findings = {finding.check: finding for finding in live_findings(self._history, self._port)}
        findings |= {name: check() for name, check in self._added.items()}
        return DiagnosticArray(
            header=Header(stamp=self._node.get_clock().now().to_msg()),
            status=[
                DiagnosticStatus(
                    name=f"{self._prefix}: {name}",
                    hardware_id=hardware,
                    level=_LEVELS[finding.severity],
                    message=finding.text,
                    values=[KeyValue(key=key, value=str(value)) for key, value in finding.values.items()],
                )
                for name, finding in findings.items()
            ],
        )
