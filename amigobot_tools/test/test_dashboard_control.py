# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Who holds control of the dashboard, and what stops the robot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from fakes import FREE, FakeRemote

from amigobot_tools.dashboard.control import ANSWER_TIMEOUT, Control
from amigobot_tools.dashboard.pilot import SILENCE, Pilot


class TestControl:
    def test_a_holder_that_neither_drives_nor_answers_loses_it(self) -> None:
        control = Control()
        control.take(1, 0.0)
        control.take(2, 10.0)
        assert not control.grant_overdue(10.0 + ANSWER_TIMEOUT - 0.1, driving=False)
        assert not control.grant_overdue(10.0 + ANSWER_TIMEOUT, driving=True)
        assert control.grant_overdue(10.0 + ANSWER_TIMEOUT, driving=False)
        assert control.holder == 2

    def test_a_holder_that_leaves_hands_over_to_the_asker(self) -> None:
        control = Control()
        control.take(1, 0.0)
        control.take(2, 0.0)
        assert control.leave(1) and control.holder == 2
        assert control.leave(2) and control.holder is None
        assert not control.leave(2)


class Clock:
    """The pilot's clock, which the test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


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
    def pilot(self, remote: FakeRemote, log: list[str], clock: Clock) -> Pilot:
        return Pilot(remote, log.append, clock)

    @pytest.fixture
    def advance(self, pilot: Pilot, clock: Clock) -> Callable[[float], None]:
        """Let time pass (s), and the pilot do what it does at the new time."""

        def advance(seconds: float) -> None:
            clock.now += seconds
            pilot.step()

        return advance

    def test_a_velocity_not_repeated_ends_in_unlatched_braking(
        self, pilot: Pilot, remote: FakeRemote, log: list[str], advance: Callable[[float], None]
    ) -> None:
        remote.now = replace(FREE, linear=0.2)
        pilot.drive(0.2, 0.0)
        advance(0.9 * SILENCE)
        assert pilot.driving and not remote.calls
        advance(0.2 * SILENCE)
        assert remote.velocities == [(0.2, 0.0)] and remote.calls == ["emergency_stop"]
        assert pilot.braking and log == [f"stopped: no message from the browser for {SILENCE:g} s"]
        pilot.drive(0.2, 0.0)
        advance(1.0)
        assert pilot.braking and remote.calls == ["emergency_stop"]
        remote.now = FREE
        advance(0.0)
        assert not pilot.braking
        assert remote.calls == ["emergency_stop", "clear_emergency_stop"] and remote.velocities == [(0.2, 0.0)]

    def test_a_browser_that_goes_stops_only_its_own_robot(
        self, pilot: Pilot, remote: FakeRemote, advance: Callable[[float], None]
    ) -> None:
        pilot.brake("gone")
        pilot.drive(0.0, 0.0)
        pilot.brake("gone")
        assert remote.velocities and not remote.calls
        pilot.drive(0.1, 0.0)
        pilot.brake("gone")
        assert pilot.braking and remote.calls == ["emergency_stop"]
        advance(0.5)
        assert remote.calls == ["emergency_stop", "clear_emergency_stop"]

    def test_the_emergency_stop_of_a_person_stays_latched(
        self, pilot: Pilot, remote: FakeRemote, advance: Callable[[float], None]
    ) -> None:
        pilot.drive(0.1, 0.0)
        pilot.brake("gone")
        assert pilot.braking and remote.calls == ["emergency_stop"]
        pilot.emergency_stop()
        advance(2.0)
        assert remote.calls == ["emergency_stop", "emergency_stop"]
        pilot.clear_emergency_stop()
        assert remote.calls[-1] == "clear_emergency_stop"

    def test_an_examination_stops_the_robot_and_refuses_velocities(self, pilot: Pilot, remote: FakeRemote) -> None:
        pilot.drive(0.1, 0.0)
        pilot.hold("the doctor examines the robot")
        pilot.drive(0.1, 0.0)
        assert remote.calls == ["stop"] and remote.velocities == [(0.1, 0.0)]
        assert pilot.note == "the doctor examines the robot"
        pilot.release()
        pilot.drive(0.1, 0.0)
        assert len(remote.velocities) == 2 and pilot.note == ""

    def test_a_robot_error_does_not_end_the_pilot(
        self,
        pilot: Pilot,
        remote: FakeRemote,
        log: list[str],
        advance: Callable[[float], None],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        def broken(linear: float, angular: float) -> str:
            raise OSError("the port is gone")

        monkeypatch.setattr(remote, "drive", broken)
        pilot.drive(0.1, 0.0)
        assert "OSError: the port is gone" in log and not remote.calls
        advance(1.1 * SILENCE)
        assert remote.calls == ["emergency_stop"]
