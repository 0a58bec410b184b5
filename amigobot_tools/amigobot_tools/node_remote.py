# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A robot behind a running amigobot_node, through its topics and services."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import Log
from rclpy.executors import ExternalShutdownException
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.subscription import Subscription
from sensor_msgs.msg import BatteryState, Range
from std_srvs.srv import Trigger

from amigobot_driver import Ping, SonarReading
from amigobot_driver.cli.node_robot import NodeRobot
from amigobot_driver.cli.temporary_node import NO_NODE
from amigobot_driver.errors import ConnectionFailedError
from amigobot_driver.profiles import Profile, load_profile
from amigobot_msgs.msg import Bumpers, IoState, RobotConfig, RobotStatus

from .state import Remote, RobotState, milliseconds, yaw_of

_VELOCITIES = {"geometry_msgs/msg/Twist": Twist, "geometry_msgs/msg/TwistStamped": TwistStamped}
_SERVICES = ("stop", "emergency_stop", "clear_emergency_stop")
#: Figures of the link, and their names in the diagnostics.
_LINK = {
    "packets": "packets_standard",
    "period": "packet_period",
    "longest gap": "longest_gap_in_last_minute",
    "late": "packet_gaps",
    "damaged": "checksum_errors",
    "connections": "connections",
}


def _pose(message: Odometry) -> dict[str, Any]:
    pose, twist = message.pose.pose, message.twist.twist
    place = {"x": pose.position.x, "y": pose.position.y, "yaw": yaw_of(pose.orientation)}
    return {**place, "linear": twist.linear.x, "angular": twist.angular.z}


def _ports(message: IoState) -> dict[str, Any]:
    pins = {"digital_inputs": message.digital_inputs, "digital_outputs": message.digital_outputs}
    return {**pins, "analog": tuple(message.analog)}


#: Topics, and the fields of the state that their messages have.
_TOPICS: tuple[tuple[type, str, Callable[[Any], dict[str, Any]]], ...] = (
    (Odometry, "odom", _pose),
    (BatteryState, "battery_state", lambda message: {"volts": message.voltage, "charge": message.percentage}),
    (IoState, "io", _ports),
    (
        Bumpers,
        "bumpers",
        lambda message: {"front_bumpers": tuple(message.front), "rear_bumpers": tuple(message.rear)},
    ),
)
_SILENT = 2.0  #: s without status after which the node counts as lost
_RESPONSE_TIMEOUT = 15.0  #: s that a service may take
_POLL_PERIOD = 0.02  #: s between two checks of a condition


