# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A robot behind a running amigobot_node, through its topics, services and parameters."""

from __future__ import annotations

import base64
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from nav_msgs.msg import OccupancyGrid
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.parameter_client import AsyncParameterClient
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

from amigobot_driver import AmigoBotError, RequestFailedError
from amigobot_driver.cli.graph_reader import read_graph
from amigobot_driver.doctor import Finding, Kind, Severity, Target
from amigobot_driver.doctor.graph import examine_graph
from amigobot_driver.packet_file import RecordedFrame
from amigobot_msgs.msg import Packet

from ...node_remote import NodeRemote
from ...state import RobotState, drained, yaw_of
from ..messages import Value
from .port import LEVELS
from .robot import RobotSource
from .source import Examination

#: Cells of a map in one direction that the page is sent at most.
_CELLS = 400
#: Values of an occupancy grid from which a cell is a wall.
_OCCUPIED = 50
#: s after which diagnostics are not shown any more.
_STALE = 5.0


class NodeSource(NodeRemote, RobotSource):
    """A running node.

    Args:
        namespace: Namespace of the node; "" for the root.
        timeout: Seconds to wait for the node and its robot; 0: do not wait.

    Raises:
        UsageError: There is no such node, or it has no robot.
    """

    kind = "node"

    def __init__(self, namespace: str, *, timeout: float = 0.0) -> None:
        RobotSource.__init__(self)
        self.robot = self  # it has the methods of a robot
        NodeRemote.__init__(self, namespace, drives=True, timeout=timeout)
        self._origin = 0.0, 0.0, 0.0  #: of the odometry frame in the map
        self._parameters: list[dict[str, Any]] = []
        self._frames_subscription: Any = None
        self._packets: deque[Packet] = deque(maxlen=2000)  #: from the thread of rclpy
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.node.create_subscription(OccupancyGrid, "map", self._on_map, latched)
        self.node.create_subscription(TFMessage, "/tf", self._on_transforms, 20)
        self._driver = AsyncParameterClient(self.node, self.where)
        self._reader: threading.Thread | None = None

    def state(self) -> RobotState:
        """Return what the topics of the node say now, and take in the frames on the line."""
        for message in drained(self._packets):
            stamp = message.header.stamp
            time = stamp.sec + stamp.nanosec * 1e-9
            self.frames.add(RecordedFrame(time, message.to_robot, bytes(message.data)))
        return super().state()

    def live(self) -> dict[str, Any]:
        """Return where the odometry frame is in the map."""
        return {"origin": self._origin}

    def sections(self) -> dict[str, Any]:
        """Return parameters, sounds, diagnostics and map."""
        now = time.monotonic()
        if not self._parameters and self._reader is None and self.alive:
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
        """Have the node publish every frame while a packet inspector is open."""
        if not self.alive or on == (self._frames_subscription is not None):
            return
        if on:
            self._frames_subscription = self.node.create_subscription(Packet, "packets", self._on_packet, 200)
        else:
            self.destroy_subscription(self._frames_subscription)
            self._frames_subscription = None
        threading.Thread(target=self.do_parameter, args=("publish_packets", on), daemon=True).start()

    def examination(self) -> Examination:
        """Return the checks of nodes and topics: the node has the port."""
        return Examination(Target(self.where, "", Kind.SERIAL), self._examine)

    # -- requests ---------------------------------------------------------------------------------------------

    def do_parameter(self, name: str, value: Value) -> str:
        """Set a parameter of the node."""
        row = next((row for row in self._parameters if row["name"] == name), None)
        if row is not None and isinstance(row["value"], float) and isinstance(value, int):
            value = float(value)
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
            self._reader = None  # again later
            return
        rows = []
        for descriptor, value in zip(described, values, strict=True):
            if not descriptor.read_only and not descriptor.name.startswith(("qos_overrides.", "use_sim_time")):
                rows.append(_row(descriptor, parameter_value_to_python(value)))
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
        self._packets.append(message)

    def _on_map(self, message: OccupancyGrid) -> None:
        info, origin = message.info, message.info.origin.position
        step = max(1, math.ceil(max(info.width, info.height) / _CELLS))
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
    """The diagnostics of a part of the robot."""
    return {
        "name": part,
        "level": LEVELS[min(ord(status.level), len(LEVELS) - 1)],
        "message": status.message,
        "values": {value.key: value.value for value in status.values},
    }


def _row(descriptor: ParameterDescriptor, value: Any) -> dict[str, Any]:
    """A parameter with its description and range."""
    row = {"name": descriptor.name, "value": value, "text": descriptor.description, "unit": ""}
    for allowed in (*descriptor.floating_point_range, *descriptor.integer_range):
        row |= {"low": allowed.from_value, "high": allowed.to_value}
    row["whole"] = isinstance(value, int) and not isinstance(value, bool)
    return row
