# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The scheduler: every timer runs once, at its time, in order, however it was moved before."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from amigobot_driver.robot.scheduler import Scheduler, Timer


def test_a_callback_always_due_runs_once_in_each_call() -> None:
    scheduler, calls = Scheduler(), []

    def again(now: float) -> None:
        calls.append(now)
        timer.set(now)

    timer = scheduler.timer(again)
    timer.set(1.0)
    scheduler.run(5.0)
    scheduler.run(5.0)
    assert calls == [5.0, 5.0]


def test_what_has_no_room_stays_due() -> None:
    scheduler, order, room = Scheduler(), [], [2]

    def take(name: str) -> None:
        order.append(name)
        room[0] -= 1

    for name in "abc":
        scheduler.timer(lambda now, name=name: take(name)).set(1.0)
    scheduler.run(1.0, lambda: room[0] > 0)
    assert order == ["a", "b"]
    assert scheduler.next_time() == 1.0
    room[0] = 1
    scheduler.run(1.0, lambda: room[0] > 0)
    assert order == ["a", "b", "c"]


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from(["set", "cancel", "run"]), st.integers(0, 20).map(lambda n: n / 2))
    )
)
def test_any_order_of_calls_agrees_with_a_table(steps: list[tuple[int, str, float]]) -> None:
    scheduler, ran, now = Scheduler(), set[int](), 0.0
    timers: list[Timer] = [scheduler.timer(lambda _, number=number: ran.add(number)) for number in range(4)]
    table: dict[int, float] = {}
    for number, step, time in steps:
        if step == "set":
            timers[number].set(time)
            table[number] = time
        elif step == "cancel":
            timers[number].cancel()
            table.pop(number, None)
        else:
            now = max(now, time)
            ran.clear()
            scheduler.run(now)
            due = {other for other, when in table.items() if when <= now}
            assert ran == due
            for other in due:
                del table[other]
        assert scheduler.next_time() == min(table.values(), default=math.inf)
