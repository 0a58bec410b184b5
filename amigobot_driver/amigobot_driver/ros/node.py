# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The node `amigobot`: creates the driver and all topics, services and actions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import rclpy
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter

from ..driver import Driver
from ..profiles import Profile, ProfileError
from ..robot import Event, Remedies, Robot
from .actions import MotionActions
from .aux_interface import AuxInterface
from .diagnostics import Diagnostics
from .interface import Interface, NodeContext
from .io_interface import IoInterface
from .log import EventLog, LogThrottle
from .node_parameters import REPLAY_SCHEME, BadParameterError, NodeParameters, unknown_text
from .raw_access import RawAccess
from .sensor_publisher import SensorPublisher
from .services import RobotServices
from .servo_input import ServoInput
from .sound_services import SoundServices
from .stamps import NodeTime, Stamps
from .telemetry_publisher import TelemetryPublisher
from .tuning_services import TuningServices
from .velocity_input import VelocityInput

if TYPE_CHECKING:
    from ..replay import Replay
    from .recording_input import RecordingInput

#: The remedies in the robot's messages: services of this node.
_REMEDIES = Remedies(
    motors_off="call the service enable_motors",
    emergency_stop="call the service clear_emergency_stop",
    sounds_off="call the service enable_sounds",
)
_PUBLISHERS_PERIOD = 5.0  #: s between two checks of the publishers of `cmd_vel`, which take 0.4 ms
_PERIOD = 1.0  #: s between two diagnostics messages, and between two checks of the subscribers of `packets`


class AmigobotNode(Node):
    """The driver of one robot as a ROS 2 node.

    Raises:
        BadParameterError: A parameter has a value that is not allowed.
    """

    def __init__(self, **node_options: object) -> None:
        # Declared from the overrides, so that NodeParameters finds the undeclared ones.
        super().__init__("amigobot", automatically_declare_parameters_from_overrides=True, **node_options)
        self._params = NodeParameters(self)
        self._handlers: dict[type[Event], list[Callable[[Any], None]]] = {}  #: by the type of event, in order
        for name in self._params.unknown:
            self.get_logger().warning(unknown_text(name))
        try:
            robot = Robot(self._params.options(), _REMEDIES)
        except ProfileError as error:
            raise BadParameterError(f"parameter robot: {error}") from None
        profile = robot.profile
        throttle = LogThrottle()
        port = str(self._params["port"])
        self._diagnostics = Diagnostics(self, port)
        self.driver: Driver | Replay
        self._recording: RecordingInput | None = None
        if port.startswith(REPLAY_SCHEME):
            # Imported here: 0.3 MB, not needed on a robot.
            from ..replay import Replay
            from .recording_input import RecordedTime, RecordingInput

            self.driver = replay = Replay(robot, port, self._on_event)
            self._recording = RecordingInput(self, replay, throttle)
            self._diagnostics.add("replay", self._recording.finding)
            stamps: Stamps = RecordedTime(replay)
        else:
            self.driver = Driver(robot, port, self._on_event)
            stamps = NodeTime(self.get_clock(), self.driver.clock)
        self._shared = context = NodeContext(self, self.driver, self._params, throttle, stamps)
        self._velocity = VelocityInput(context)
        self._diagnostics.add("cmd_vel", self._velocity.finding)
        self._raw = RawAccess(context)
        self._traced = bool(self._params["publish_packets"])  #: whether the core reports every frame
        self._add_parts(context, profile, EventLog(self, throttle))
        self.add_on_set_parameters_callback(self._params.check)
        self.add_post_set_parameters_callback(self._on_parameters)
        self._closing = threading.Event()
        self.get_logger().info(f"port {self.driver.url}")
        if profile.unused:
            self.get_logger().info(f"{profile.description}: not used by the driver: {', '.join(profile.unused)}")
        self.driver.start()
        # A steady clock: simulated time may be stopped.
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(_PERIOD, self._each_second, clock=steady)
        self.create_timer(_PUBLISHERS_PERIOD, self._velocity.warn_about_publishers, clock=steady)

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
            SensorPublisher(context, profile),
            AuxInterface(context),
            self._raw,
        )
        for part in parts:
            for kind, handler in part.handlers.items():
                self._handlers.setdefault(kind, []).append(handler)

    def close(self) -> None:
        """Stop the robot and end its session."""
        self._closing.set()
        self.driver.close()

    def _on_parameters(self, changes: list[Parameter]) -> None:
        self._params.apply(changes)
        self._configure()

    def _configure(self) -> None:
        """Apply the parameters to the robot."""
        self._traced = self._raw.needed
        options = replace(self._params.options(), trace=self._traced)
        pending = self._shared.call(lambda robot, now: robot.configure(options, now))
        self._shared.warn_if_failed(pending, "parameters:")

    def _each_second(self) -> None:
        if self.driver.failed.is_set():
            raise RuntimeError("a driver thread has ended with an error; the robot was stopped")
        if self._recording:
            self._recording.check()
        self._diagnostics.publish(self._shared.snapshot())
        if self._raw.needed != self._traced:
            self._configure()

    def _on_event(self, event: Event) -> None:
        """Pass an event to its handlers. The driver's threads call this, one at a time."""
        try:
            for handle in self._handlers.get(type(event), ()):
                handle(event)
        except RuntimeError:
            # rclpy raises this while it shuts ROS down, which may happen at any moment.
            if not self._closing.is_set() and rclpy.ok(context=self.context):
                raise
