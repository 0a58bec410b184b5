# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A session with the robot in which the motors stay off and no velocity is sent, and what it shows in some seconds.

The driver begins each session with STOP and zero velocities, and ends it with STOP, ENABLE(0), SONAR(0) and CLOSE.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..driver import Driver
from ..protocol import Gyro, Reset
from ..robot import (
    Event,
    FrameSeen,
    LinkChanged,
    LinkState,
    Options,
    Received,
    Report,
    Robot,
    RobotSnapshot,
    take_snapshot,
)
from ..transport import Port, open_port

#: Events that are kept: 10 s of the fastest robot with every stream, both ways.
KEPT = 20_000
_POLL_PERIOD = 0.05  #: s
#: States in which a session has ended.
_ENDED = LinkState.LOST, LinkState.DISCONNECTED


@dataclass(frozen=True, slots=True)
class Observation:
    """What a session showed in some seconds."""

    seconds: float
    reports: tuple[Report, ...]
    gyro: tuple[Gyro, ...]
    losses: tuple[str, ...]  #: why the session ended, each time
    resets: int
    before: RobotSnapshot
    after: RobotSnapshot


def observation(events: Sequence[Event], seconds: float, before: RobotSnapshot, after: RobotSnapshot) -> Observation:
    """Return what some events show.

    Args:
        events: In the order they came.
        seconds: Time in which they came (s).
        before: The state of the robot at the beginning.
        after: The state at the end.
    """
    packets = [event.packet for event in events if isinstance(event, Received)]
    return Observation(
        seconds=seconds,
        reports=tuple(event for event in events if isinstance(event, Report)),
        gyro=tuple(packet for packet in packets if isinstance(packet, Gyro)),
        losses=tuple(event.note for event in events if isinstance(event, LinkChanged) and event.state in _ENDED),
        resets=sum(isinstance(packet, Reset) for packet in packets),
        before=before,
        after=after,
    )


class ObservedSession(Protocol):
    """An open session, as the checks see it."""

    frames: deque[FrameSeen]  #: on the line, if they are kept

    @property
    def snapshot(self) -> RobotSnapshot:
        """The state of the robot now."""
        ...

    def observe(self, seconds: float, on_progress: Callable[[float], None]) -> Observation:
        """Collect what comes in some seconds; `on_progress` gets the remaining time in s."""
        ...

    def close(self) -> None:
        """Give the session back."""
        ...


class DriverConnection:
    """A driver on a port that is open already. Ends with `close`."""

    def __init__(self, url: str, port: Port, *, baud: int, profile: str, trace: bool, latest: float = math.inf) -> None:
        """Begin to connect.

        Args:
            url: How the port is opened again if it is lost.
            port: The open port; the connection closes it.
            baud: Line speed at which the robot answers; 0: unknown.
            profile: Name or file of a profile; "": by the identity of the robot.
            trace: Keep every frame in `frames`.
            latest: Monotonic time in s at which an observation ends early.

        Raises:
            ProfileError: There is no such profile.
        """
        self._first: Port | None = port
        self._events: deque[Event] = deque(maxlen=KEPT)
        self.frames: deque[FrameSeen] = deque(maxlen=KEPT)
        self._ended, self._latest = threading.Event(), latest
        options = Options(profile=profile, baud=baud, motors_on_connect=False, trace=trace)
        self._driver = Driver(Robot(options), url, self._take, opener=self._open)
        self.began = time.monotonic()
        self._driver.start()

    def wait(self, seconds: float) -> bool:
        """Wait for a session with its first packet and the configuration; whether the session is open."""
        self._until(lambda: _is_complete(self.snapshot) or self.refused, seconds)
        return self.snapshot.link.running and self.snapshot.report is not None

    @property
    def snapshot(self) -> RobotSnapshot:
        """The state of the robot now."""
        with self._driver.robot() as robot:
            return take_snapshot(robot)

    @property
    def refused(self) -> bool:
        """Whether the robot has answered the handshake and opened no session."""
        notes = (event.note for event in list(self._events) if isinstance(event, LinkChanged))
        return any("opens no session" in note for note in notes)

    @property
    def opened(self) -> bool:
        """Whether a session has been opened at least once."""
        return self.snapshot.link.connections > 0

    def observe(self, seconds: float, on_progress: Callable[[float], None]) -> Observation:
        """Collect what comes until some seconds after the connection began, or until the latest time.

        Args:
            seconds: Time in s since the connection began; it lasts at least half of that.
            on_progress: Called about once a second with the remaining time in s.
        """
        before, began = self.snapshot, time.monotonic()
        end = max(min(self.began + seconds, self._latest), began + seconds / 2)
        while (remaining := end - time.monotonic()) > 0:
            on_progress(remaining)
            self._ended.wait(min(1.0, remaining))
        return observation(list(self._events), time.monotonic() - began, before, self.snapshot)

    def close(self) -> None:
        """Close the session and the port."""
        self._driver.close()

    # -- inside -------------------------------------------------------------------------------------------------------

    def _open(self, url: str, baud: int) -> Port:
        port, self._first = self._first, None
        return port or open_port(url, baud)

    def _take(self, event: Event) -> None:
        if isinstance(event, FrameSeen):
            self.frames.append(event)
        else:
            self._events.append(event)

    def _until(self, condition: Callable[[], bool], seconds: float) -> None:
        end = time.monotonic() + seconds
        while not condition() and time.monotonic() < end:
            time.sleep(_POLL_PERIOD)


def _is_complete(snapshot: RobotSnapshot) -> bool:
    return snapshot.link.running and snapshot.report is not None and snapshot.config is not None
