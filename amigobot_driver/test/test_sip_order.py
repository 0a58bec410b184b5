# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The order in which a SIP is used: its odometry first, then every component."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from bench import Bench

from amigobot_driver.driver import Driver
from amigobot_driver.robot import Event, Report
from amigobot_driver.robot.link import RobotLink


@pytest.fixture
def bench() -> Bench:
    bench = Bench(baud=0)
    bench.connect()
    return bench


def sip_of(bench: Bench) -> bytes:
    """The bytes of the next SIP."""
    data = b""
    while not data:
        bench.now += 0.001
        data = bench.simulator.transmit(bench.now)
    return data


def periods(bench: Bench) -> int:
    """Number of SIPs that a component, LinkTiming, has got, up to those that it keeps."""
    return len(bench.robot.link_timing._intervals)


def test_the_report_comes_before_the_components_get_the_sip(bench: Bench) -> None:
    known, link = periods(bench), bench.robot.link
    events = link.receive(sip_of(bench), bench.now, odometry_first=True)
    assert any(isinstance(event, Report) for event in events)
    assert periods(bench) == known
    link.dispatch_pending()
    assert periods(bench) == known + 1
    link.dispatch_pending()
    assert periods(bench) == known + 1


@pytest.mark.parametrize(
    "use",
    [
        lambda link, now: link.poll(now),
        lambda link, now: link.drained(now, now),
        lambda link, now: (link.receive(b"", now + 0.01), link.dispatch_pending()),
        lambda link, now: link.disconnected("unplugged", now),
        lambda link, now: link.close(),
    ],
    ids=["poll", "drained", "receive", "disconnected", "close"],
)
def test_no_call_finds_a_sip_that_the_components_have_not_got(
    bench: Bench, use: Callable[[RobotLink, float], object]
) -> None:
    known = periods(bench)
    bench.robot.link.receive(sip_of(bench), bench.now, odometry_first=True)
    use(bench.robot.link, bench.now)
    assert periods(bench) == known + 1


def test_of_two_sips_in_one_read_only_the_last_one_waits(bench: Bench) -> None:
    known = periods(bench)
    data = sip_of(bench)
    bench.robot.link.receive(data + sip_of(bench), bench.now, odometry_first=True)
    assert periods(bench) == known + 1


def test_a_request_finds_every_component_up_to_date(bench: Bench) -> None:
    known, seen = periods(bench), list[Event]()
    driver = Driver(bench.robot, "none", seen.append, clock=lambda: bench.now)
    bench.robot.link.receive(sip_of(bench), bench.now, odometry_first=True)
    with driver.robot() as robot:
        assert len(robot.link_timing._intervals) == known + 1
