# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The recordings: what was commanded, what the robot reported, and which ROS node stood between the two."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: p2os's speed of an AmigoBot-SH over that of the packets, and turn rate of its path over p2os's turn rate.
_P2OS_SPEED, _P2OS_TURN = 1.3746, 0.5373
#: s, a longer median interval is a damaged time base, and so are more gaps than this share of the intervals
_LONGEST_CYCLE, _MAX_GAPS = 0.25, 0.05


class RecordingError(Exception):
    """A file is not a recording that can be replayed; the message says why."""


@dataclass(frozen=True, slots=True)
class Recording:
    """One run. Times in s, speeds in m/s, turn rates in rad/s."""

    name: str
    robot: str  #: profile of the simulated robot
    client: str  #: `p2os` or `ros2aria`
    time: Array
    speed: Array
    turn_rate: Array
    commands: Array  #: rows of time, speed, turn rate, as published on cmd_vel


def load(path: Path) -> Recording:
    """Read a recording.

    Args:
        path: A JSON file, as the page describes it.

    Raises:
        RecordingError: The file lacks a series, or its times are damaged.
    """
    content = json.loads(path.read_text(encoding="utf-8"))
    try:
        time = np.array(content["t"], dtype=float)
        if "commands" in content:
            speed, turn_rate = np.array(content["v"]), np.array(content["w"])
            commands = np.array(content["commands"], dtype=float)
        else:
            speed = np.array(content["v_measured_p2os"]) / _P2OS_SPEED
            turn_rate = np.array(content["w_measured_p2os"]) * _P2OS_TURN
            commands = np.column_stack((time, content["v_commanded"], content["w_commanded"]))
    except KeyError as error:
        raise RecordingError(f"the series {error} is missing") from None
    intervals = np.diff(time)
    gaps = np.mean((intervals <= 0) | (intervals > 4 * _LONGEST_CYCLE))
    if np.median(intervals) > _LONGEST_CYCLE or gaps > _MAX_GAPS:
        raise RecordingError("its times are damaged")
    robot = "p3dx-sh" if path.name.startswith("p3") else "amigo-sh"
    # The recordings with a gyro come from ARIA's node, all others from p2os.
    client = "ros2aria" if "spain" in path.name or "TFM_ROS" in content.get("source", "") else "p2os"
    return Recording(path.stem, robot, client, time, speed, turn_rate, commands)
