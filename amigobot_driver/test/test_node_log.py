# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What the node logs, and how often."""

from __future__ import annotations

import math
import os
from collections import Counter
from unittest.mock import MagicMock

import pytest

pytest.importorskip("rclpy", reason="rclpy is not installed")

from bench import Bench, losing

from amigobot_driver.profiles import choose_profile, load_profile
from amigobot_driver.protocol import Command, SyncReply
from amigobot_driver.robot import Event, Identified, LinkChanged, LinkState, Notice, Options
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


def test_a_robot_without_an_identity_is_logged_without_a_name() -> None:
    profile, reason = choose_profile("", "", "erratic")
    [line] = Log().lines_of(Identified(SyncReply(name="", robot_class="", subclass=""), profile, reason, known=False))
    assert line[1].startswith("robot without a name: profile erratic, because the robot does not report its model; ")


def test_failures_are_logged_rarely_and_recoveries_more_often() -> None:
    """The last line shows the present state, also after the second loss in a short time."""
    log = Log()
    lost = LinkChanged(LinkState.DISCONNECTED, "no such port")
    found = LinkChanged(LinkState.RUNNING, "connected to Rob")
    assert log.lines_of(lost, lost, found) == [("WARN", "no such port"), ("INFO", "connected to Rob")]
    log.now += INTERVAL / 2
    assert log.lines_of(lost, found) == [("INFO", "connected to Rob")]
    log.now += INTERVAL
    assert log.lines_of(lost, lost) == [("WARN", "no such port")]


def test_a_link_that_comes_and_goes_does_not_fill_the_log() -> None:
    log = Log()
    lines = []
    for _ in range(40):
        log.now += INTERVAL / 10
        lines += log.lines_of(
            LinkChanged(LinkState.LOST, "no packet"),
            IDENTIFIED,
            LinkChanged(LinkState.RUNNING, "connected to Rob"),
        )
    texts = [text for _, text in lines]
    assert texts.count("no packet") == texts.count("robot Rob, Pioneer/amigo: profile amigo, because it is") == 4
    assert texts.count("connected to Rob") == 4 * MAX_RECOVERIES


def test_a_lasting_failure_is_logged_once_then_less_and_less_often() -> None:
    """An hour without a robot, two causes taking turns every second."""
    log, said = Log(), []
    for _ in range(3600):
        causes = (LinkChanged(LinkState.DISCONNECTED, "no such port"), LinkChanged(LinkState.LOST, "no packet"))
        said += [(log.now, text) for _, text in log.lines_of(*causes)]
        log.now += 1.0
    for cause in ("no such port", "no packet"):
        times = [now for now, text in said if text == cause]
        assert times == [0.0, 30.0, 90.0, 210.0, 450.0, 930.0, 1890.0]


def test_a_failure_that_returns_after_a_pause_is_logged_at_once() -> None:
    log, notice = Log(), Notice("no velocity for 0.5 s")
    for _ in range(5):
        for number in range(10):
            assert bool(log.lines_of(notice)) is (number == 0)
            log.now += 1.0
        log.now += 3 * INTERVAL


#: Commands that never reach the robot, by what the user wants of it.
UNANSWERED = {
    "streams of an AmigoBot": (
        "amigo-sh",
        Options(io_stream=True, encoder_stream=True),
        (Command.IOREQUEST, Command.ENCODER, Command.GYRO),
    ),
    "streams of a Pioneer": (
        "p3dx",
        Options(compass="packets", joystick_stream=True),
        (Command.TCM2, Command.JOYREQUEST, Command.GRIPREQUEST),
    ),
    "compass in the SIP": ("p3dx", Options(compass="sip"), (Command.TCM2,)),
    "settings": (
        "amigo",
        Options(sonar_sequence=(1, 2), max_linear=0.3),
        (Command.ENABLE, Command.SONAR, Command.POLLING, Command.CONFIG),
    ),
    "tuning values": ("amigo", Options(tuning={"rev_count": 20000}), (Command.REVCOUNT,)),
    "session": ("amigo", Options(), ()),
    "anything": ("amigo", Options(), tuple(Command)),
}


@pytest.mark.parametrize("case", UNANSWERED)
def test_each_failure_of_a_robot_that_never_answers_is_logged_a_few_times(case: str) -> None:
    """Five minutes; AMIGOBOT_LOG_MINUTES=60 makes it an hour."""
    robot, options, commands = UNANSWERED[case]
    bench = Bench(options, robot, baud=0)
    log, lines, read = Log(), Counter[str](), 0
    bench.up.fault = losing(*commands)
    if not commands:
        # It answers the handshake, and opens no session: no SIP comes.
        bench.down.fault = losing(0x32, 0x33)
    bench.plug_in()
    minutes = int(os.environ.get("AMIGOBOT_LOG_MINUTES", "5"))
    for _ in range(minutes):
        for _ in range(6):
            bench.run(10)
            if bench.robot.running:
                # A joystick that is touched now and then.
                bench.drive(0.1, 0.0)
        for now, event in bench.events[read:]:
            log.now = now
            lines.update(text for _, text in log.lines_of(event))
        read = len(bench.events)
    assert lines
    most = 1 + math.ceil(math.log2(1 + 60 * minutes / INTERVAL))
    frequent = {text: count for text, count in lines.items() if count > most}
    assert not frequent
    silent = [text for text in lines if "arrived" in text and text.startswith("sent")]
    assert all(lines[text] == 1 for text in silent)
