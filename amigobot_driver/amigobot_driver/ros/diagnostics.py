# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Diagnostics: one status for each part of the robot, with the remedy, on /diagnostics once a second."""

from __future__ import annotations

from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node
from std_msgs.msg import Header

from ..findings import PARTS, Finding, History
from ..robot import RobotSnapshot
from ..wording import given_name

#: s between two snapshots while /diagnostics has no subscriber: one takes 0.4 ms.
_UNREAD = 5


class Diagnostics:
    """Publishes the status of every part of the robot and the node."""

    def __init__(self, node: Node, port: str) -> None:
        self._node = node
        self._port = port
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self._prefix = node.get_fully_qualified_name().lstrip("/")
        self._history = History()
        self._unread = 0  #: s since the last snapshot
        self.subscribed = False  #: /diagnostics had a subscriber at the last call of `publish`
        self._added: dict[str, Callable[[], Finding]] = {}

    def add(self, name: str, check: Callable[[], Finding]) -> None:
        """Add the status of another part.

        Args:
            name: Name of the part, the end of the status name.
            check: Returns its status. It is called once a second, without the robot's lock.
        """
        self._added[name] = check

    def publish(self, snapshot: Callable[[], RobotSnapshot], seconds: int = 1, *, changing: bool = True) -> None:
        """Publish the state of the robot, if /diagnostics has a subscriber; call this once a second while it has one.

        Args:
            snapshot: Returns the present state. It is called only now and then while there is no subscriber.
            seconds: Time since the last call in s.
            changing: The state changes, as a robot is connected.
        """
        self._unread += seconds
        self.subscribed = bool(self._publisher.get_subscription_count())
        if self.subscribed or (changing and self._unread >= _UNREAD):
            self._history.add(snapshot(), self._unread)
            self._unread = 0
        if self.subscribed:
            self._publisher.publish(self._message())

    def message(self, snapshot: RobotSnapshot) -> DiagnosticArray:
        """Return the message for the state of the robot; call this once a second."""
        self._history.add(snapshot)
        return self._message()

    def _message(self) -> DiagnosticArray:
        identity = self._history.now.identity
        hardware = (given_name(identity.name) or identity.subclass) if identity else self._port
        findings = {name: check(self._history, self._port) for name, check in PARTS.items()}
        findings |= {name: check() for name, check in self._added.items()}
        return DiagnosticArray(
            header=Header(stamp=self._node.get_clock().now().to_msg()),
            status=[
                DiagnosticStatus(
                    name=f"{self._prefix}: {name}",
                    hardware_id=hardware,
                    level=bytes((level,)),
                    message=message,
                    values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
                )
                for name, (level, message, values) in findings.items()
            ],
        )
