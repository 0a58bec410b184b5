# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What was measured on a tour: the odometry against the truth, the recording, and what is wrong with them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from amigobot_driver.cli.recording_file import read_recording
from amigobot_driver.protocol import ACTIVMEDIA_PACKETS, ERRATIC_PACKETS, Config, Sip, parse

from ..bag.reader import read_bag
from .drive import Drive
from .tour import Pose

Array = NDArray[np.float64]
#: Type and times (s) of what was recorded, by topic or name of the packet.
Contents = dict[str, tuple[str, list[float]]]

_WINDOW = np.linspace(-0.5, 0.5, 201)  # s around a pose in which the robot may have been there
_LEAST = 0.8  # m that must have been driven
_REST, _CORNERS = 0.5, 0.1  # m and share by which a path may differ from the planned one
_REGULAR = 3.0  # s from the first message to the last, without which a rate says nothing
_DAMAGE = 0.02  # share of the packets that may be damaged
_END, _ANGLE, _DEVIATION = 0.05, math.radians(2), 0.05  # m, rad, m that odometry may be off
_CONTENT = {Sip: "pose, velocities, sonars, battery", Config: "settings of the robot"}
_TOPICS = {"/odom", "/tf", "/joint_states", "/status", "/battery_state", "/diagnostics", "/robot_config", "/cmd_vel"}


@dataclass(frozen=True, slots=True)
class Track:
    """Poses over time (s, m, rad); `yaw` is continuous."""

    time: Array
    x: Array
    y: Array
    yaw: Array

    @classmethod
    def of(cls, rows: Sequence[tuple[float, float, float, float]]) -> Track:
        """Return the track of rows (time, x, y, yaw)."""
        time, x, y, yaw = np.array(sorted(rows)).T
        return cls(time, x, y, np.unwrap(yaw))

    @property
    def length(self) -> float:
        """Length of the path in m."""
        return float(np.hypot(np.diff(self.x), np.diff(self.y)).sum())

    def pose(self, index: int) -> Pose:
        """Return one of the poses."""
        return Pose(float(self.x[index]), float(self.y[index]), float(self.yaw[index]))

    def at(self, time: Array) -> Track:
        """Return the poses at these times, interpolated."""
        return Track(time, *(np.interp(time, self.time, values) for values in (self.x, self.y, self.yaw)))

    def placed(self, origin: Pose) -> Track:
        """Return the same in the frame in which this one's origin lies at `origin`."""
        c, s = math.cos(origin.yaw), math.sin(origin.yaw)
        x, y = origin.x + c * self.x - s * self.y, origin.y + s * self.x + c * self.y
        return Track(self.time, x, y, self.yaw + origin.yaw)


@dataclass(frozen=True, slots=True)
class Measured:
    """A tour in the frame of the room if the truth is known, else in that of the odometry."""

    odometry: Track
    hits: tuple[Array, Array]  #: x and y of what the sonars saw, m
    truth: Track | None = None
    end: float = 0.0  #: m that odometry was off at the end
    end_angle: float = 0.0  #: rad
    deviation: float = 0.0  #: m, largest one from the true path

    @property
    def errors(self) -> str:
        """The errors of the odometry in words."""
        end, most = 100 * self.end, 100 * self.deviation
        return (
            f"{end:.1f} cm and {math.degrees(self.end_angle):.2f} deg off at the end, up to {most:.1f} cm off the path"
        )


