# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The node `amigobot`: creates the driver and all topics, services and actions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter

from ..driver import Driver
from ..odometry_file import OdometryFile, OdometryFileError, OdometryKeeper, default_path
from ..profiles import Profile, ProfileError
from ..replay import Replay
from ..robot import Event, LinkChanged, LinkState, Outcome, Report, Robot, RobotSnapshot, take_snapshot
from .actions import MotionActions
from .auxiliary import AuxInterface
from .commands import VelocityInput
from .diagnostics import Diagnostics
from .interface import Interface, NodeContext, call_with_result
from .log import EventLog, LogThrottle
from .parameters import BadParameter, NodeParameters, unknown_text
from .pioneer import PioneerInterface
from .ports import IoInterface
from .raw import RawAccess
from .replay import RecordingInput, is_recording
from .services import RobotServices
from .servos import ServoInput
from .sounds import SoundServices
from .stamps import NodeTime, RecordedTime, Stamps, ros_nanoseconds
from .streams import StreamPublisher
from .telemetry import TelemetryPublisher
from .tuning import TuningServices

#: s between two checks for publishers of the other Twist type; a graph query takes half a millisecond.
_GRAPH_PERIOD = 5
#: s between two rounds of the node's own work, and while there is neither a robot nor a reader of /diagnostics.
_PERIOD, _IDLE_PERIOD = 1, 5


class AmigobotNode(Node):
    """The driver of one robot as a ROS 2 node.

    Raises:
        BadParameter: A parameter has a value that is not allowed.
    """

    def __init__(self, **node_options: object) -> None:
        # Declared from the overrides, so that NodeParameters finds the undeclared ones.
        super().__init__("amigobot", automatically_declare_parameters_from_overrides=True, **node_options)
        self._params = NodeParameters(self)
        self._handlers: dict[type[Event], list[Callable[[Any], None]]] = {}  #: by the type of event, in order
        for name in self._params.unknown:
            self.get_logger().warning(unknown_text(name))
        try:
            robot = Robot(self._params.options())
        except ProfileError as error:
            raise BadParameter(f"parameter robot: {error}") from None
        profile = take_snapshot(robot).profile
        throttle = LogThrottle()
        port = str(self._params["port"])
        self._diagnostics = Diagnostics(self, port)
        self.driver: Driver | Replay
        self._recording: RecordingInput | None = None
        if is_recording(port):
            self.driver = replay = Replay(robot, port, self._on_event)
            self._recording = RecordingInput(self, replay, throttle)
            self._diagnostics.add("replay", self._recording.finding)
            stamps: Stamps = RecordedTime(replay)
        else:
            self.driver = Driver(robot, port, self._on_event)
            stamps = NodeTime(ros_nanoseconds(self.get_clock()), self.driver.clock)
        self._keeper = self._odometry_keeper(robot, port)
        context = NodeContext(self, self.driver, self._params, throttle, stamps)
        self._velocity = VelocityInput(context)
        self._diagnostics.add("cmd_vel", self._velocity.finding)
        self._add_parts(context, profile, EventLog(self, throttle))
        self.add_on_set_parameters_callback(self._params.check)
        self.add_post_set_parameters_callback(self._on_parameters)
        self._closing = threading.Event()
        self._connected = False
        self._handlers.setdefault(LinkChanged, []).append(self._on_link)
        self._graph_due = _PERIOD  #: s until the next check of the graph
        #: not a timer of ROS: the executor would build its wait set each time, and simulated time may be stopped
        self._second_thread = threading.Thread(target=self._run_each_second, name="amigobot-second", daemon=True)
        self.get_logger().info(f"port {self.driver.url}")
        if profile.unused:
            self.get_logger().info(f"{profile.description}: not used by the driver: {', '.join(profile.unused)}")
        self.driver.start()
        self._second_thread.start()
        if self._keeper:
            self._keeper.start()

    def _add_parts(self, context: NodeContext, profile: Profile, log: EventLog) -> None:
        """Create the parts of the node; they handle an event in this order."""
        parts: tuple[Interface | EventLog, ...] = (
            log,
            RobotServices(context),
            TuningServices(context),
            SoundServices(context),
            ServoInput(context),
            TelemetryPublisher(context, profile),
            MotionActions(context),
            IoInterface(context),
            StreamPublisher(context, profile),
            PioneerInterface(context),
            AuxInterface(context),
            RawAccess(context),
        )
        for part in parts:
            for kind, handler in part.handlers.items():
                self._handlers.setdefault(kind, []).append(handler)

    def close(self) -> None:
        """Stop the robot and end its session."""
        self._closing.set()
        with ExitStack() as steps:  # from the last to the first, each one even if another raises
            if self._keeper:
                steps.callback(self._keeper.close)
            steps.callback(self.driver.close)

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

    def _run_each_second(self) -> None:
        try:
            period = _PERIOD
            while not self._closing.wait(period):
                if not rclpy.ok(context=self.context):
                    # The signal handler of rclpy wakes an executor before it shuts ROS down, and never again.
                    self._wake_executor()
                    return
                self._each_second(period)
                busy = self._connected or self._recording or self._diagnostics.subscribed
                period = _PERIOD if busy else _IDLE_PERIOD
        except Exception as error:
            # Other errors than those of a shutdown end the process, through the main thread.
            if self._shutting_down:
                self._wake_executor()
            elif executor := self.executor:
                executor.create_task(_raise, error)
            else:
                raise

    def _wake_executor(self) -> None:
        if executor := self.executor:
            executor.wake()

    @property
    def _shutting_down(self) -> bool:
        """Whether errors of rclpy are to be expected: ROS may be shut down at any moment."""
        return self._closing.is_set() or not rclpy.ok(context=self.context)

    def _each_second(self, seconds: int) -> None:
        """Do the node's own work; the last time was this many seconds ago."""
        if self.driver.failed.is_set():
            raise RuntimeError("a driver thread has ended with an error; the robot was stopped")
        if self._recording:
            self._recording.check()
        self._diagnostics.publish(self._snapshot, seconds, changing=self._connected)
        self._graph_due -= seconds
        if self._graph_due <= 0:
            self._graph_due = _GRAPH_PERIOD
            self._velocity.warn_about_twist_type()

    def _on_link(self, event: LinkChanged) -> None:
        self._connected = event.state is LinkState.RUNNING

    def _snapshot(self) -> RobotSnapshot:
        with self.driver.robot() as robot:
            return take_snapshot(robot)

    def _on_event(self, event: Event) -> None:
        """Called by the driver's threads, one at a time."""
        if self._keeper and isinstance(event, Report):
            self._keeper.notice(event.frame)
        try:
            for handle in self._handlers.get(type(event), ()):
                handle(event)
        except RuntimeError:
            # rclpy raises this, even between a check and a publish.
            if not self._shutting_down:
                raise


def _raise(error: Exception) -> None:
    raise error
