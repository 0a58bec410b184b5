# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A recording in the dashboard: the driver runs on it once, then a playhead moves over what it saw."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any

from amigobot_driver.robot import BatteryChanged, EmergencyStopChanged, Event, LinkChanged, Notice, Report

from ...recording_remote import RecordingRemote
from ...state import RobotState, stalled_wheels
from ..messages import Between
from .paced import Speed
from .source import Source

_EVENTS = 500  # that the page is sent at most
_POINTS = 2000  # of the path that the page is sent at most
#: s before the playhead from which the packet inspector is filled after a jump.
_BEFORE = 2.0


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that the time line shows."""

    time: float  #: s
    kind: str  #: link, stall, motors, battery, emergency or notice
    text: str


class RecordingSource(RecordingRemote, Source):
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
        super().__init__(path, profile, namespace=namespace)
        self._happenings = list(_happenings(self.events))
        self._shown = 0.0  #: position of the last `live`

    def state(self) -> RobotState:
        """Return what was known at the playhead; the time line says where it is."""
        return replace(super().state(), connected=True, note="", link={})

    def live(self) -> dict[str, Any]:
        """Return the playhead, and pass on what it has passed."""
        head, position = self.playhead, self.playhead.position
        self._pass(self._shown, position)
        self._shown = position
        return {
            "replay": {
                "time": position,
                "length": head.length,
                "playing": head.playing and not head.ended,
                "speed": head.speed,
                "jumps": head.jumps,
            }
        }

    def sections(self) -> dict[str, Any]:
        """Return the time line: the events, and the whole path."""
        step = max(1, math.ceil(len(self.reports) / _POINTS))
        path = [(report.odometry.x, report.odometry.y) for _, report in self.reports[::step]]
        return {
            "timeline": {
                "length": self.playhead.length,
                "events": self._happenings[:_EVENTS],
                "left_out": max(0, len(self._happenings) - _EVENTS),
                "path": path,
            }
        }

    # -- requests ---------------------------------------------------------------------------------------------

    def do_play(self, on: bool) -> str:
        """Play, or pause."""
        self.playhead.set(playing=on, position=0.0 if on and self.playhead.ended else None)
        return "playing" if on else "paused"

    def do_seek(self, time: Annotated[float, Between(0, 1e7)]) -> str:
        """Jump to a moment."""
        position = min(time, self.playhead.length)
        self.playhead.set(position=position)
        self._shown = max(0.0, position - _BEFORE)
        return f"at {position:.1f} s"

    def do_speed(self, factor: Speed) -> str:
        """Set the speed."""
        self.playhead.set(speed=factor)
        return f"{factor:g} times real time"

    # -- inside -----------------------------------------------------------------------------------------------

    def _pass(self, before: float, position: float) -> None:
        """Log the events and frames between two positions."""
        if position <= before:
            return
        self._messages.extend(event.text for event in self._happenings if before < event.time <= position)
        first, end = (bisect_right(self.records, at, key=attrgetter("time")) for at in (before, position))
        for record in self.records[first:end]:
            self.frames.add(record)


def _happenings(seen: Iterable[tuple[float, Event]]) -> Iterator[Happening]:
    """Yield the events of the time line, in the order of time."""
    motors: bool | None = None
    stalls: tuple[str, ...] = ()
    for at, event in seen:
        if isinstance(event, Report):
            if motors is not None and event.motors_enabled != motors:
                yield Happening(at, "motors", f"motors {'on' if event.motors_enabled else 'off'}")
            if new := set(stalled_wheels(event)) - set(stalls):
                yield Happening(at, "stall", f"stalled: {', '.join(sorted(new))} wheel")
            motors, stalls = event.motors_enabled, stalled_wheels(event)
        elif isinstance(event, LinkChanged):
            yield Happening(at, "link", event.note)
        elif isinstance(event, BatteryChanged):
            yield Happening(at, "battery", f"battery {event.level.name.lower()}: {event.volts:.1f} V")
        elif isinstance(event, EmergencyStopChanged):
            yield Happening(at, "emergency", f"emergency stop {'latched' if event.latched else 'cleared'}")
        elif isinstance(event, Notice):
            yield Happening(at, "notice", event.text)
