# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Faults: how they are written, what each does, and that a seed makes them repeatable."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sim_client import Client

from amigobot_driver.protocol import Command
from amigobot_driver.sim import Faults, OptionError, Window, build_simulator, parse_faults


class TestWriting:
    def test_every_kind_of_fault_is_parsed(self) -> None:
        texts = ["corrupt=0.001", "silence=10:2", "unplug=5:1:60", "reset=30", "dead_sonars=2,5", "stop_button=1"]
        assert parse_faults(texts) == Faults(
            corrupt=0.001,
            silence=Window(10, 2),
            unplug=Window(5, 1, every=60),
            reset=Window(30),
            dead_sonars=frozenset({2, 5}),
            stop_button=True,
        )
        assert parse_faults([]) == Faults()

    @pytest.mark.parametrize(
        "text",
        [
            *("corupt=1", "corrupt", "corrupt=-1", "corrupt=nan", "corrupt=2", "__doc__=1", ""),
            *("silence=1:2:3:4", "unplug=1:5:2", "dead_sonars=x", "dead_sonars=32", "no_floor=-1"),
        ],
    )
    def test_a_bad_fault_is_named(self, text: str) -> None:
        with pytest.raises(OptionError, match="fault") as caught:
            parse_faults([text])
        assert "\n" not in str(caught.value)

    def test_a_sonar_that_the_robot_does_not_have_is_refused(self) -> None:
        with pytest.raises(OptionError, match="sonar of a fault is 8, allowed: below 8"):
            build_simulator({"faults": "dead_sonars=0,8"})

    @given(st.floats(0, 500), st.floats(0, 400))
    def test_a_window_covers_its_time(self, start: float, duration: float) -> None:
        once = Window(start, duration)
        assert not once.covers(start - 0.1)
        assert once.covers(start) is (duration > 0)
        assert not once.covers(start + duration + 0.01)
        assert once.begins(start - 1, start) and not once.begins(start, start + 1)
        often = Window(start, duration, every=1000)
        assert often.covers(start + 3000) is (duration > 0)
        assert often.begins(start + 999.5, start + 1000.5) and not often.begins(start + 1, start + 999)


@pytest.mark.parametrize("faults", [Faults(), Faults(lose_packets=0.3), Faults(delay=0.08)])
def test_next_event_misses_nothing(faults: Faults) -> None:
    """A reader that wakes at each next event gets the same bytes at the same times as one that looks all the time."""

    def arrivals(patient: bool) -> list[tuple[float, bytes]]:
        client = Client("amigo-sh", "room", baud=9600).open()
        client.sim.faults = faults
        client.sim.receive(Command.IOREQUEST(2).encode(), client.now)
        client.sim.receive(Command.TTY2(b"abc").encode(), client.now)
        client.sim.receive(Command.GETAUX(3).encode(), client.now)
        end, now, chance = client.now + 3.0, client.now, random.Random(1)
        received = []
        while now < end:
            now = client.sim.next_event(now) if patient else now + chance.uniform(0, 0.0005)
            data = client.sim.transmit(now)
            if data and now < end:
                received.append((now, data))
        return received

    patient, eager = arrivals(True), arrivals(False)
    assert b"".join(data for _, data in patient) == b"".join(data for _, data in eager)
    for (early, first), (late, second) in zip(patient, eager, strict=True):
        assert first == second and 0 <= late - early < 0.001
