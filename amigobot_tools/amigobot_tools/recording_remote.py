# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A recording of `amigobot record`, or a rosbag with the packets of the line, with a playhead."""

from __future__ import annotations

import time
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from operator import itemgetter
from pathlib import Path

from amigobot_driver import Report, SonarReading
from amigobot_driver.cli import UsageError
from amigobot_driver.cli.recording_file import read_recording
from amigobot_driver.cli.replay import recorded_profile, replayed
from amigobot_driver.profiles import load_profile

from .bag.packet_bag import is_bag, read_packets
from .state import Remote, RobotState, reported_state

_RECENT = 200  # packets that are searched for the newest reading of each sonar: 10 s at 20 Hz


@dataclass(slots=True)
class Playhead:
    """The moment that is shown. Times are in s."""

    length: float
    speed: float = 1.0
    playing: bool = True
    jumps: int = 0  #: changes with each jump, so that the page forgets the trail
    _at: float = 0.0
    _since: float = field(default_factory=lambda: time.monotonic())

    @property
    def position(self) -> float:
        """The moment in the recording."""
        moved = (time.monotonic() - self._since) * self.speed if self.playing else 0.0
        return min(self.length, self._at + moved)

    @property
    def ended(self) -> bool:
        """Whether the end is shown."""
        return self.position >= self.length

    def set(self, *, position: float | None = None, playing: bool | None = None, speed: float = 0) -> None:
        """Jump, start or stop, or change the speed."""
        self._at, self._since = self.position if position is None else position, time.monotonic()
        self.playing = self.playing if playing is None else playing
        self.speed = speed or self.speed
        self.jumps += position is not None


class RecordingRemote(Remote):
    """Plays a recording, which cannot be driven.

    Args:
        path: The file of `amigobot record`, or a rosbag.
        profile: Name or file of a profile; "" takes that of the robot.
        rate: Speed; 1 is that of the recording.
        namespace: Of the robot in a bag of several.

    Raises:
        UsageError: The file cannot be read, or has no packets of a robot.
        ProfileError: There is no such profile.
    """

    def __init__(self, path: Path, profile: str = "", rate: float = 1.0, namespace: str = "") -> None:
        Remote.__init__(self, path.name)
        self.head, self.records = read_packets(path, namespace, profile) if is_bag(path) else read_recording(path)[:2]
        self.records.sort(key=lambda record: record.time)
        used = profile or recorded_profile(self.head)
        self.events = replayed(self.head, self.records, used)
        self.reports = [(at, event) for at, event in self.events if isinstance(event, Report)]
        if not self.reports:
            raise UsageError(f"{path} has no packets of a robot")
        self._profile = load_profile(used)
        self.playhead = Playhead(self.records[-1].time, rate)

    def state(self) -> RobotState:
        """Return what the robot has reported by now."""
        now, ended = self.playhead.position, self.playhead.ended
        passed = max(1, bisect_right(self.reports, now, key=itemgetter(0)))
        recent = [report for _, report in self.reports[max(0, passed - _RECENT) : passed]]
        pings = {ping.number: ping for report in recent for ping in report.pings}
        at, report = self.reports[passed - 1]
        return replace(
            reported_state(report, self._profile),
            connected=not ended,
            note=f"{'the recording has ended,' if ended else 'playing a recording of'} {self.playhead.length:.1f} s",
            name=self.head.name,
            echoes=SonarReading.newest(self._profile.sonar.poses, pings, report.stamp + max(0.0, now - at)),
            link={"time": f"{now:.1f} s", "packets": str(passed), "of": str(len(self.reports))},
        )
