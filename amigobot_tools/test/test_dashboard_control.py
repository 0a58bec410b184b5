# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Who holds control of the dashboard, and what stops the robot."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from fakes import FREE, FakeRemote

from amigobot_tools.dashboard.control import ANSWER, Control
from amigobot_tools.dashboard.pilot import SILENCE, Pilot

PATIENCE = 30.0


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "never"
        time.sleep(0.005)


class TestControl:
    def test_the_first_browser_gets_it_and_the_second_asks(self) -> None:
        control = Control()
        assert control.take(1, 0.0) and not control.take(2, 0.0)
        assert (control.holder, control.asking) == (1, 2)
        control.hand_over(1)
        assert (control.holder, control.asking) == (2, None)

    def test_a_holder_that_neither_drives_nor_answers_loses_it(self) -> None:
        control = Control()
        control.take(1, 0.0)
        control.take(2, 10.0)
        assert not control.grant_overdue(10.0 + ANSWER - 0.1, driving=False)
        assert not control.grant_overdue(10.0 + ANSWER, driving=True)
        assert control.grant_overdue(10.0 + ANSWER, driving=False)
        assert control.holder == 2

    def test_a_holder_that_leaves_passes_it_to_the_browser_that_asks(self) -> None:
        control = Control()
        control.take(1, 0.0)
        control.take(2, 0.0)
        assert control.leave(1) and control.holder == 2
        assert control.leave(2) and control.holder is None
        assert not control.leave(2)


class Clock:
    """The pilot's clock, which the test moves: how late a thread runs on a busy machine makes no difference."""

    def __init__(self) -> None:
        self.now = 0.0
        self.runs = False
        self._readings = 0

    def __call__(self) -> float:
        self._readings += 1
        return self.now + (time.monotonic() if self.runs else 0.0)

    def advance(self, seconds: float) -> None:
        """Let time pass, and the pilot do what it does at the new time."""
        self.now += seconds
        # The pilot reads the clock three times in each round: this is one whole round at least.
        before = self._readings
        until(lambda: self._readings >= before + 6)


class TestPilot:
    @pytest.fixture
    def remote(self) -> FakeRemote:
        return FakeRemote()

    @pytest.fixture
    def log(self) -> list[str]:
        return []

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    def pilot(self, remote: FakeRemote, log: list[str], clock: Clock) -> Iterator[Pilot]:
        pilot = Pilot(remote, log.append, clock)
        yield pilot
        clock.runs = True  # what still brakes ends
        pilot.close()

    def test_a_velocity_that_is_not_repeated_ends_in_braking_which_is_not_latched(
        self, pilot: Pilot, remote: FakeRemote, log: list[str], clock: Clock
    ) -> None:
        remote.now = replace(FREE, linear=0.2)
        pilot.drive(0.2, 0.0)
        clock.advance(0.9 * SILENCE)
        assert pilot.driving and not remote.calls
        clock.advance(0.2 * SILENCE)
        assert remote.velocities == [(0.2, 0.0)] and remote.calls == ["emergency_stop"]
        assert pilot.braking and log == [f"stopped: no message from the browser for {SILENCE:g} s"]
        pilot.drive(0.2, 0.0)
        clock.advance(1.0)
        assert pilot.braking and remote.calls == ["emergency_stop"]
        remote.now = FREE
        until(lambda: len(remote.calls) > 1)
        assert not pilot.braking
        assert remote.calls == ["emergency_stop", "clear_emergency_stop"] and remote.velocities == [(0.2, 0.0)]

    def test_a_browser_that_goes_stops_only_a_robot_that_it_drives(
        self, pilot: Pilot, remote: FakeRemote, clock: Clock
    ) -> None:
        pilot.brake("gone")
        pilot.drive(0.0, 0.0)
        pilot.brake("gone")
        until(lambda: remote.velocities)
        assert not remote.calls
        pilot.drive(0.1, 0.0)
        pilot.brake("gone")
        until(lambda: pilot.braking)
        assert remote.calls == ["emergency_stop"]
        clock.advance(0.5)
        assert remote.calls == ["emergency_stop", "clear_emergency_stop"]

    def test_the_emergency_stop_of_a_person_stays_latched(self, pilot: Pilot, remote: FakeRemote, clock: Clock) -> None:
        pilot.drive(0.1, 0.0)
        pilot.brake("gone")
        until(lambda: pilot.braking)
        assert remote.calls == ["emergency_stop"]
        pilot.emergency_stop()
        until(lambda: len(remote.calls) == 2)
        clock.advance(2.0)
        assert remote.calls == ["emergency_stop", "emergency_stop"]
        pilot.clear_emergency_stop()
        until(lambda: remote.calls[-1] == "clear_emergency_stop")

    def test_at_the_end_a_robot_that_is_driven_is_stopped_and_not_left_latched(self, remote: FakeRemote) -> None:
        pilot = Pilot(remote, lambda text: None)
        pilot.drive(0.1, 0.0)
        pilot.close()
        # On a busy machine the pilot's thread outlives the wait for its end.
        until(lambda: len(remote.calls) == 2)
        assert remote.calls == ["emergency_stop", "clear_emergency_stop"]

    def test_an_error_of_the_robot_does_not_end_the_pilot(
        self, pilot: Pilot, remote: FakeRemote, log: list[str], clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(linear: float, angular: float) -> str:
            raise OSError("the port is gone")

        monkeypatch.setattr(remote, "drive", broken)
        pilot.drive(0.1, 0.0)
        until(lambda: "OSError: the port is gone" in log)
        assert not remote.calls
        clock.advance(1.1 * SILENCE)
        assert remote.calls == ["emergency_stop"]
