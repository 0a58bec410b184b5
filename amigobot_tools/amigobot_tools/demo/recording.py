# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What happened, by the bag or the packets, and by the simulator's log of the truth. Arrays are by time; m, rad, s."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from amigobot_driver import Report
from amigobot_driver.cli.recording_file import read_recording
from amigobot_driver.cli.replay import replayed
from amigobot_driver.profiles import Profile, load_profile
from amigobot_driver.protocol import ACTIVMEDIA_PACKETS, ERRATIC_PACKETS, parse

from ..bag.reader import Message, read_bag
from ..state import yaw_of
from .tour import Pose

Array = NDArray[np.float64]

#: Cycles of the robot's packets are whole multiples of 1/200 s.
_CYCLES_A_SECOND = 200


@dataclass(frozen=True, slots=True)
class Track:
    """Poses over time; `yaw` is continuous."""

    time: Array
    x: Array
    y: Array
    yaw: Array

    @classmethod
    def of(cls, rows: Sequence[tuple[float, float, float, float]]) -> Track:
        """From (time, x, y, yaw); some may have the same time."""
        if not rows:
            raise RecordingError("the recording has no poses of the robot")
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
        """The poses at these times, interpolated."""
        return Track(time, *(np.interp(time, self.time, values) for values in (self.x, self.y, self.yaw)))

    def between(self, begin: float, end: float) -> Track:
        """Return the part between two times (s)."""
        inside = (self.time >= begin) & (self.time <= end)
        return Track(self.time[inside], self.x[inside], self.y[inside], self.yaw[inside])

    def placed(self, origin: Pose) -> Track:
        """The same in the frame in which this one's origin lies at `origin`."""
        x, y = place(self.x, self.y, origin)
        return Track(self.time, x, y, self.yaw + origin.yaw)


def place(x: Array, y: Array, origin: Pose) -> tuple[Array, Array]:
    """Points of a frame that lies at `origin`."""
    c, s = math.cos(origin.yaw), math.sin(origin.yaw)
    return origin.x + c * x - s * y, origin.y + s * x + c * y


class RecordingError(Exception):
    """What is missing in a recording."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One tour."""

    counts: dict[str, int]  #: messages by topic, or packets by name
    kinds: dict[str, str]  #: message types by topic, or what a packet has
    rates: dict[str, float]  #: Hz while the robot was being driven
    expected: dict[str, float]  #: Hz; NaN for what comes when something changes
    robot: str  #: its name
    profile: Profile
    odometry: Track  #: from the first velocity that was asked for until the end
    hits: tuple[Array, Array]  #: what the sonars saw, in the odometry's frame
    received: int  #: packets since the driver's start
    lost: int  #: packets that should have come between those that came
    corrupt: int
    seconds: float  #: between the first velocity and the last


def read_tour(bag: Path) -> Recording:
    """Read the bag of a tour. Raises RecordingError or BagError."""
    by_topic: dict[str, list[Message]] = defaultdict(list)
    for message in read_bag(bag):
        by_topic[message.topic].append(message)
    for topic in ("/cmd_vel", "/odom", "/robot_config", "/diagnostics"):
        if not by_topic[topic]:
            raise RecordingError(f"the bag has no message of {topic}")
    begin, end = by_topic["/cmd_vel"][0].time, by_topic["/cmd_vel"][-1].time
    config = by_topic["/robot_config"][-1].content
    profile = load_profile(config.profile)
    poses = [(stamp(m.content), m.content.pose.pose) for m in by_topic["/odom"]]
    rows = [(at, pose.position.x, pose.position.y, yaw_of(pose.orientation)) for at, pose in poses]
    odometry = Track.of([row for row in rows if row[0] * 1e9 >= begin])
    link = _link_values(by_topic["/diagnostics"])
    return Recording(
        counts={topic: len(list_) for topic, list_ in by_topic.items() if list_},
        kinds={topic: list_[0].kind for topic, list_ in by_topic.items() if list_},
        rates={topic: _rate([m.time for m in list_], begin, end) for topic, list_ in by_topic.items()},
        expected=_expected_topics(profile, config.info_cycle),
        robot=config.name,
        profile=profile,
        odometry=odometry,
        hits=_hits(by_topic["/sonar/cloud"], odometry),
        received=int(link.get("packets_received", 0)),
        lost=lost_packets(odometry.time, config.info_cycle),
        corrupt=int(link.get("checksum_errors", 0)),
        seconds=(end - begin) * 1e-9,
    )


