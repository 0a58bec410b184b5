# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The recordings: what was commanded, what the robot reported, and which ROS node stood between the two.

A file has the series `t` (s), `v` (m/s) and `w` (rad/s), and `commands`: rows of time, speed and turn rate. `robot`
is a profile, `client` the node that drove: p2os or ros2aria.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: p2os's speed of an AmigoBot-SH over that of the packets, and turn rate of its path over p2os's turn rate.
_P2OS_SPEED, _P2OS_TURN = 1.3746, 0.5373
#: s, a longer mean interval is a damaged time base
_LONGEST_CYCLE = 0.25
#: s, the cycle of a packet; and the share of repeated stamps above which the stamps are times of arrival
_SIP, _MAX_REPEATED = 0.1, 0.05
#: deg, by which a heading of whole degrees differs from them
_WHOLE = 0.02


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
    lateness: float = 0.0  #: s, the most by which a network delayed a packet before it was stamped


def load(path: Path, robot: str = "", client: str = "") -> Recording:
    """Read a recording.

    Args:
        path: A JSON file, as the page describes it.
        robot: Profile of the robot; "" is that of the file, or by its name.
        client: `p2os` or `ros2aria`; "" is that of the file, or by its headings: those of p2os are whole degrees.

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
    if (np.max(time) - np.min(time)) / len(time) > _LONGEST_CYCLE:
        raise RecordingError("its times are damaged")
    order = np.argsort(time, kind="stable")
    time, speed, turn_rate = time[order], speed[order], turn_rate[order]
    commands = commands[np.argsort(commands[:, 0], kind="stable")]
    arrived = time
    if np.mean(np.diff(time) <= 0) > _MAX_REPEATED:
        # Packets came in bursts: each left the robot at least a cycle before the next one.
        cycles = _SIP * np.arange(len(time))
        time = np.minimum.accumulate((time - cycles)[::-1])[::-1] + cycles
    lateness = float(np.max(arrived - time))
    degrees = np.degrees(content.get("yaw", [0.0]))
    rounded = np.max(np.abs(degrees - np.round(degrees))) < _WHOLE
    return Recording(
        path.stem,
        robot or content.get("robot") or ("p3dx-sh" if path.name.startswith("p3") else "amigo-sh"),
        client or content.get("client") or ("p2os" if rounded else "ros2aria"),
        time,
        speed,
        turn_rate,
        commands,
        lateness,
    )