def measure(drive: Drive, truth_file: Path | None) -> Measured:
    """Return the odometry of a tour, where the tour began, beside the truth (lines of JSON of the simulator)."""
    odometry, echoes = Track.of(drive.poses), np.array(drive.echoes).reshape(-1, 3)
    truth = None
    origin = Pose(0.0, 0.0, 0.0)
    if truth_file is not None:
        lines = map(json.loads, truth_file.read_text(encoding="utf-8").splitlines())
        everything = Track.of([(line["t"], line["x"], line["y"], line["heading"]) for line in lines])
        inside = (everything.time >= odometry.time[0]) & (everything.time <= odometry.time[-1])
        truth = everything.at(everything.time[inside])
        origin = origin.seen_from(odometry.pose(0)).transformed_by(everything.at(odometry.time[:1]).pose(0))
    placed = odometry.placed(origin)
    at = placed.at(echoes[:, 0])
    c, s = np.cos(at.yaw), np.sin(at.yaw)
    hits = at.x + c * echoes[:, 1] - s * echoes[:, 2], at.y + s * echoes[:, 1] + c * echoes[:, 2]
    if truth is None:
        return Measured(placed, hits)
    # The distance from the path, not along it: how late packets came on a busy machine says nothing about odometry.
    near = everything.at(placed.time[:, np.newaxis] + _WINDOW)
    apart = np.hypot(placed.x[:, np.newaxis] - near.x, placed.y[:, np.newaxis] - near.y).min(axis=1)
    last = placed.pose(-1).seen_from(everything.at(odometry.time[-1:]).pose(-1))
    return Measured(placed, hits, truth, math.hypot(last.x, last.y), abs(last.yaw), float(apart.max()))


def contents(file: Path) -> Contents:
    """Return type and times (s) of everything in a bag or a recording of packets, by topic or name.

    Raises:
        BagError: The bag cannot be read.
        UsageError: The recording cannot be read.
    """
    found: Contents = {}
    if file.is_dir():
        for message in read_bag(file):
            found.setdefault(message.topic, (message.kind.replace("/msg/", "/"), []))[1].append(message.time * 1e-9)
        return found
    head, records = read_recording(file)
    table = ERRATIC_PACKETS if head.erratic else ACTIVMEDIA_PACKETS
    for record in records:
        if not record.to_robot:
            kind = type(parse(record.data, table))
            found.setdefault(kind.__name__, (_CONTENT.get(kind, ""), []))[1].append(record.time)
    return found


def summary(drive: Drive, measured: Measured, found: Contents, picture: Path, file: Path) -> Iterator[str]:
    """Yield what was measured as lines of text; `found` is what `file` has, a bag or a recording of packets."""
    names = ("topic", "type", "messages") if file.is_dir() else ("packet", "content", "received")
    yield ""
    yield "  {:20}{:34}{:>8}{:>8}".format(*names, "Hz")
    for name, (kind, times) in sorted(found.items()):
        regular = times[-1] - times[0] > _REGULAR
        rate = f"{(len(times) - 1) / (times[-1] - times[0]):8.2f}" if regular else f"{'-':>8}"
        yield f"  {name:20}{kind:34}{len(times):8}{rate}"
    yield ""
    yield f"  driven    {measured.odometry.length:.2f} m in {drive.seconds:.1f} s"
    if measured.truth:
        yield f"  odometry  {measured.errors}"
    link = drive.state.link
    yield f"  packets   {link['packets']} received, {link['damaged']} damaged"
    yield f"  picture   {_short(picture)}"
    if file.is_dir():
        count = sum(len(times) for _, times in found.values())
        yield f"  bag       {_short(file)}: {count} messages of {len(found)} topics, written, read back and counted"
    else:
        yield f"  recording {_short(file)}: for amigobot replay, dump and monitor"
    yield ""


def problems(drive: Drive, measured: Measured, found: Contents) -> Iterator[str]:
    """Yield what is wrong with a tour, and with its recording."""
    if not found.keys() >= _TOPICS and "Sip" not in found:
        yield f"no message came of {', '.join(sorted(_TOPICS - found.keys()))}"
    length, planned = measured.odometry.length, drive.planned
    if length < _LEAST:
        yield f"the robot drove only {length:.2f} m"
    elif abs(length - planned) > _REST + _CORNERS * planned:
        yield f"the robot drove {length:.2f} m on a path of {planned:.2f} m"
    packets, damaged = (int(drive.state.link[name]) for name in ("packets", "damaged"))
    if damaged > _DAMAGE * packets:
        yield f"of {packets} packets {damaged} were damaged"
    if measured.end > _END or measured.end_angle > _ANGLE or measured.deviation > _DEVIATION:
        yield f"odometry is {measured.errors}"


def _short(path: Path) -> Path:
    """As one would type it here."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
