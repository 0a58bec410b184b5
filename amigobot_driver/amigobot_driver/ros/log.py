"""What the node logs. Each thing is said once, then rarely: a robot that is switched off must not fill a disk."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from rclpy.node import Node

from ..robot import BatteryChanged, BatteryLevel, Event, Identified, LinkChanged, LinkState, Notice

#: s before the same thing may be said again.
INTERVAL = 30.0


class Once:
    """Remembers what was said and when. Any thread may ask."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._said: dict[str, float] = {}
        self._lock = threading.Lock()

    def due(self, what: str) -> bool:
        """Whether to say `what` now: a line, or a key for lines that differ only in a value."""
        now = self._clock()
        with self._lock:
            if now - self._said.get(what, -math.inf) < INTERVAL:
                return False
            self._said = {key: said for key, said in self._said.items() if now - said < INTERVAL}
            self._said[what] = now
            return True


class EventLog:
    """Logs the robot's events."""

    def __init__(self, node: Node, once: Once) -> None:
        self._logger = node.get_logger()
        self._once = once

    def hear(self, event: Event) -> None:
        """Write the line an event is worth."""
        if isinstance(event, Identified):
            self._write(
                f"robot {event.identity.name}, {event.identity.robot_class}/{event.identity.subclass}: "
                f"profile {event.profile.name}, because {event.reason}",
                warning=not event.known,
            )
        elif isinstance(event, LinkChanged):
            if event.state is LinkState.RUNNING:
                self._write(event.note, warning=False)  # the end of every trouble, however soon after the last one
            else:
                self._say(event.note, event.state in (LinkState.DISCONNECTED, LinkState.LOST))
        elif isinstance(event, BatteryChanged):
            self._say(f"battery {event.level.name.lower()}: {event.volts:.1f} V", event.level is not BatteryLevel.GOOD)
        elif isinstance(event, Notice):
            self._say(event.text, event.trouble)

    def _say(self, text: str, warning: bool) -> None:
        if self._once.due(text):
            self._write(text, warning)

    def _write(self, text: str, warning: bool) -> None:
        # Two calls, because a ROS logger ties each line of code to one severity.
        if warning:
            self._logger.warning(text)
        else:
            self._logger.info(text)
