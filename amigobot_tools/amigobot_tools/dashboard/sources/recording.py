# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A recording: the driver runs on it once, then a playhead moves over what it saw.

It is a file of `amigobot record`, or a rosbag with the packets of the line.
"""

from __future__ import annotations

import bisect
import math
import time
from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from amigobot_driver import AmigoBotError
from amigobot_driver.cli import UsageError
from amigobot_driver.cli.recording_file import read_recording
from amigobot_driver.packet_file import Head, RecordedFrame
from amigobot_driver.profiles import Profile, ProfileError
from amigobot_driver.protocol import SyncReply
from amigobot_driver.replay import Replay
from amigobot_driver.robot import (
    BatteryChanged,
    EmergencyStopChanged,
    Event,
    LinkChanged,
    Notice,
    Options,
    Report,
    Robot,
)

from ...state import Remote, RobotState, drained, newest_echoes, reported_state, stalled_wheels
from ..messages import Between
from .rosbag import is_bag, read_packets
from .source import Source

#: s added to the times of a recording: the first packet may have begun before it, and stamps must be positive.
_EPOCH = 1000.0
_SLOWEST, _FASTEST = 0.1, 50.0
#: Events and points of the path that the page is sent at most.
_EVENTS, _POINTS = 500, 2000
#: s before the playhead from which the packet inspector is filled after a jump.
_BEFORE = 2.0


@dataclass(frozen=True, slots=True)
class Moment:
    """What was known after one standard packet."""

    time: float  #: s since the start of the recording
    report: Report
    ranges: tuple[tuple[float, float], ...]  #: of each sonar: m, and when (s)


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that the time line shows."""

    time: float  #: s
    kind: str  #: link, stall, motors, battery, emergency or notice
    text: str


@dataclass(slots=True)
class Playhead:
    """The moment that is shown. Times are in s."""

    length: float
    playing: bool = True
    speed: float = 1.0
    jumps: int = 0  #: changes with each jump, so that the page forgets the trail
    _at: float = 0.0
    _since: float = 0.0

    def position(self, now: float) -> float:
        """Return the moment in the recording."""
        moved = (now - self._since) * self.speed if self.playing else 0.0
        return min(self.length, self._at + moved)

    def set(self, now: float, *, position: float | None = None, playing: bool | None = None, speed: float = 0) -> None:
        """Jump, start or stop, or change the speed."""
        self._at, self._since = self.position(now) if position is None else position, now
        self.playing = self.playing if playing is None else playing
        self.speed = speed or self.speed
        self.jumps += position is not None


