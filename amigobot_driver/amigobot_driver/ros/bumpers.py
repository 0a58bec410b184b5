"""The bumpers of a Pioneer: the topic `bumpers` and the diagnostics status."""

from __future__ import annotations

from rclpy.node import Node

from amigobot_msgs.msg import Bumpers

from ..robot import BumperReading, Event, Robot
from .diagnostics import ERROR, OK, WARN, Finding
from .telemetry import TelemetryPublisher


class BumperPublisher:
    """Publishes the bumpers at each SIP, if the robot has bumpers."""

    events = (BumperReading,)

    def __init__(self, node: Node, robot: Robot, telemetry: TelemetryPublisher) -> None:
        self._robot = robot
        self._telemetry = telemetry
        self._publisher = node.create_publisher(Bumpers, "bumpers", 10)

    def on_event(self, event: Event) -> None:
        """Publish the message of an event, if it has one."""
        if isinstance(event, BumperReading):
            header = self._telemetry.header(event.stamp)
            self._publisher.publish(Bumpers(header=header, front=event.front, rear=event.rear))

    def finding(self) -> Finding:
        """Return the diagnostics status: pressed segments, numbered as in the message."""
        state = self._robot.bumpers.newest
        if not self._robot.running:
            return ERROR, "unknown: no packets from the robot", {}
        if state is None:
            return OK, "this robot has no bumpers", {}
        pressed = [
            f"{ring} bumper {number}"
            for ring, segments in (("front", state.front), ("rear", state.rear))
            for number, touched in enumerate(segments)
            if touched
        ]
        values = {"front_segments": len(state.front), "rear_segments": len(state.rear)}
        if pressed:
            return WARN, f"{', '.join(pressed)} pressed: free the robot", values
        return OK, "no bumper pressed", values
