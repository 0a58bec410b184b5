# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What /diagnostics says of a robot in trouble, and that each trouble comes with its remedy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from unittest.mock import MagicMock

import pytest

pytest.importorskip("rclpy", reason="rclpy is not installed")

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from ros_bench import Bench

from amigobot_driver.driver import Driver
from amigobot_driver.findings import OK, Finding
from amigobot_driver.robot import Options, RobotSnapshot, take_snapshot
from amigobot_driver.robot import Robot as CoreRobot
from amigobot_driver.ros.diagnostics import Diagnostics
from amigobot_driver.ros.node import AmigobotNode

FAULTS = "mute_sonars=2;stuck_sonars=5;jam=0:100000"


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with Bench(port=f"sim://amigo?world=room&charge=0.05&faults={FAULTS}", sonar_sequence="0 1 2 3 4 5 6 7") as bench:
        yield bench.connected()


@pytest.mark.parametrize(
    ("part", "level", "said"),
    [
        ("sonar", DiagnosticStatus.WARN, ("sonar 2 has given no reading", "check its cable")),
        ("battery", DiagnosticStatus.WARN, ("low: 10.", "Bring the robot to its charger")),
        ("motors", DiagnosticStatus.ERROR, ("both wheels stalled for ", "free the robot")),
    ],
)
def test_a_fault_has_its_level_and_remedy(bench: Bench, part: str, level: bytes, said: tuple[str, ...]) -> None:
    with bench.driving(0.2):
        bench.wait_until(lambda: bench.diagnostic(part).level == level)
        message = bench.diagnostic(part).message
    assert all(words in message for words in said), message


def test_every_sonar_has_a_diagnostics_value(bench: Bench) -> None:
    bench.wait_until(lambda: len(bench.values("sonar")) == 9)
    assert bench.values("sonar")["sonar_0"].startswith("ok, range ")
    assert bench.values("sonar")["sonar_2"].startswith("silent, range none yet")


def test_sent_and_resent_commands_are_counted(bench: Bench) -> None:
    values = bench.values("commands", fresh=True)
    assert int(values["sent"]) > 10
    assert {"motors_resent", "sonar_resent", "tuning_resent", "streams_resent", "dropped", "raw_refused"} <= set(values)
    # A median; it is 0 where most of the packets came together, as they may on a busy machine.
    bench.wait_until(lambda: float(bench.values("link")["packet_period"]) == pytest.approx(0.1, abs=0.05))


def test_a_late_reader_of_diagnostics_sees_the_errors_of_the_last_minute() -> None:
    """Without a reader few snapshots are made; the counters of the last minute are still compared."""
    robot = CoreRobot(Options())
    taken, published = [], []

    def snapshot() -> RobotSnapshot:
        taken.append(take_snapshot(robot))
        return taken[-1]

    ros = MagicMock()
    ros.get_fully_qualified_name.return_value = "/amigobot"
    ros.get_clock().now().to_msg.return_value = Time()
    publisher = ros.create_publisher()
    publisher.get_subscription_count.return_value = 0
    publisher.publish = published.append
    diagnostics = Diagnostics(ros, "sim://")
    for second in range(62):
        robot.link_timing.gaps += second >= 40
        diagnostics.publish(snapshot)
    assert len(taken) <= 13
    publisher.get_subscription_count.return_value = 1
    diagnostics.publish(snapshot)
    diagnostics.publish(snapshot)
    assert len(published) == 2
    assert diagnostics._history.now is taken[-1]
    assert diagnostics._history.increase(lambda then: then.link.gaps, 60) == 22
    assert diagnostics._history.increase(lambda then: then.link.gaps, 1) == 0


def test_diagnostics_neither_query_the_graph_nor_publish_with_the_robot_locked() -> None:
    """The reader thread would wait, and every packet of that time come late."""
    robot = CoreRobot(Options())
    driver = Driver(robot, "sim://", lambda event: None)
    locked: list[tuple[str, bool]] = []

    def note(what: str) -> None:
        locked.append((what, driver._changed._is_owned()))

    def found() -> Finding:
        note("graph")
        return OK, "", {}

    ros = MagicMock()
    ros.get_fully_qualified_name.return_value = "/amigobot"
    ros.get_clock().now().to_msg.return_value = Time()
    ros.create_publisher().publish = lambda message: note("publish")
    diagnostics = Diagnostics(ros, "sim://")
    diagnostics.add("graph", found)
    node = MagicMock(driver=driver, _diagnostics=diagnostics, _recording=None, _graph_due=2)
    node.velocity.failed.is_set.return_value = False
    node._snapshot = partial(AmigobotNode._snapshot, node)
    AmigobotNode._each_second(node, 1)
    assert locked == [("graph", False), ("publish", False)]
