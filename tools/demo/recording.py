"""What happened, from the bag and from the simulator's log of the truth. Arrays are by time; m, rad, s."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bag.reader import Message, read_bag
from .tour import Pose

Array = NDArray[np.float64]


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
            raise RecordingError("nothing was recorded of where the robot was")
        time, x, y, yaw = np.array(sorted(rows)).T
        return cls(time, x, y, np.unwrap(yaw))

    @property
    def length(self) -> float:
        """The way gone."""
        return float(np.hypot(np.diff(self.x), np.diff(self.y)).sum())

    def pose(self, index: int) -> Pose:
        return Pose(float(self.x[index]), float(self.y[index]), float(self.yaw[index]))

    def at(self, time: Array) -> Track:
        """The poses at these times, interpolated."""
        return Track(time, *(np.interp(time, self.time, values) for values in (self.x, self.y, self.yaw)))

    def between(self, begin: float, end: float) -> Track:
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

    counts: dict[str, int]  #: messages by topic
    kinds: dict[str, str]  #: message types by topic
    rates: dict[str, float]  #: Hz while the robot was being driven
    cycle: float  #: s between two SIPs, as the robot says
    robot: str
    profile: str
    odometry: Track  #: from the first velocity that was asked for until the end
    hits: tuple[Array, Array]  #: what the sonars saw, in the odometry's frame
    received: int  #: packets since the driver's start
    lost: int  #: packets that should have come between those that came
    corrupt: int
    seconds: float  #: between the first velocity and the last


def read_recording(bag: Path) -> Recording:
    """Read the bag of a tour. Raises RecordingError or BagError."""
    by_topic: dict[str, list[Message]] = defaultdict(list)
    for message in read_bag(bag):
        by_topic[message.topic].append(message)
    for topic in ("/cmd_vel", "/odom", "/robot_config", "/diagnostics"):
        if not by_topic[topic]:
            raise RecordingError(f"the bag has no message of {topic}")
    begin, end = by_topic["/cmd_vel"][0].time, by_topic["/cmd_vel"][-1].time
    config = by_topic["/robot_config"][-1].content
    rows = [
        (stamp(m.content), m.content.pose.pose.position.x, m.content.pose.pose.position.y, yaw(m.content))
        for m in by_topic["/odom"]
    ]
    odometry = Track.of([row for row in rows if row[0] * 1e9 >= begin])
    link = _link_values(by_topic["/diagnostics"])
    return Recording(
        counts={topic: len(list_) for topic, list_ in by_topic.items() if list_},
        kinds={topic: list_[0].kind for topic, list_ in by_topic.items() if list_},
        rates={topic: _rate([m.time for m in list_], begin, end) for topic, list_ in by_topic.items()},
        cycle=config.info_cycle,
        robot=config.name,
        profile=config.profile,
        odometry=odometry,
        hits=_hits(by_topic["/sonar/cloud"], odometry),
        received=int(link.get("packets_received", 0)),
        lost=lost_packets(odometry.time, config.info_cycle),
        corrupt=int(link.get("checksum_errors", 0)),
        seconds=(end - begin) * 1e-9,
    )


def read_truth(path: Path) -> Track:
    """Where the simulated robot really was. Raises RecordingError."""
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return Track.of([(line["t"], line["x"], line["y"], line["heading"]) for line in lines])


def lost_packets(times: Array, cycle: float) -> int:
    """How many are missing among messages that should come once in a `cycle`; one that is late is not."""
    lost, late = 0, 0.0
    for gap in np.diff(times) / cycle - 1:
        # A late one is made up for by the next, which seems early. A cycle that is not quite `cycle` is forgotten.
        late = 0.95 * late + gap
        missing = round(late)
        lost, late = lost + missing, late - missing
    return max(lost, 0)


def stamp(message: Any) -> float:
    return float(message.header.stamp.sec + message.header.stamp.nanosec * 1e-9)


def yaw(odometry: Any) -> float:
    q = odometry.pose.pose.orientation
    return 2 * math.atan2(q.z, q.w)


def _rate(times: list[int], begin: int, end: int) -> float:
    """Messages a second between two times, ns."""
    return sum(begin <= time < end for time in times) / ((end - begin) * 1e-9) if end > begin else math.nan


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