def read_packets(path: Path) -> Recording:
    """Read the packets of a tour.

    Raises:
        RecordingError: They show no drive.
        UsageError: The file cannot be read.
    """
    head, records = read_recording(path)
    records.sort(key=lambda record: record.time)
    reports = replayed(head, records, head.profile)
    driven = [time for time, report in reports if report.moving]
    if not driven:
        raise RecordingError(f"{path}: the robot has not moved")
    begin, end = driven[0], driven[-1]
    times: dict[str, list[int]] = defaultdict(list)
    names = ERRATIC_PACKETS if head.erratic else ACTIVMEDIA_PACKETS
    for record in records:
        if not record.to_robot:
            times[type(parse(record.data, names)).__name__].append(round(record.time * 1e9))
    odometry = Track.of(
        [
            (time + head.started, report.odometry.x, report.odometry.y, report.odometry.yaw)
            for time, report in reports
            if time >= begin
        ]
    )
    gaps = sorted(after[0] - before[0] for before, after in pairwise(reports))
    cycle = round(gaps[len(gaps) // 2] * _CYCLES_A_SECOND) / _CYCLES_A_SECOND
    profile = load_profile(head.profile)
    return Recording(
        counts={name: len(list_) for name, list_ in times.items()},
        kinds={"Sip": "pose, velocities, sonars, battery", "Config": "settings of the robot"},
        rates={name: _rate(list_, round(begin * 1e9), round(end * 1e9)) for name, list_ in times.items()},
        expected={"Sip": 1 / cycle, "Config": math.nan},
        robot=head.name,
        profile=profile,
        odometry=odometry,
        hits=_packet_hits(profile, head.started, begin, reports, odometry),
        received=len(reports),
        lost=lost_packets(odometry.time, cycle),
        corrupt=0,
        seconds=end - begin,
    )


def read_truth(path: Path) -> Track:
    """Where the simulated robot really was. Raises RecordingError."""
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return Track.of([(line["t"], line["x"], line["y"], line["heading"]) for line in lines])


def lost_packets(times: Array, cycle: float) -> int:
    """How many are missing among messages that should come once in a `cycle`; one that is late is not."""
    lost, late = 0, 0.0
    for gap in np.diff(times) / cycle - 1:
        # After a late packet the next one seems early. Cycles that differ from `cycle` are left out.
        late = 0.95 * late + gap
        missing = round(late)
        lost, late = lost + missing, late - missing
    return max(lost, 0)


def stamp(message: Any) -> float:
    """Return the stamp of a message in s."""
    return float(message.header.stamp.sec + message.header.stamp.nanosec * 1e-9)


def _rate(times: list[int], begin: int, end: int) -> float:
    """Messages a second between two times, ns."""
    return sum(begin <= time < end for time in times) / ((end - begin) * 1e-9) if end > begin else math.nan


def _expected_topics(profile: Profile, cycle: float) -> dict[str, float]:
    """The topics of the node, with their rates in Hz; NaN for what comes when something changes."""
    sip, sonar = 1 / cycle, profile.sonar
    rates = {topic: sip for topic in ("/odom", "/tf", "/joint_states", "/status")}
    if sonar.poses:
        rates["/sonar/cloud"] = min(sip, 1 / sonar.cycle)
        rates |= {f"/sonar/range_{number}": 1 / (len(sonar.poses) * sonar.cycle) for number in range(len(sonar.poses))}
    return {**rates, "/battery_state": 1.0, "/diagnostics": 1.0, "/robot_config": math.nan}


def _link_values(diagnostics: list[Message]) -> dict[str, str]:
    """The last values of the status "link"."""
    for message in reversed(diagnostics):
        for status in message.content.status:
            if status.name.endswith(": link"):
                return {value.key: value.value for value in status.values}
    return {}


def _hits(clouds: list[Message], odometry: Track) -> tuple[Array, Array]:
    """The points of all clouds, seen from where the robot was."""
    xs, ys = [np.empty(0)], [np.empty(0)]
    for cloud in (message.content for message in clouds):
        time = stamp(cloud)
        if cloud.width and odometry.time[0] <= time <= odometry.time[-1]:
            points = np.asarray(cloud.data, np.uint8).reshape(-1, cloud.point_step)[:, :8].copy().view("<f4")
            x, y = place(points[:, 0], points[:, 1], odometry.at(np.array([time])).pose(0))
            xs.append(x)
            ys.append(y)
    return np.concatenate(xs), np.concatenate(ys)


def _packet_hits(
    profile: Profile, started: float, begin: float, reports: Sequence[tuple[float, Report]], odometry: Track
) -> tuple[Array, Array]:
    """The echoes of all sonars since `begin` (s in the recording), in the odometry frame."""
    xs, ys = [], []
    for time, report in reports:
        for ping in report.pings:
            if time >= begin and math.isfinite(ping.range):
                pose = profile.sonar.poses[ping.number]
                at = odometry.at(np.array([time + started - (report.stamp - ping.stamp)])).pose(0)
                point = Pose(
                    pose.x + ping.range * math.cos(pose.heading), pose.y + ping.range * math.sin(pose.heading), 0.0
                ).transformed_by(at)
                xs.append(point.x)
                ys.append(point.y)
    return np.array(xs), np.array(ys)
