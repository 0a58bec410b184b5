# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A confirmed request: sent until a packet shows its effect, given up after a limit, one result for every caller."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from component_bench import ComponentBench

from amigobot_driver.protocol import Command, Instruction, Playlist
from amigobot_driver.robot import Notice
from amigobot_driver.robot.command_queue import ROOM
from amigobot_driver.robot.request import RequestComponent, RetryPolicy

POLICY = RetryPolicy(interval=1.0, limit=3)


class Entry(RequestComponent):
    """A request of PLAYLIST 7 that a packet with the number 7 confirms."""

    name = "entry"
    retries = POLICY
    confirmed_by = (Playlist,)

    def _commands(self) -> list[Instruction]:
        return [Command.PLAYLIST(7)]

    def _confirmation(self, packet: Playlist) -> str:
        return "it is there" if packet.number == 7 else ""

    def _failure(self) -> str:
        return "no entry came"


class RequestBench(ComponentBench):
    """The request of an `Entry`."""

    def __init__(self) -> None:
        super().__init__()
        self.request = Entry(self.context)

    def answer(self, number: int, now: float) -> None:
        self.receive(Playlist(number=number, name="", offset=0, length=0, enabled=1), now)


@pytest.fixture
def bench() -> RequestBench:
    return RequestBench()


def test_a_request_is_sent_at_each_interval_until_confirmed(bench: RequestBench) -> None:
    future = bench.request.request(0.0)
    assert bench.run(0.0) == ["PLAYLIST(7)"]
    assert bench.run(0.9) == []
    assert bench.run(1.0) == ["PLAYLIST(7)"]
    bench.answer(7, 1.5)
    assert (future.result(0).success, future.result(0).message) == (True, "it is there")
    assert bench.run(9.0) == []
    assert bench.request.counters() == {"entry_resent": 1, "entry_given_up": 0}


def test_a_packet_without_the_effect_confirms_nothing(bench: RequestBench) -> None:
    future = bench.request.request(0.0)
    bench.run(0.0)
    bench.answer(6, 0.5)
    assert not future.done()


def test_a_request_is_given_up_with_the_robots_report(bench: RequestBench) -> None:
    future = bench.request.request(0.0)
    assert [bench.run(now) for now in (0.0, 1.0, 2.0)] == [["PLAYLIST(7)"]] * 3
    assert not future.done()
    assert bench.run(POLICY.duration) == []
    assert (future.result(0).success, future.result(0).message) == (False, "no entry came")
    assert bench.request.counters() == {"entry_resent": 2, "entry_given_up": 1}


def test_the_operator_hears_of_a_failure_without_callers(bench: RequestBench) -> None:
    bench.request.start(0.0)
    for now in range(4):
        bench.run(float(now))
    assert bench.events == [Notice("no entry came")]


def test_every_caller_gets_the_result_of_the_newest_start(bench: RequestBench) -> None:
    first = bench.request.request(0.0)
    bench.run(0.0)
    second = bench.request.request(0.5)
    bench.run(0.5)
    bench.answer(7, 0.6)
    assert first.result(0) == second.result(0)


def test_a_replaced_request_fails_with_the_reason(bench: RequestBench) -> None:
    first = bench.request.request(0.0)
    second = bench.request.replace(0.1)
    assert first.result(0).message == "entry: another request replaced this one"
    assert not second.done()


def test_a_request_waits_for_room_without_counting_an_attempt(bench: RequestBench) -> None:
    future = bench.request.request(0.0)
    for _ in range(ROOM):
        bench.queue.put(Command.PULSE())
    bench.sends.run(0.0, bench.queue.has_room)
    bench.sends.run(60.0, bench.queue.has_room)
    assert bench.request.attempts == 0 and not future.done()
    assert bench.run(60.0)[-1] == "PLAYLIST(7)"


class TestAttemptsAfterTheLimit:
    @pytest.fixture(autouse=True)
    def go_on(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Entry, "retries", RetryPolicy(interval=1.0, limit=3, afterwards=10.0))

    @staticmethod
    def sent(bench: RequestBench, start: float, end: float) -> list[float]:
        """The times, in steps of 1 s, at which the command goes out."""
        return [float(now) for now in range(int(start), int(end)) if bench.run(float(now))]

    def test_attempts_go_on_at_the_longer_interval(self, bench: RequestBench) -> None:
        bench.request.start(0.0)
        assert self.sent(bench, 0, 30) == [0, 1, 2, 3, 13, 23]
        assert bench.events == [Notice("no entry came; it is requested every 10 s from now on, see diagnostics")]
        assert bench.request.pending and bench.request.counters()["entry_given_up"] == 1
        bench.answer(7, 30.0)
        assert not bench.request.pending and self.sent(bench, 30, 50) == []

    @pytest.mark.parametrize(
        ("end", "announced"),
        [
            (lambda bench: bench.request.fail("the session has ended"), 1),
            (lambda bench: bench.answer(7, 4.0), 2),
            (lambda bench: bench.request.pause(), 2),
        ],
        ids=["session", "response", "pause"],
    )
    def test_attempts_are_announced_once_until_confirmed_or_withdrawn(
        self, bench: RequestBench, end: Callable[[RequestBench], object], announced: int
    ) -> None:
        bench.request.start(0.0)
        self.sent(bench, 0, 4)
        end(bench)
        bench.request.start(5.0)
        self.sent(bench, 5, 9)
        assert len(bench.events) == announced
