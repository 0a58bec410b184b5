# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What the node logs, and how often."""

from __future__ import annotations

from collections import Counter
from unittest.mock import MagicMock

import pytest

pytest.importorskip("rclpy", reason="rclpy is not installed")


from amigobot_driver.profiles import choose_profile, load_profile
from amigobot_driver.protocol import SyncReply
from amigobot_driver.robot import Event, Identified, LinkChanged, LinkState
from amigobot_driver.ros.log import INTERVAL, MAX_RECOVERIES, EventLog, LogThrottle

IDENTIFIED = Identified(
    SyncReply(name="Rob", robot_class="Pioneer", subclass="amigo"), load_profile("amigo"), "it is", known=True
)


class Log:
    """An EventLog, and its lines: severity and text."""

    def __init__(self) -> None:
        self.now = 0.0
        self.lines: list[tuple[str, str]] = []
        node = MagicMock()
        node.get_logger().info = lambda text: self.lines.append(("INFO", text))
        node.get_logger().warning = lambda text: self.lines.append(("WARN", text))
        self._log = EventLog(node, LogThrottle(lambda: self.now))

    def lines_of(self, *events: Event) -> list[tuple[str, str]]:
        """The lines that these events are worth."""
        self.lines.clear()
        for event in events:
            self._log.on_event(event)
        return self.lines


@pytest.mark.parametrize(("subclass", "severity"), [("amigo", "INFO"), ("p3dx", "WARN")])
def test_a_guessed_profile_is_a_warning(subclass: str, severity: str) -> None:
    profile, reason = choose_profile("Pioneer", subclass)
    identity = SyncReply(name="Rob", robot_class="Pioneer", subclass=subclass)
    [line] = Log().lines_of(Identified(identity, profile, reason, known=severity == "INFO"))
    assert line[0] == severity
    assert line[1].startswith(f"robot Rob, Pioneer/{subclass}: profile {profile.name}, because ")
    assert ("Set the parameter robot" in line[1]) == (severity == "WARN")


def test_an_unsteady_link_does_not_fill_the_log() -> None:
    """The last line shows the present state: a recovery is logged even if the failure before it was not."""
    log = Log()
    lines = []
    for _ in range(40):
        log.now += INTERVAL / 10
        lines += log.lines_of(
            LinkChanged(LinkState.LOST, "no packet"), IDENTIFIED, LinkChanged(LinkState.RUNNING, "connected to Rob")
        )
    found = "robot Rob, Pioneer/amigo: profile amigo, because it is"
    assert Counter(lines) == {
        ("WARN", "no packet"): 4,
        ("INFO", found): 4,
        ("INFO", "connected to Rob"): 4 * MAX_RECOVERIES,
    }


def test_a_lasting_failure_is_logged_once_in_each_interval() -> None:
    """An hour without a robot, two causes taking turns every second."""
    log, logged = Log(), []
    for _ in range(3600):
        causes = (LinkChanged(LinkState.DISCONNECTED, "no such port"), LinkChanged(LinkState.LOST, "no packet"))
        logged += [(log.now, text) for _, text in log.lines_of(*causes)]
        log.now += 1.0
    for cause in ("no such port", "no packet"):
        times = [now for now, text in logged if text == cause]
        assert times == [number * INTERVAL for number in range(60)]
