# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Logs the events of the robot. A repeated line is logged once a minute, so that it cannot fill a disk."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from rclpy.node import Node

from ..robot import BatteryChanged, BatteryLevel, Event, Identified, LinkChanged, LinkState, Notice
from ..wording import given_name

INTERVAL = 60.0  #: s before the same line is logged again
MAX_RECOVERIES = 3  #: that are logged within INTERVAL: a link may fail and recover every few seconds


class LogThrottle:
    """Decides whether a line is logged now. Safe to use from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._logged: dict[str, list[float]] = {}  #: s, when each line was logged within INTERVAL
        self._lock = threading.Lock()

    def due(self, key: str, limit: int = 1) -> bool:
        """Return whether to log now, and count it as logged if so.

        Args:
            key: The line, or a key for lines that differ only in a value.
            limit: How many times the line may be logged within INTERVAL.
        """
        now = self._clock()
        with self._lock:
            self._logged = {line: times for line, times in self._logged.items() if now - times[-1] < INTERVAL}
            recent = [time for time in self._logged.get(key, ()) if now - time < INTERVAL]
            if len(recent) >= limit:
                return False
            self._logged[key] = [*recent, now]
            return True


class EventLog:
    """Logs the events of the robot."""

    def __init__(self, node: Node, throttle: LogThrottle) -> None:
        self.handlers = dict.fromkeys((Identified, LinkChanged, BatteryChanged, Notice), self.on_event)
        self._logger = node.get_logger()
        self._throttle = throttle

    def on_event(self, event: Event) -> None:
        """Log the line that belongs to an event, if there is one."""
        if isinstance(event, Identified):
            identity = event.identity
            kind = f"{identity.robot_class}/{identity.subclass}".strip("/")
            robot = ", ".join(filter(None, (given_name(identity.name), kind))) or "without a name"
            remedy = "" if event.known else ". Set the parameter robot to the right one"
            text = f"robot {robot}: profile {event.profile.name}, because {event.reason}{remedy}"
            self._log(text, warning=not event.known)
        elif isinstance(event, LinkChanged):
            # A recovery is logged even if the failure before it was throttled.
            limit = MAX_RECOVERIES if event.state is LinkState.RUNNING else 1
            trouble = event.state in (LinkState.DISCONNECTED, LinkState.LOST) and not event.requested
            self._log(event.note, trouble, limit, error=event.refused)
        elif isinstance(event, BatteryChanged):
            self._log(f"battery {event.level.name.lower()}: {event.volts:.1f} V", event.level is not BatteryLevel.GOOD)
        elif isinstance(event, Notice):
            self._log(event.text, event.trouble)

    def _log(self, text: str, warning: bool, limit: int = 1, *, error: bool = False) -> None:
        if not self._throttle.due(text, limit):
            return
        # Three calls: a ROS logger allows one severity for each line of code.
        if error:
            self._logger.error(text)
        elif warning:
            self._logger.warning(text)
        else:
            self._logger.info(text)
