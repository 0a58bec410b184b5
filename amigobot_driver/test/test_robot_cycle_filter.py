# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The estimate of the robot's clock from the times at which packets arrive."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

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


@pytest.mark.parametrize("pattern", ["every second", "three in ten", "bursts"])
def test_cycles_whose_packets_were_lost_are_counted(pattern: str) -> None:
    chance = random.Random(3)
    arrives = {
        "every second": lambda number: number % 2 == 0,
        "three in ten": lambda number: chance.random() > 0.3,
        "bursts": lambda number: number % 17 > 8,
    }[pattern]
    times = [time for number, time in enumerate(sent(2000)) if arrives(number)]
    assert np.abs(estimates(times) - times).max() < 0.002


@pytest.mark.parametrize("held_up", [0.15, 0.3, 0.77, 1.3])
@pytest.mark.parametrize("apart", [0.0001, 0.041])
def test_packets_in_a_burst_do_not_shift_the_clock(held_up: float, apart: float) -> None:
    """The computer was frozen, or a radio repeated: nothing was lost."""

    def burst() -> Iterator[float]:
        last = 0.0
        for time in sent(200):
            frozen = 1e6 + 5.02 < time < 1e6 + 5.02 + held_up
            last = max(last + apart, 1e6 + 5.02 + held_up if frozen else time)
            yield last

    times, came = sent(200), list(burst())
    error = np.abs(estimates(came) - times)
    late = [index for index, (time, arrival) in enumerate(zip(times, came, strict=True)) if arrival > time + 0.001]
    assert error[: late[0]].max() < 0.001
    assert error[late[-1] + 10 :].max() < 0.003


def test_another_phase_of_the_robot_is_found() -> None:
    """It stored its FLASH, for example, and began its cycles anew."""
    for shift in (-0.06, 0.02, 0.13):
        times = [*sent(100), *sent(100, start=1e6 + 10 + shift)]
        assert np.abs(estimates(times) - times)[180:].max() < 0.002, shift


def test_freezes_do_not_change_the_length_of_the_cycle() -> None:
    """Of some blocks every packet was read late: these say nothing about the robot's clock."""
    times = sent(1000)
    came, frozen_until = times[:30], 0.0
    for time in times[30:]:
        if time > frozen_until + 10.0:
            frozen_until = time + 1.96
        came.append(max(time, frozen_until, came[-1] + 1e-6))
    clock = CycleFilter(CYCLE)
    for time, arrival in zip(times, came, strict=True):
        estimate = clock.observe(arrival)
        assert clock.cycle == pytest.approx(CYCLE, rel=2e-4)
        assert arrival > time or abs(estimate - time) < 0.001
