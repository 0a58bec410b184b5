# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The estimate of the robot's clock from the times at which packets arrive."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise

import numpy as np
import pytest

from amigobot_driver.robot.cycle_filter import CycleFilter

CYCLE = 0.1  #: s

Delay = Callable[[random.Random], float]


def usb(chance: random.Random) -> float:
    """An adapter that hands bytes over each 16 ms."""
    return chance.uniform(0.0, 0.016)


def radio(chance: random.Random) -> float:
    """Mostly prompt, now and then most of a cycle late."""
    return 0.002 + chance.expovariate(1 / 0.004) if chance.random() < 0.9 else chance.uniform(0.01, 0.08)


def busy_computer(chance: random.Random) -> float:
    return chance.expovariate(1 / 0.001) if chance.random() < 0.95 else chance.uniform(0.01, 0.04)


def sent(count: int, cycle: float = CYCLE, start: float = 1e6) -> list[float]:
    return [start + number * cycle for number in range(count)]


def arrivals(times: Sequence[float], delay: Delay, seed: int = 1) -> list[float]:
    """When packets come that are delayed so; they never overtake each other."""
    chance = random.Random(seed)
    return list(accumulate((time + delay(chance) for time in times), lambda last, time: max(last + 1e-4, time)))


def estimates(times: Sequence[float], cycle: float = CYCLE) -> np.ndarray:
    clock = CycleFilter(cycle)
    return np.array([clock.observe(time) for time in times])


def jitter(errors: np.ndarray) -> float:
    """Standard deviation: a constant delay is no jitter."""
    return float(np.std(errors))


@pytest.mark.parametrize("skew", [0.0, 1e-4, -1e-4, 3e-3, -3e-3])
@pytest.mark.parametrize("delay", [usb, radio, busy_computer])
def test_estimates_have_a_fifth_of_the_jitter_of_arrivals(delay: Delay, skew: float) -> None:
    times = sent(3000, CYCLE * (1 + skew))
    came = arrivals(times, delay)
    error, before = (np.array(estimates(came)) - times)[100:], (np.array(came) - times)[100:]
    assert jitter(error) < jitter(before) / 5


@pytest.mark.parametrize("delay", [usb, radio, busy_computer])
def test_an_estimate_is_never_later_than_the_arrival(delay: Delay) -> None:
    came = arrivals(sent(2000), delay)
    assert all(estimate <= arrival for estimate, arrival in zip(estimates(came), came, strict=True))


def test_the_length_of_the_cycle_is_measured() -> None:
    clock = CycleFilter(CYCLE)
    for time in arrivals(sent(2000, CYCLE * 1.002), usb):
        clock.observe(time)
    assert clock.cycle == pytest.approx(CYCLE * 1.002, rel=2e-4)


@pytest.mark.parametrize("pattern", ["every second", "three in ten", "half of them", "two of five", "bursts"])
def test_cycles_whose_packets_were_lost_are_counted(pattern: str) -> None:
    chance = random.Random(3)
    arrives = {
        "every second": lambda number: number % 2 == 0,
        "three in ten": lambda number: chance.random() > 0.3,
        "half of them": lambda number: chance.random() > 0.5,
        "two of five": lambda number: number % 5 < 2,
        "bursts": lambda number: number % 17 > 8,
    }[pattern]
    times = [time for number, time in enumerate(sent(2000)) if arrives(number)]
    assert np.abs(estimates(times) - times).max() < 0.002


@pytest.mark.parametrize("held_up", [0.15, 0.3, 0.77, 1.3])
@pytest.mark.parametrize("apart", [0.0001, 0.041])
def test_packets_that_were_held_up_and_come_in_a_heap_do_not_shift_the_clock(held_up: float, apart: float) -> None:
    """The computer was frozen, or a radio repeated: nothing was lost."""

    def heap() -> Iterator[float]:
        last = 0.0
        for time in sent(200):
            frozen = 1e6 + 5.02 < time < 1e6 + 5.02 + held_up
            last = max(last + apart, 1e6 + 5.02 + held_up if frozen else time)
            yield last

    times, came = sent(200), list(heap())
    error = np.abs(estimates(came) - times)
    late = [index for index, (time, arrival) in enumerate(zip(times, came, strict=True)) if arrival > time + 0.001]
    assert error[: late[0]].max() < 0.001
    assert error[late[-1] + 1 :].max() < 0.003


def test_packets_behind_a_long_answer_are_of_consecutive_cycles() -> None:
    """The line was busy from a little after the 50th packet until that of the 53rd cycle: nothing was lost."""
    clock = CycleFilter(CYCLE)
    times, busy_since = sent(100), 1e6 + 50 * CYCLE + 0.04
    came = [
        max(time, 1e6 + 53.3 * CYCLE + 0.04 * (number - 51)) if 50 < number < 58 else time
        for number, time in enumerate(times)
    ]
    held_up = [arrival > time + 1e-6 for arrival, time in zip(came, times, strict=True)]
    assert sum(held_up) == 4
    stamps = [
        clock.observe(arrival, busy_since if late else arrival) for arrival, late in zip(came, held_up, strict=True)
    ]
    assert stamps == pytest.approx(times, abs=0.001)


