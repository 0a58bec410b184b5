# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Writes local costmaps with the plan, the odometry and the sonars of the same time, for tools/pictures."""

from __future__ import annotations

import json
import math
from functools import partial
from pathlib import Path as File
from typing import Any

from nav_msgs.msg import OccupancyGrid, Odometry, Path
from rclpy.node import Node
from sensor_msgs.msg import Range


class Recorder:
    """Writes one line of JSON for a costmap, at most every `period` s of /clock."""

    def __init__(self, node: Node, file: File, period: float, sonars: int) -> None:
        self._file = file.open("w", encoding="utf-8")
        self._period = period
        self._next = 0.0
        self._odometry: list[float] = []
        self._plan: list[list[float]] = []
        self._ranges: list[float | None] = [None] * sonars
        node.create_subscription(Odometry, "odom", self._on_odometry, 10)
        node.create_subscription(Path, "plan", self._on_plan, 1)
        node.create_subscription(OccupancyGrid, "local_costmap/costmap", self._on_costs, 1)
        for number in range(sonars):
            node.create_subscription(Range, f"sonar/range_{number}", partial(self._on_range, number), 10)

    def close(self) -> None:
        """End the file."""
        self._file.close()

    def _on_odometry(self, message: Odometry) -> None:
        place, turn = message.pose.pose.position, message.pose.pose.orientation
        self._odometry = [_seconds(message), place.x, place.y, 2 * math.atan2(turn.z, turn.w)]

    def _on_plan(self, message: Path) -> None:
        self._plan = [[round(one.pose.position.x, 3), round(one.pose.position.y, 3)] for one in message.poses]

    def _on_range(self, number: int, message: Range) -> None:
        echo = message.min_range <= message.range < message.max_range
        self._ranges[number] = round(message.range, 3) if echo else None

    def _on_costs(self, message: OccupancyGrid) -> None:
        time = _seconds(message)
        if time < self._next or not self._odometry:
            return
        self._next = time + self._period
        info = message.info
        moment = {
            "t": time,
            "odometry": dict(zip(("t", "x", "y", "heading"), self._odometry, strict=True)),
            "ranges": self._ranges,
            "plan": self._plan,
            "costs": {
                "x": info.origin.position.x,
                "y": info.origin.position.y,
                "resolution": info.resolution,
                "width": info.width,
                "cells": list(message.data),
            },
        }
        self._file.write(json.dumps(moment) + "\n")


def _seconds(message: Any) -> float:
    stamp = message.header.stamp
    return float(stamp.sec + stamp.nanosec * 1e-9)
