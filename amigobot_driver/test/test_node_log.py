"""What the node logs, and how often."""

from __future__ import annotations

from itertools import pairwise
from unittest.mock import MagicMock

import pytest

pytest.importorskip("rclpy", reason="rclpy is not installed")

from amigobot_driver.profiles import choose_profile, load_profile
from amigobot_driver.protocol import SyncReply
from amigobot_driver.robot import Event, Identified, LinkChanged, LinkState
from amigobot_driver.ros.log import END_SAID, INTERVAL, EventLog, Once

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
        self._log = EventLog(node, Once(lambda: self.now))

    def hear(self, *events: Event) -> list[tuple[str, str]]:
        """The lines that these events are worth."""
        self.lines.clear()
        for event in events:
            self._log.hear(event)
        return self.lines


@pytest.mark.parametrize(("subclass", "severity"), [("amigo", "INFO"), ("p3dx", "WARN")])
def test_a_guessed_profile_is_a_warning(subclass: str, severity: str) -> None:
    profile, reason = choose_profile("Pioneer", subclass)
    identity = SyncReply(name="Rob", robot_class="Pioneer", subclass=subclass)
    [line] = Log().hear(Identified(identity, profile, reason, known=severity == "INFO"))
    assert line[0] == severity
    assert line[1].startswith(f"robot Rob, Pioneer/{subclass}: profile {profile.name}, because ")


def test_a_robot_that_says_nothing_of_itself_is_not_given_a_name() -> None:
    profile, reason = choose_profile("", "", "erratic")
    [line] = Log().hear(Identified(SyncReply(name="", robot_class="", subclass=""), profile, reason, known=False))
    assert line[1].startswith("robot without a name: profile erratic, because the robot does not say what it is, ")


def test_trouble_is_said_rarely_and_its_end_more_often() -> None:
    """Whoever reads the last line knows how things are, also after the second loss in a short time."""
    log = Log()
    lost = LinkChanged(LinkState.DISCONNECTED, "no such port")
    found = LinkChanged(LinkState.RUNNING, "connected to Rob")
    assert log.hear(lost, lost, found) == [("WARN", "no such port"), ("INFO", "connected to Rob")]
    log.now += INTERVAL / 2
    assert log.hear(lost, found) == [("INFO", "connected to Rob")]
    log.now += INTERVAL
    assert log.hear(lost, lost) == [("WARN", "no such port")]


def test_a_link_that_comes_and_goes_does_not_fill_the_log() -> None:
    log = Log()
    lines = []
    for _ in range(40):
        log.now += INTERVAL / 10
        lines += log.hear(
            LinkChanged(LinkState.LOST, "no packet"),
            IDENTIFIED,
            LinkChanged(LinkState.RUNNING, "connected to Rob"),
        )
    texts = [text for _, text in lines]
    assert texts.count("no packet") == texts.count("robot Rob, Pioneer/amigo: profile amigo, because it is") == 4
    assert texts.count("connected to Rob") == 4 * END_SAID


def test_each_cause_is_said_once_then_at_most_every_half_minute() -> None:
    """An hour without a robot, two causes taking turns every second."""
    log, said = Log(), []
    for _ in range(3600):
        causes = (LinkChanged(LinkState.DISCONNECTED, "no such port"), LinkChanged(LinkState.LOST, "no packet"))
        said += [(log.now, text) for _, text in log.hear(*causes)]
        log.now += 1.0
    assert INTERVAL >= 30.0
    for cause in ("no such port", "no packet"):
        times = [now for now, text in said if text == cause]
        assert times[0] == 0.0 and len(times) == 3600 / INTERVAL
        assert min(b - a for a, b in pairwise(times)) >= INTERVAL