class RecordedRemote(Remote):
    """A recording as the tools see a robot: it does not drive."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.lines: deque[str] = deque(maxlen=200)
        self.now = RobotState()

    def state(self) -> RobotState:
        """Return the state at the playhead."""
        return self.now

    def messages(self) -> list[str]:
        """Return the lines of the log that the playhead has passed."""
        return drained(self.lines)


class RecordingSource(Source):
    """A recording with a playhead, which all browsers share.

    Args:
        path: The file of `amigobot record`, or a rosbag.
        profile: Name or file of a profile; "" takes the one of the recording.
        namespace: Of the robot in a bag of several.

    Raises:
        UsageError: The file is not a recording, or has no packets of a robot.
        ProfileError: There is no such profile.
    """

    kind = "recording"
    examined = False

    def __init__(self, path: Path, profile: str = "", namespace: str = "") -> None:
        head, records = read_packets(path, namespace, profile) if is_bag(path) else read_recording(path)
        records.sort(key=lambda record: record.time)
        super().__init__(RecordedRemote(path.name))
        self._head, self._records = head, records
        self._profile, self._moments, self._happenings = _played(path, head, records, profile or head.profile)
        self._times = [moment.time for moment in self._moments]
        self._record_times = [record.time for record in records]
        self._playhead = Playhead(records[-1].time if records else 0.0, _since=time.monotonic())
        self._shown = 0.0  #: position of the last `live`
        self._watching = False

    @property
    def profile(self) -> Profile | None:
        """The profile that the driver used."""
        return self._profile

    def state(self) -> RobotState:
        """Return what was known at the playhead."""
        position = self._playhead.position(time.monotonic())
        index = max(0, bisect.bisect_right(self._times, position) - 1)
        self.remote.now = self._state_at(self._moments[index], position)
        return super().state()

    def live(self) -> dict[str, Any]:
        """Return the playhead, and pass on what it has passed."""
        head = self._playhead
        position = head.position(time.monotonic())
        self._pass(self._shown, position)
        self._shown = position
        ended = position >= head.length
        return {
            "replay": {
                "time": position,
                "length": head.length,
                "playing": head.playing and not ended,
                "speed": head.speed,
                "jumps": head.jumps,
            }
        }

    def sections(self) -> dict[str, Any]:
        """Return the time line: the events, and the whole path."""
        step = max(1, math.ceil(len(self._moments) / _POINTS))
        path = [(moment.report.odometry.x, moment.report.odometry.y) for moment in self._moments[::step]]
        return {
            "timeline": {
                "length": self._playhead.length,
                "started": self._head.started,
                "events": self._happenings[:_EVENTS],
                "left_out": max(0, len(self._happenings) - _EVENTS),
                "path": path,
            }
        }

    def watch_frames(self, on: bool) -> None:
        """Fill the log of frames while a packet inspector is open."""
        self._watching = on

    # -- requests ---------------------------------------------------------------------------------------------

    def do_play(self, on: bool) -> str:
        """Play, or pause."""
        now = time.monotonic()
        at_end = self._playhead.position(now) >= self._playhead.length
        self._playhead.set(now, playing=on, position=0.0 if on and at_end else None)
        return "playing" if on else "paused"

    def do_seek(self, time: Annotated[float, Between(0, 1e7)]) -> str:
        """Jump to a moment."""
        position = min(time, self._playhead.length)
        self._playhead.set(_now(), position=position)
        self._shown = max(0.0, position - _BEFORE)
        return f"at {position:.1f} s"

    def do_speed(self, factor: Annotated[float, Between(_SLOWEST, _FASTEST)]) -> str:
        """Set the speed."""
        self._playhead.set(_now(), speed=factor)
        return f"{factor:g} times real time"

    # -- inside -----------------------------------------------------------------------------------------------

    def _pass(self, before: float, position: float) -> None:
        """Log the events and frames between two positions."""
        if position <= before:
            return
        self.remote.lines.extend(event.text for event in self._happenings if before < event.time <= position)
        if self._watching:
            first = bisect.bisect_right(self._record_times, before)
            for record in self._records[first : bisect.bisect_right(self._record_times, position)]:
                self.frames.add(record.time, record.to_robot, record.data)

    def _state_at(self, moment: Moment, position: float) -> RobotState:
        return replace(
            reported_state(moment.report, self._profile),
            name=self._head.name,
            echoes=newest_echoes(self._profile, dict(enumerate(moment.ranges)), position),
        )


def _now() -> float:
    return time.monotonic()


def _played(
    path: Path, head: Head, records: list[RecordedFrame], profile: str
) -> tuple[Profile, list[Moment], list[Happening]]:
    """Run the driver on the whole recording.

    Raises:
        UsageError: There are no packets of a robot.
        ProfileError: There is no such profile.
    """
    seen: list[tuple[float, Event]] = []
    robot = Robot(Options(profile=profile, motors_on_connect=False))
    at = 0.0

    def keep(event: Event) -> None:
        seen.append((at, event))

    replay = Replay(robot, "replay://", keep)
    replay.identify(SyncReply(name=head.name, robot_class=head.robot_class, subclass=head.subclass))
    try:
        for record in records:
            at = record.time
            replay.feed(record.data, round((record.time + _EPOCH) * 1e9), to_robot=record.to_robot)
        replay.settle()
    except ProfileError:
        raise
    except (ValueError, AmigoBotError) as error:
        raise UsageError(f"{path}: {error}") from None
    replay.close()
    moments = _moments(seen, len(robot.profile.sonar.poses))
    if not moments:
        raise UsageError(f"{path} has no packets of a robot")
    return robot.profile, moments, _happenings(seen)


def _moments(seen: list[tuple[float, Event]], sonars: int) -> list[Moment]:
    ranges = [(math.nan, -math.inf)] * sonars
    moments = []
    for at, event in seen:
        if isinstance(event, Report):
            for ping in event.pings:
                if ping.number < sonars:
                    ranges[ping.number] = ping.range, at - max(0.0, event.stamp - ping.stamp)
            moments.append(Moment(at, event, tuple(ranges)))
    return moments


def _happenings(seen: list[tuple[float, Event]]) -> list[Happening]:
    """What a person wants to jump to, in the order of time."""
    found = []
    motors: bool | None = None
    stalls: tuple[str, ...] = ()
    for at, event in seen:
        if isinstance(event, Report):
            if motors is not None and event.motors_enabled != motors:
                found.append(Happening(at, "motors", f"motors {'on' if event.motors_enabled else 'off'}"))
            if new := set(stalled_wheels(event)) - set(stalls):
                found.append(Happening(at, "stall", f"stalled: {', '.join(sorted(new))} wheel"))
            motors, stalls = event.motors_enabled, stalled_wheels(event)
        elif isinstance(event, LinkChanged):
            found.append(Happening(at, "link", event.note))
        elif isinstance(event, BatteryChanged):
            found.append(Happening(at, "battery", f"battery {event.level.name.lower()}: {event.volts:.1f} V"))
        elif isinstance(event, EmergencyStopChanged):
            found.append(Happening(at, "emergency", f"emergency stop {'latched' if event.latched else 'cleared'}"))
        elif isinstance(event, Notice):
            found.append(Happening(at, "notice", event.text))
    return found
