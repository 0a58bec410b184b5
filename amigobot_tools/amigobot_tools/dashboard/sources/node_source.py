# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A robot behind a running amigobot_node, through its topics, services and parameters."""

from __future__ import annotations

import base64
import math
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from nav_msgs.msg import OccupancyGrid
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.parameter_client import AsyncParameterClient
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.subscription import Subscription
from tf2_msgs.msg import TFMessage

from amigobot_driver import AmigoBotError, RequestFailedError
from amigobot_driver.cli.graph_reader import read_graph
from amigobot_driver.doctor import Finding, Kind, Severity, Target
from amigobot_driver.doctor.graph import examine_graph
from amigobot_driver.packet_file import RecordedFrame
from amigobot_msgs.msg import Packet

from ...node_remote import NodeRemote
from ...state import yaw_of
from ..messages import Value
from .robot_source import RobotSource
from .source import Examination

#: Levels of diagnostics, as the page names them.
_LEVELS = ("ok", "warning", "error", "stale")
_MAX_CELLS = 400  #: cells of a map in one direction, for the page
_OCCUPIED = 50  #: value of an occupancy grid from which a cell is a wall
_STALE = 5.0  #: s after which diagnostics are not shown any more


class NodeSource(NodeRemote, RobotSource):
    """A running node.

    Args:
        namespace: Namespace of the node; "" for the root.
        timeout: Seconds to wait for the node and its robot; 0: do not wait.

    Raises:
        ConnectionFailedError: There is no such node, or it has no robot.
    """

    kind = "node"

    def __init__(self, namespace: str, *, timeout: float = 0.0) -> None:
        RobotSource.__init__(self)
        self.robot = self  # it has the methods of a robot
        NodeRemote.__init__(self, namespace, drives=True, timeout=timeout)
        self._origin = 0.0, 0.0, 0.0  #: of the odometry frame in the map
        self._parameters: list[dict[str, Any]] = []
        self._packets: Subscription[Packet] | None = None  #: while a packet inspector is open
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.node.create_subscription(OccupancyGrid, "map", self._on_map, latched)
        self.node.create_subscription(TFMessage, "/tf", self._on_transforms, 20)
        self._driver = AsyncParameterClient(self.node, self.where)
        self._reader: threading.Thread | None = None

    def live(self) -> dict[str, Any]:
        """Return where the odometry frame is in the map."""
        return {"origin": self._origin}

    def sections(self) -> dict[str, Any]:
        """Return parameters, sounds, diagnostics and map."""
        now = time.monotonic()
        if not self.alive:
            self._reader = None  # a node that starts again may have other values
        elif self._reader is None:
            self._reader = threading.Thread(target=self._read_parameters, name="dashboard-parameters", daemon=True)
            self._reader.start()
        return {
            **self._more,
            "parameters": self._parameters,
            "diagnostics": [
                _finding(part, status) for part, (at, status) in list(self.diagnostics.items()) if now - at < _STALE
            ],
        }

    def watch_frames(self, on: bool) -> None:
        """Subscribe to the frames on the line, which the node publishes only for a subscriber."""
        if on and self._packets is None:
            self._packets = self.node.create_subscription(Packet, "packets", self._on_packet, 200)
        elif self._packets is not None and not on:
            self.destroy_subscription(self._packets)
            self._packets = None

    def examination(self) -> Examination:
        """Return the checks of nodes and topics: the node has the port."""
        return Examination(Target(self.where, "", Kind.SERIAL), self._examine)

    # -- requests ---------------------------------------------------------------------------------------------

    def do_parameter(self, name: str, value: Value) -> str:
        """Set a parameter of the node."""
        row = next((row for row in self._parameters if row["name"] == name), None)
        if row is not None and isinstance(row["value"], float) and type(value) is int:
            value = float(value)  # a bool, which the node refuses, is an int in Python, too
        response = self.result(self._driver.set_parameters([Parameter(name, value=value)]), f"parameter {name}")
        result = response.results[0]
        if not result.successful:
            raise RequestFailedError(result.reason)
        if row is not None:
            row["value"] = value
        return f"{name} is {value} now"

    def _read_parameters(self) -> None:
        """Read names, descriptions and values of all parameters; runs in a thread of its own."""
        try:
            self._driver.wait_for_services(self._timeout)
            names = list(self.result(self._driver.list_parameters(), "list_parameters").result.names)
            described = self.result(self._driver.describe_parameters(names), "describe_parameters").descriptors
            values = self.result(self._driver.get_parameters(names), "get_parameters").values
        except AmigoBotError as error:
            self.node.get_logger().warning(str(error))
            if self._reader is threading.current_thread():
                self._reader = None  # again later
            return
        rows = []
        for descriptor, value in zip(described, values, strict=True):
            if not descriptor.read_only and not descriptor.name.startswith(("qos_overrides.", "use_sim_time")):
                rows.append(_row(descriptor, parameter_value_to_python(value)))
        if self._reader is threading.current_thread():  # the node has not been started again meanwhile
            self._parameters = rows

    def _examine(self, on_progress: Callable[[str], None]) -> Iterator[Finding]:
        on_progress("looking at the nodes of ROS")
        yield from examine_graph(read_graph())
        yield Finding(
            "port",
            Severity.NOTE,
            "the node holds the port and reports on it under Diagnostics; for the checks of port, line and sensors "
            "stop the node and run `amigobot doctor PORT`",
        )

    # -- topics -----------------------------------------------------------------------------------------------

    def _on_packet(self, message: Packet) -> None:
        stamp = message.header.stamp
        self.frames.add(RecordedFrame(stamp.sec + stamp.nanosec * 1e-9, message.to_robot, bytes(message.data)))

    def _on_map(self, message: OccupancyGrid) -> None:
        info, origin = message.info, message.info.origin.position
        step = max(1, math.ceil(max(info.width, info.height) / _MAX_CELLS))
        values = np.array(message.data, np.int8).reshape(info.height, info.width)[::step, ::step]
        cells = np.where(values < 0, 2, values >= _OCCUPIED).astype(np.uint8)
        self._more["map"] = {
            "width": cells.shape[1],
            "height": cells.shape[0],
            "resolution": info.resolution * step,
            "x": origin.x,
            "y": origin.y,
            "cells": base64.b64encode(cells.tobytes()).decode(),
        }

    def _on_transforms(self, message: TFMessage) -> None:
        for transform in message.transforms:
            if transform.header.frame_id.endswith("map") and transform.child_frame_id.endswith("odom"):
                move, turn = transform.transform.translation, transform.transform.rotation
                self._origin = move.x, move.y, yaw_of(turn)


def _finding(part: str, status: DiagnosticStatus) -> dict[str, Any]:
    """Return the diagnostics of a part of the robot."""
    return {
        "name": part,
        "level": _LEVELS[min(ord(status.level), len(_LEVELS) - 1)],
        "message": status.message,
        "values": {value.key: value.value for value in status.values},
    }


def _row(descriptor: ParameterDescriptor, value: Any) -> dict[str, Any]:
    """Return a parameter with its description and range."""
    row = {"name": descriptor.name, "value": value, "text": descriptor.description, "unit": ""}
    for allowed in (*descriptor.floating_point_range, *descriptor.integer_range):
        row |= {"low": allowed.from_value, "high": allowed.to_value}
    row["whole"] = isinstance(value, int) and not isinstance(value, bool)
    return row
