# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A robot behind a running amigobot_node, through its topics, services and parameters."""

from __future__ import annotations

import base64
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from nav_msgs.msg import OccupancyGrid
from rcl_interfaces.srv import GetParameters
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.parameter_client import AsyncParameterClient
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.subscription import Subscription
from rclpy.task import Future
from tf2_msgs.msg import TFMessage

from amigobot_driver import RequestFailedError
from amigobot_driver.cli.graph_reader import read_graph
from amigobot_driver.doctor import Finding, Kind, Severity, Target
from amigobot_driver.doctor.graph import examine_graph
from amigobot_driver.packet_file import RecordedFrame
from amigobot_driver.parameter_table import TABLE, Scalar
from amigobot_msgs.msg import Packet

from ...node_remote import NodeRemote
from ...state import yaw_of
from ..messages import Value
from .robot_source import RobotSource, parameter_row
from .source import Examination

#: Parameters that may change while the node runs.
_PARAMETERS = {spec.name: spec for spec in TABLE if spec.at_run_time}
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
        self._values: dict[str, Scalar] = {}  #: of the parameters
        self._packets: Subscription[Packet] | None = None  #: while a packet inspector is open
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.node.create_subscription(OccupancyGrid, "map", self._on_map, latched)
        self.node.create_subscription(TFMessage, "/tf", self._on_transforms, 20)
        self._driver = AsyncParameterClient(self.node, self.where)

    def live(self) -> dict[str, Any]:
        """Return where the odometry frame is in the map."""
        return {"origin": self._origin}

    def sections(self) -> dict[str, Any]:
        """Return parameters, sounds, diagnostics and map. The values of the parameters are those a second ago."""
        now = time.monotonic()
        if self._driver.services_are_ready():
            self._driver.get_parameters([*_PARAMETERS], self._on_parameters)
        return {
            **self._more,
            "parameters": [parameter_row(_PARAMETERS[name], value) for name, value in self._values.items()],
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
        if isinstance(self._values.get(name), float) and type(value) is int:
            value = float(value)  # a bool, which the node refuses, is an int in Python, too
        response = self.result(self._driver.set_parameters([Parameter(name, value=value)]), f"parameter {name}")
        result = response.results[0]
        if not result.successful:
            raise RequestFailedError(result.reason)
        return f"{name} is {value} now"

    def _examine(self, on_progress: Callable[[str], None]) -> Iterator[Finding]:
        on_progress("looking at the nodes of ROS")
        yield from examine_graph(read_graph())
        yield Finding(
            "port",
            Severity.NOTE,
            "the node holds the port and reports on it under Diagnostics; for the checks of port, line and sensors "
            "stop the node and run `amigobot doctor PORT`",
        )

    # -- topics and services ----------------------------------------------------------------------------------

    def _on_parameters(self, future: Future[GetParameters.Response]) -> None:
        values = map(parameter_value_to_python, future.result().values)  # type: ignore[union-attr]
        self._values = dict(zip(_PARAMETERS, values, strict=False))  # none of a node of another version

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