def test_another_phase_is_found_at_the_least_late_packet() -> None:
    """Eight late packets may be those of a radio: the estimate must not be worse than the best of them."""
    times = sent(60)
    delays = [0.0] * 30 + [0.04, 0.03, 0.045, 0.02, 0.04, 0.035, 0.042, 0.045] + [0.03] * 22
    stamps = estimates([time + delay for time, delay in zip(times, delays, strict=True)])
    assert np.abs(stamps - times).max() < 0.021


def test_another_phase_of_the_robot_is_found() -> None:
    """It stored its FLASH, for example, and began its cycles anew."""
    for shift in (-0.06, -0.02, 0.02, 0.06, 0.13):
        times = [*sent(100), *sent(100, start=1e6 + 10 + shift)]
        assert np.abs(estimates(times) - times)[120:].max() < 0.002, shift


@pytest.mark.parametrize("cycle", [0.02, 0.05, 0.07, 0.13])
def test_a_robot_with_another_cycle_than_it_reports_is_followed(cycle: float) -> None:
    times = sent(400, cycle)
    came = estimates(times)
    assert np.abs(came - times)[60:].max() < 0.002
    assert all(later - earlier == pytest.approx(cycle, rel=0.02) for earlier, later in pairwise(came[60:]))


@pytest.mark.parametrize("packets", [1, 5, 11, 25, 40])
@pytest.mark.parametrize("held_up", [1.0, 3.086, 6.09])
def test_a_block_that_came_in_a_heap_ends_nothing(packets: int, held_up: float) -> None:
    """The process was frozen when few packets had come: all packets of a block may seem too early."""
    times = sent(packets + 200)
    until = times[packets] + held_up
    came = list(
        accumulate(
            (max(time, until) if time > times[packets] else time for time in times),
            lambda last, time: max(last + 1e-6, time),
        )
    )
    assert np.abs(estimates(came) - times)[-50:].max() < 0.003


@pytest.mark.parametrize("seed", range(5))
def test_freezes_do_not_change_the_length_of_the_cycle(seed: int) -> None:
    """Of some blocks every packet was read late: these say nothing about the robot's clock."""
    chance, times = random.Random(seed), sent(1000)
    came, frozen_until = times[:30], 0.0
    for time in times[30:]:
        if time > frozen_until + 0.2:
            frozen_until = time + chance.choice((0.05, 0.33, 1.07, 1.96, 3.08))
        came.append(max(time, frozen_until, came[-1] + 1e-6))
    clock = CycleFilter(CYCLE)
    for time, arrival in zip(times, came, strict=True):
        estimate = clock.observe(arrival)
        assert clock.cycle == pytest.approx(CYCLE, rel=1e-4)
        assert arrival > time or abs(estimate - time) < 0.001


@pytest.mark.parametrize("cycle", [CYCLE, 0.13])
def test_packets_that_come_at_the_speed_of_a_line_that_is_never_free_do_not_change_the_cycle(cycle: float) -> None:
    """At 9600 baud an answer follows each fifth packet: most intervals are those of the line, not of the robot."""
    clock, times = CycleFilter(CYCLE), sent(600, cycle)
    errors, free = [], 0.0
    for number, time in enumerate(times):
        busy = number > 40
        arrival = max(time, free)
        errors.append(clock.observe(arrival, times[40] if busy else arrival) - time)
        free = arrival + (0.78 + (1.1 if busy and number % 5 == 0 else 0.0)) * cycle
    assert clock.cycle == pytest.approx(cycle, rel=0.01)
    assert np.abs(errors)[100:].max() < 0.3 * cycle


@pytest.mark.parametrize("miscounted", [1, -1])
@pytest.mark.parametrize("before", [40, 60, 75])
def test_one_cycle_too_many_or_too_few_does_not_change_their_length(before: int, miscounted: int) -> None:
    """Of 60 cycles one is less than 2 %: it could be the difference between the clocks."""
    clock = CycleFilter(CYCLE)
    for time in sent(before):
        clock.observe(time)
    clock._count += miscounted
    times = sent(200, start=1e6 + before * CYCLE)
    came = [clock.observe(time) for time in times]
    assert clock.cycle == pytest.approx(CYCLE, rel=1e-4)
    assert np.abs(np.array(came) - times)[30:].max() < 0.001


@pytest.mark.parametrize("seed", range(3))
def test_packets_that_are_repeated_on_the_way_do_not_change_the_length_of_the_cycle(seed: int) -> None:
    """A radio sends some twice, and the next one waits for it: most packets then come at the speed of the line."""
    clock, chance, free, since = CycleFilter(CYCLE), random.Random(seed), 0.0, 0.0
    for time in sent(600):
        for _ in range(chance.choice((1, 1, 2))):
            arrival = max(time, free)
            since = arrival if arrival > free else since
            clock.observe(arrival, since)
            free = arrival + 0.61 * CYCLE
        assert clock.cycle == pytest.approx(CYCLE, rel=0.02)


def test_packets_that_wait_behind_a_long_answer_on_a_full_line_have_the_phase_of_before() -> None:
    """The line carries a cycle's packets in 97 ms: what an answer has held up by 67 ms is late for 20 cycles."""
    cycles = CycleFilter(0.1)
    for number in range(8):
        assert cycles.observe(50.0 + 0.1 * number) == pytest.approx(50.0 + 0.1 * number)
    for number in range(8, 30):
        made, wait = 50.0 + 0.1 * number, 0.067 - 0.003 * (number - 8)
        assert cycles.observe(made + wait, 50.78) == pytest.approx(made, abs=0.001)
