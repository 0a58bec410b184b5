"""The node `amigobot`: creates the driver and all topics, services and actions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import rclpy
from rclpy._rclpy_pybind11 import RCLError
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter

from ..driver import Driver
from ..odometry_file import OdometryFile, OdometryFileError, OdometryKeeper, default_path
from ..profiles import ProfileError
from ..replay import Replay
from ..robot import Event, Outcome, Report, Robot
from .actions import MotionActions
from .auxiliary import AuxInterface
from .bumpers import BumperPublisher
from .commands import VelocityInput
from .diagnostics import Diagnostics
from .gripper import GripperService
from .inputs import SensorPublisher
from .log import EventLog, LogThrottle
from .parameters import BadParameter, NodeParameters, unknown_text
from .pioneer import PioneerInterface
from .ports import IoInterface
from .raw import RawAccess
from .replay import RecordingInput, is_recording
from .requests import call_with_result
from .services import RobotServices
from .servos import ServoInput
from .sounds import SoundServices
from .stamps import NodeTime, RecordedTime, Stamps
from .streams import StreamPublisher
from .telemetry import TelemetryPublisher
from .tuning import TuningServices


class Listener(Protocol):
    """A part of the node that publishes events of the robot."""

    @property
    def events(self) -> tuple[type[Event], ...]:
        """The types of the events that it wants."""

    def on_event(self, event: Event) -> None:
        """Take an event of one of these types."""


class AmigobotNode(Node):
    """The driver of one robot as a ROS 2 node.

    Raises:
        BadParameter: A parameter has a value that is not allowed.
    """

    def __init__(self, **node_options: object) -> None:
        # Declared from the overrides, so that NodeParameters finds the undeclared ones.
        super().__init__("amigobot", automatically_declare_parameters_from_overrides=True, **node_options)
        self._params = NodeParameters(self)
        self._handlers: dict[type[Event], list[Callable[[Event], None]]] = {}  #: by the type of event, in order
        for name in self._params.unknown:
            self.get_logger().warning(unknown_text(name))
        try:
            robot = Robot(self._params.options())
        except ProfileError as error:
            raise BadParameter(f"parameter robot: {error}") from None
        self._robot = robot
        throttle = LogThrottle()
        port = str(self._params["port"])
        self._diagnostics = Diagnostics(self, robot, port)
        self.driver: Driver | Replay
        self._recording: RecordingInput | None = None
        if is_recording(port):
            self.driver = replay = Replay(robot, port, self._on_event)
            self._recording = RecordingInput(self, replay, throttle)
            self._diagnostics.add("replay", self._recording.finding)
            stamps: Stamps = RecordedTime(replay)
        else:
            self.driver = Driver(robot, port, self._on_event)
            stamps = NodeTime(lambda: self.get_clock().now().nanoseconds, self.driver.clock)
        self._keeper = self._odometry_keeper(robot, port)
        self._velocity = VelocityInput(self, self._params, self.driver, throttle)
        self._diagnostics.add("cmd_vel", self._velocity.finding)
        self._offered = (
            RobotServices(self, self.driver),
            TuningServices(self, self.driver, self._params),
            SoundServices(self, self.driver, self._params),
            ServoInput(self, self.driver, throttle),
        )
        telemetry = TelemetryPublisher(self, self._params, robot, stamps)
        bumpers = BumperPublisher(self, robot, telemetry)
        self._diagnostics.add("bumpers", bumpers.finding)
        listeners: tuple[Listener, ...] = (
            EventLog(self, throttle),
            telemetry,
            MotionActions(self, self.driver),
            IoInterface(self, self.driver, self._params, telemetry),
            StreamPublisher(self, telemetry),
            SensorPublisher(self, robot, telemetry),
            bumpers,
            GripperService(self, self.driver, telemetry),
            PioneerInterface(self, self.driver, telemetry),
            AuxInterface(self, self.driver, telemetry, throttle),
            RawAccess(self, self.driver, self._params, telemetry),
        )
        for listener in listeners:
            for kind in listener.events:
                self._handlers.setdefault(kind, []).append(listener.on_event)
        self.add_on_set_parameters_callback(self._params.check)
        self.add_post_set_parameters_callback(self._on_parameters)
        # A steady clock: simulated time may be stopped.
        self.create_timer(1.0, self._each_second, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self.get_logger().info(f"port {self.driver.url}")
        if unused := robot.profile.unused:
            self.get_logger().info(f"{robot.profile.description}: not used by the driver: {', '.join(unused)}")
        self.driver.start()
        if self._keeper:
            self._keeper.start()

    def close(self) -> None:
        """Stop the robot and end its session."""
        self.driver.close()
        if self._keeper:
            self._keeper.close()

    def _odometry_keeper(self, robot: Robot, port: str) -> OdometryKeeper | None:
        """Restore the stored pose and return what stores it from now on; None for robots that end with this process."""
        max_age = float(self._params["odometry_state_max_age"])
        if not max_age or not isinstance(self.driver, Driver) or port.startswith("sim://"):
            return None
        name = self.get_fully_qualified_name()
        chosen = str(self._params["odometry_state_file"])
        file = OdometryFile(Path(chosen).expanduser() if chosen else default_path(name, port), name, port)
        try:
            if state := file.load():
                robot.continue_odometry(state, max_age)
        except OdometryFileError as error:
            self.get_logger().warning(f"odometry starts at zero: {error}")
        return OdometryKeeper(self.driver, file, max_age=max_age, report=self.get_logger().warning)

    def _on_parameters(self, changes: list[Parameter]) -> None:
        self._params.apply(changes)
        with self.driver.robot() as robot:
            pending = robot.configure(self._params.options(), self.driver.clock())
        call_with_result(self, pending, self._on_configured)

    def _on_configured(self, outcome: Outcome) -> None:
        if not outcome.success:
            self.get_logger().warning(f"parameters: {outcome.message}")

    def _each_second(self) -> None:
        if self.driver.failed.is_set():
            raise RuntimeError("a driver thread has died; the robot was stopped")
        if self._recording:
            self._recording.check()
        with self.driver.robot():
            snapshot = self._diagnostics.snapshot()
        self._diagnostics.publish(self._diagnostics.message(snapshot))
        self._velocity.warn_about_other_type()

    def _on_event(self, event: Event) -> None:
        """Called by the driver's threads, one at a time."""
        if self._keeper and isinstance(event, Report):
            self._keeper.notice(self._robot.estimator.odometer.frame)
        try:
            for handle in self._handlers.get(type(event), ()):
                handle(event)
        except RCLError:
            # ROS may be shut down at any moment, even between a check and a publish.
            if rclpy.ok(context=self.context):
                raise
