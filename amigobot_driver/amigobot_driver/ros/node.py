"""The node `amigobot`: puts the parts together and hears the robot's events."""

from __future__ import annotations

import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter

from ..driver import Driver
from ..profiles import ProfileError
from ..robot import (
    BatteryChanged,
    BatteryLevel,
    Configured,
    Event,
    Identified,
    LinkChanged,
    LinkState,
    Notice,
    Report,
    Robot,
)
from .commands import VelocityInput
from .diagnostics import Diagnostics
from .log import Once
from .parameters import BadParameter, Parameters
from .services import Services
from .telemetry import Telemetry


class AmigobotNode(Node):
    """A robot of the ActivMedia family as a ROS 2 node. Raises BadParameter."""

    def __init__(self, **node_options: object) -> None:
        super().__init__("amigobot", **node_options)
        self._params = Parameters(self)
        try:
            self._robot = Robot(self._params.options())
        except ProfileError as error:
            raise BadParameter(f"parameter robot: {error}") from None
        self._once = Once()
        self.driver = Driver(self._robot, str(self._params["port"]), self._on_event)
        self._telemetry = Telemetry(self, self._params, self._robot)
        self._diagnostics = Diagnostics(self, self._robot, self.driver.url)
        self._velocity = VelocityInput(self, self._params, self.driver, self._once)
        self._wishes = Services(self, self.driver)
        self.add_post_set_parameters_callback(self._on_parameters)
        self.add_on_set_parameters_callback(self._params.check)
        self.create_timer(1.0, self._each_second)
        self.get_logger().info(f"port {self.driver.url}")
        self.driver.start()

    def close(self) -> None:
        """Stop the robot and end its session."""
        self.driver.close()

    def _on_parameters(self, changes: list[Parameter]) -> None:
        self._params.apply(changes)
        with self.driver.robot() as robot:
            robot.configure(self._params.options(), self.driver.clock())

    def _each_second(self) -> None:
        if self.driver.failed.is_set():
            raise RuntimeError("a driver thread has died; the robot was stopped")
        self._diagnostics.publish()
        self._velocity.explain_unheard()

    def _on_event(self, event: Event) -> None:
        """Called by the driver's threads, one at a time."""
        if not rclpy.ok(context=self.context):
            return
        if isinstance(event, Report):
            self._telemetry.report(event, self.driver.clock())
        elif isinstance(event, LinkChanged):
            self._log_link(event)
            self._telemetry.link_changed()
        elif isinstance(event, Identified):
            self.get_logger().info(
                f"robot {event.identity.name}, {event.identity.robot_class}/{event.identity.subclass}: "
                f"profile {event.profile.name}, because {event.reason}"
            )
            self._telemetry.identified(event)
        elif isinstance(event, Configured):
            self._telemetry.config_changed()
        elif isinstance(event, BatteryChanged):
            text = f"battery {event.level.name.lower()}: {event.volts:.1f} V"
            if event.level is BatteryLevel.GOOD:
                self.get_logger().info(text)
            else:
                self.get_logger().warning(text)
            self._telemetry.battery_changed()
        elif isinstance(event, Notice):
            if self._once.due(event.text):
                self.get_logger().warning(event.text)

    def _log_link(self, event: LinkChanged) -> None:
        if not self._once.due(event.note):
            return
        if event.state in (LinkState.DISCONNECTED, LinkState.LOST):
            self.get_logger().warning(event.note)
        else:
            self.get_logger().info(event.note)
