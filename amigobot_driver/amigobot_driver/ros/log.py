"""What the node logs. Each thing is said once, then rarely: a robot that is switched off must not fill a disk."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from rclpy.node import Node

from ..robot import BatteryChanged, BatteryLevel, Event, Identified, LinkChanged, LinkState, Notice

#: s before the same thing may be said again.
INTERVAL = 30.0
#: How often within that time it is said that all is well again: a link may come and go every few seconds.
END_SAID = 3


class Once:
    """Remembers what was said and when. Any thread may ask."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._said: dict[str, tuple[float, ...]] = {}
        self._lock = threading.Lock()

    def due(self, what: str, often: int = 1) -> bool:
        """Whether to say `what` now: a line, or a key for lines that differ only in a value."""
        now = self._clock()
        with self._lock:
            recent = {key: tuple(at for at in times if now - at < INTERVAL) for key, times in self._said.items()}
            self._said = {key: times for key, times in recent.items() if times}
            if len(self._said.get(what, ())) >= often:
                return False
            self._said[what] = (*self._said.get(what, ()), now)
            return True


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
            self._say(event.note, event.state in (LinkState.DISCONNECTED, LinkState.LOST), often)
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
