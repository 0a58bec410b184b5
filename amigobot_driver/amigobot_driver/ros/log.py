"""What the node logs. A repeated text comes ever more rarely: a robot that is switched off must not fill a disk."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from rclpy.node import Node

from ..robot import BatteryChanged, BatteryLevel, Event, Identified, LinkChanged, LinkState, Notice

#: s before the same thing may be said again; doubled each time while its cause goes on, up to the longest.
INTERVAL, LONGEST = 30.0, 3600.0
#: How often within that time it is said that all is well again: a link may come and go every few seconds.
END_SAID = 3


@dataclass(slots=True)
class _Cause:
    """Something that was said, and how long it stays unsaid. Times in s."""

    interval: float = INTERVAL
    said: tuple[float, ...] = ()
    last: float = -math.inf  #: when it was last to be said

    def over(self, now: float) -> bool:
        """Whether it has not come up for so long that the next time is a new one."""
        return now - self.last > 2 * self.interval


class Once:
    """Remembers what was said and when. Any thread may ask."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._causes: dict[str, _Cause] = {}
        self._lock = threading.Lock()

    def due(self, what: str, often: int = 1) -> bool:
        """Whether to say `what` now: a line, or a key for lines that differ only in a value."""
        now = self._clock()
        with self._lock:
            self._causes = {key: cause for key, cause in self._causes.items() if not cause.over(now)}
            cause = self._causes.setdefault(what, _Cause())
            cause.last = now
            recent = tuple(at for at in cause.said if now - at < cause.interval)
            if len(recent) >= often:
                return False
            if often == 1 and cause.said:
                cause.interval = min(2 * cause.interval, LONGEST)
            cause.said = (*recent, now)
            return True

    def restart(self) -> None:
        """The robot is connected again: what goes wrong from now on has a new cause."""
        with self._lock:
            for cause in self._causes.values():
                cause.interval = INTERVAL


class EventLog:
    """Logs the robot's events."""

    def __init__(self, node: Node, once: Once) -> None:
        self._logger = node.get_logger()
        self._once = once

    def hear(self, event: Event) -> None:
        """Write the line an event is worth."""
        if isinstance(event, Identified):
            identity = event.identity
            kind = f"{identity.robot_class}/{identity.subclass}".strip("/")
            robot = ", ".join(filter(None, (identity.name, kind))) or "without a name"
            self._say(f"robot {robot}: profile {event.profile.name}, because {event.reason}", warning=not event.known)
        elif isinstance(event, LinkChanged):
            # The end of a trouble is said even where the trouble itself was said too recently.
            often = END_SAID if event.state is LinkState.RUNNING else 1
            trouble = event.state in (LinkState.DISCONNECTED, LinkState.LOST) and not event.requested
            self._say(event.note, trouble, often)
            if event.state is LinkState.RUNNING:
                self._once.restart()
        elif isinstance(event, BatteryChanged):
            self._say(f"battery {event.level.name.lower()}: {event.volts:.1f} V", event.level is not BatteryLevel.GOOD)
        elif isinstance(event, Notice):
            self._say(event.text, event.trouble)

    def _say(self, text: str, warning: bool, often: int = 1) -> None:
        if not self._once.due(text, often):
            return
        # Two calls, because a ROS logger ties each line of code to one severity.
        if warning:
            self._logger.warning(text)
        else:
            self._logger.info(text)
