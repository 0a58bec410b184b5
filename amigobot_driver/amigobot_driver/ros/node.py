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
from .log import QuietLog
from .parameters import BadParameter, Parameters
from .services import Services
from .telemetry import Telemetry


class AmigobotNode(Node):
    """A robot of the ActivMedia family as a ROS 2 node. Raises BadParameter."""

    def __init__(self, **node_options: object) -> None:
        super().__init__("amigobot", **node_options)
        self._parameters = Parameters(self)
        try:
            self._robot = Robot(self._parameters.options())
        except ProfileError as error:
            raise BadParameter(f"parameter robot: {error}") from None
        self._log = QuietLog()
        self.driver = Driver(self._robot, str(self._parameters["port"]), self._on_event)
        self._telemetry = Telemetry(self, self._parameters, self._robot)
        self._diagnostics = Diagnostics(self, self._robot, self.driver.url)
        self._velocity = VelocityInput(self, self._parameters, self.driver, self._log)
        self._services = Services(self, self.driver)
        self.add_post_set_parameters_callback(self._parameters_changed)
        self.add_on_set_parameters_callback(self._parameters.check)
        self.create_timer(1.0, self._each_second)
        self.get_logger().info(f"port {self.driver.url}")
        self.driver.start()

    def close(self) -> None:
        """Stop the robot and end its session."""
        self.driver.close()

    def _parameters_changed(self, changes: list[Parameter]) -> None:
        self._parameters.apply(changes)
        with self.driver.robot() as robot:
            robot.configure(self._parameters.options(), self.driver.clock())

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
            good = event.level is BatteryLevel.GOOD
            write = self.get_logger().info if good else self.get_logger().warning
            write(f"battery {event.level.name.lower()}: {event.volts:.1f} V")
            self._telemetry.battery_changed()
        elif isinstance(event, Notice):
            self._log.say(self.get_logger().warning, event.text)

    def _log_link(self, event: LinkChanged) -> None:
        logger = self.get_logger()
        trouble = event.state in (LinkState.DISCONNECTED, LinkState.LOST)
        self._log.say(logger.warning if trouble else logger.info, event.note)