class NodeRemote(Remote, NodeRobot):
    """Follows the topics of a node, and publishes velocities if it drives. A thread of its own runs the callbacks.

    Args:
        namespace: Namespace of the node; "" for the root.
        drives: Publish `cmd_vel`.
        timeout: Seconds to wait for the node and its robot; 0: do not wait, both may come later.

    Raises:
        ConnectionFailedError: There is no such node, or it has no robot.
    """

    def __init__(self, namespace: str, *, drives: bool, timeout: float) -> None:
        name = namespace.strip("/")
        Remote.__init__(self, f"/{name}/amigobot" if name else "/amigobot")
        self._log_name = self.where.strip("/").replace("/", ".")
        self._status = RobotStatus()
        self._status_at = -math.inf
        self._config = RobotConfig()
        self._profile: Profile | None = None
        self._known: dict[str, Any] = {}  #: fields of the state that topics have set
        self._pings: dict[int, Ping] = {}  #: the newest of each sonar
        #: of each part of the robot: the newest diagnostics, and when they came (s)
        self.diagnostics: dict[str, tuple[float, DiagnosticStatus]] = {}
        self._drives = drives
        self._publisher: Any = None
        NodeRobot.__init__(self, name, _RESPONSE_TIMEOUT, "amigobot_tool")
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        for kind, topic, fields in _TOPICS:
            self.node.create_subscription(kind, topic, partial(self._on_message, fields), 10)
        self.node.create_subscription(RobotStatus, "status", self._on_status, 10)
        self.node.create_subscription(RobotConfig, "robot_config", self._on_config, latched)
        self.node.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, 10)
        self.node.create_subscription(Log, "/rosout", self._on_log, 10)
        self._clients |= {service: self.node.create_client(Trigger, service) for service in _SERVICES}
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        try:
            if timeout:
                self._await_robot(timeout)
        except BaseException:
            self.close()
            raise

    def state(self) -> RobotState:
        """Return what is known now."""
        status, profile, alive = self._status, self._profile, self.alive
        # As this tool has published it: a subscription would delay the velocities of others.
        linear, angular = self.commanded
        known = dict(self._known)
        if alive and status.link_state != RobotStatus.LINK_DISCONNECTED:
            known |= {
                "celsius": status.temperature,
                "motors": status.motors_enabled,
                "sonar": status.sonar_enabled,
                "moving": status.moving,
            }
        if profile:
            known["echoes"] = SonarReading.newest(profile.sonar.poses, self._pings, time.monotonic())
            known["model"] = profile.description
        return RobotState(
            profile=profile,
            connected=alive and status.link_state == RobotStatus.LINK_RUNNING,
            note=status.link_text if alive else self._why_silent(),
            name=self._config.name,
            commanded_linear=linear,
            commanded_angular=angular,
            emergency=status.emergency_stop,
            stalls=tuple(side for side in ("left", "right") if getattr(status, f"stall_{side}")),
            faults=tuple(status.faults),
            link=self._link(),
            **known,
        )

    def drive(self, linear: float, angular: float) -> str:
        """Publish a velocity (m/s, rad/s). Returns why it cannot be done, or ""."""
        if not self._drives:
            return "this tool only watches"
        publisher = self._velocity_publisher()
        if publisher is None:
            return f"{self.where} does not subscribe to cmd_vel yet"
        message = twist = publisher.msg_type()
        if isinstance(message, TwistStamped):
            message.header.stamp = self.node.get_clock().now().to_msg()
            message.header.frame_id = "base_link"
            twist = message.twist
        twist.linear.x, twist.angular.z = float(linear), float(angular)
        self._commanded = linear, angular, time.monotonic()
        publisher.publish(message)
        return ""

    def stop(self) -> None:
        """Stop with the normal deceleration."""
        self.drive(0.0, 0.0)
        self._request("stop")

    def emergency_stop(self) -> None:
        """Brake hard, and refuse to drive until the stop is cleared."""
        self._request("emergency_stop")

    def clear_emergency_stop(self) -> None:
        """Accept velocities again."""
        self._request("clear_emergency_stop")

    def close(self) -> None:
        """Publish a zero velocity if this tool drives, and leave the graph. The node keeps its robot."""
        self.drive(0.0, 0.0)
        self.executor.shutdown(0.5)
        self._thread.join(2.0)
        NodeRobot.close(self)

    def spin(self, seconds: float, until: Callable[[], object] = lambda: False) -> None:
        """Wait this time (s), or until a condition holds; the thread runs the callbacks of the node."""
        end = time.monotonic() + seconds
        while not until() and time.monotonic() < end:
            time.sleep(_POLL_PERIOD)

    def destroy_subscription(self, subscription: Subscription[Any]) -> None:
        """Destroy a subscription of `node`, in the thread that waits for it: in another one the wait might fail."""
        self.executor.create_task(self.node.destroy_subscription, subscription)

    # -- inside -----------------------------------------------------------------------------------------------

    @property
    def alive(self) -> bool:
        """Whether the node has published its status a moment ago."""
        return time.monotonic() - self._status_at < _SILENT

    def _run(self) -> None:
        with contextlib.suppress(ExternalShutdownException):
            self.executor.spin()

    def _why_silent(self) -> str:
        # Without a robot the node publishes no status; its diagnostics say why.
        at, status = self.diagnostics.get("link", (-math.inf, None))
        if status and time.monotonic() - at < _SILENT:
            return str(status.message)
        if self._status_at > -math.inf:
            return "the node is silent: has it ended?"
        return f"no such node yet; {NO_NODE}"

    def _await_robot(self, timeout: float) -> None:
        self.spin(timeout, self._ready)
        if not self._ready():
            why = self.state().note or "the node has no robot"
            raise ConnectionFailedError(f"{self.where}: {why} (after {timeout:g} s)")

    def _ready(self) -> bool:
        publisher = self._drives and self._velocity_publisher()
        running = self._status.link_state == RobotStatus.LINK_RUNNING
        if not (running and "x" in self._known and self._profile):
            return False
        served = publisher and all(client.service_is_ready() for client in self._clients.values())
        return bool(served) or not self._drives

    def _velocity_publisher(self) -> Any:
        """Return the publisher of the type that the node subscribes to; None while that is not known."""
        if self._publisher is None:
            found = self.node.get_subscriptions_info_by_topic(self.node.resolve_topic_name("cmd_vel"))
            if kinds := [_VELOCITIES[one.topic_type] for one in found if one.topic_type in _VELOCITIES]:
                self._publisher = self.node.create_publisher(kinds[0], "cmd_vel", 1)
        return self._publisher

    def _request(self, service: str) -> None:
        self._clients[service].call_async(Trigger.Request())

    def _on_status(self, message: RobotStatus) -> None:
        self._status, self._status_at = message, time.monotonic()

    def _on_config(self, message: RobotConfig) -> None:
        self._config = message
        if self._profile is None or self._profile.name != message.profile:
            profile = load_profile(message.profile)
            for number in range(len(profile.sonar.poses)):
                self.node.create_subscription(Range, f"sonar/range_{number}", partial(self._on_range, number), 10)
            self._profile = profile

    def _on_range(self, number: int, message: Range) -> None:
        # The node may publish the highest range for no echo.
        distance = math.inf if message.range >= message.max_range else message.range
        self._pings[number] = Ping(number, distance, time.monotonic())

    def _on_message(self, fields: Callable[[Any], dict[str, Any]], message: Any) -> None:
        self._known.update(fields(message))

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            node, _, part = status.name.strip("/").partition(": ")
            if node == self.where.strip("/"):
                self.diagnostics[part] = time.monotonic(), status

    def _link(self) -> dict[str, str]:
        """The figures of the link, by their names; without diagnostics none."""
        if "link" not in self.diagnostics:
            return {}
        values = {value.key: value.value for value in self.diagnostics["link"][1].values}
        link = {name: values.get(key, "-") for name, key in _LINK.items()}
        for name in ("period", "longest gap"):
            with contextlib.suppress(ValueError):  # not measured
                link[name] = milliseconds(float(link[name]))
        return link

    def _on_log(self, message: Log) -> None:
        if message.name == self._log_name:
            self._messages.append(message.msg)
