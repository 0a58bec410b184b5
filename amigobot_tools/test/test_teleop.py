# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Teleoperation without a terminal: keys, velocities, the governor, and the wanderer."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import replace

import pytest
from fakes import AMIGO, FREE, FakeRemote, echoes

from amigobot_driver import SonarReading
from amigobot_tools.governor import BLIND_SPEED, MARGIN, free_distance, governed, safe_speed
from amigobot_tools.hold import FIRST_REPEAT, REPEAT, Hold
from amigobot_tools.keys import decode
from amigobot_tools.teleop import TeleopPilot
from amigobot_tools.wander import Wanderer


@pytest.fixture
def remote() -> FakeRemote:
    return FakeRemote()


@pytest.fixture
def pilot(remote: FakeRemote) -> TeleopPilot:
    return TeleopPilot(remote, 0.2, 0.8, governor=True, hold=Hold())


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        (b"w", ["w"]),
        (b"\x1b[A\x1bOD ", ["up", "left", "space"]),
        (b"\x1b[O", ["focus lost"]),
        (b"\x03\x1a", ["quit", "quit"]),
        (b"\x1b[15~w", ["w"]),  # F5
        (b"\x1b[1;5Aw", ["w"]),  # Ctrl-Up
        (b"\x1b[\x03", ["quit"]),  # a broken sequence does not swallow Ctrl-C
        ("ö".encode(), ["Ã", "¶"]),
    ],
)
def test_bytes_of_a_terminal_become_keys(data: bytes, keys: list[str]) -> None:
    assert decode(data) == (keys, b"")


def test_an_arrow_key_in_two_parts_is_one_key() -> None:
    keys, rest = decode(b"w\x1b[")
    assert keys == ["w"]
    assert decode(rest + b"A") == (["up"], b"")


@pytest.mark.parametrize(("presses", "held"), [((10.0,), FIRST_REPEAT), ((10.0, 10.5, 10.53, 10.56), REPEAT)])
def test_a_key_drives_until_its_next_repetition_is_due(presses: tuple[float, ...], held: float) -> None:
    hold = Hold()
    for time in presses:
        hold.press("w", time)
    assert hold.direction(time + held - 0.01) == (1.0, 0.0)
    assert hold.direction(time + held + 0.01) == (0.0, 0.0)


def test_zeros_follow_a_release_then_others_may_drive(pilot: TeleopPilot, remote: FakeRemote) -> None:
    pilot.press("w", 10.0)
    pilot.update(10.0)
    assert remote.velocities == [(0.2, 0.0)]
    for step in range(1, 40):
        pilot.update(10.0 + step * 0.05)
    zeros = [velocity for velocity in remote.velocities if velocity == (0.0, 0.0)]
    assert len(zeros) > 5
    assert remote.velocities[-1] == (0.0, 0.0)
    assert len(remote.velocities) < 30


@pytest.mark.parametrize("key", ["k", "escape", "focus lost"])
def test_keys_that_stop_release_every_key(key: str, pilot: TeleopPilot, remote: FakeRemote) -> None:
    pilot.press("w", 10.0)
    pilot.update(10.0)
    pilot.press(key, 10.1)
    pilot.update(10.1)
    assert remote.calls == ["stop"]
    assert remote.velocities[-1] == (0.0, 0.0)


def test_plus_and_minus_change_the_speed_within_limits(pilot: TeleopPilot) -> None:
    pilot.press("+", 0.0)
    assert pilot.speed == pytest.approx(0.22)
    for _ in range(100):
        pilot.press("+", 0.0)
    assert (pilot.speed, pilot.turn) == (AMIGO.limits.linear, AMIGO.limits.angular)
    for _ in range(100):
        pilot.press("-", 0.0)
    assert pilot.speed > 0


def test_the_governor_slows_stops_and_can_be_off(pilot: TeleopPilot, remote: FakeRemote) -> None:
    pilot.speed = 0.5
    pilot.press("w", 10.0)
    speeds = []
    for ahead in (3.0, 0.6, 0.4, 0.15):
        remote.now = replace(FREE, echoes=echoes(ahead=ahead))
        pilot.update(10.0)
        speeds.append(pilot.velocity[0])
    assert speeds[0] == 0.5
    assert speeds == sorted(speeds, reverse=True)
    assert speeds[-1] == 0.0
    assert "governor" in pilot.note
    pilot.press("g", 10.1)
    pilot.update(10.1)
    assert pilot.velocity[0] == 0.5


def test_the_governor_looks_back_when_backing(pilot: TeleopPilot, remote: FakeRemote) -> None:
    remote.now = replace(FREE, echoes=echoes(ahead=0.1))
    for key, expected in (("a", (0.0, 0.8)), ("s", (-0.2, 0.0))):
        pilot.press(key, 10.0)
        pilot.update(10.0)
        assert pilot.velocity == expected
    remote.now = replace(FREE, echoes=echoes(behind=0.1))
    pilot.update(10.1)
    assert pilot.velocity == (0.0, 0.0)


@pytest.mark.parametrize("seen", [echoes(age=5.0), echoes(ahead=math.nan, side=math.nan), ()])
def test_without_forward_sonars_the_governor_allows_slow_speed(seen: tuple[SonarReading, ...]) -> None:
    assert math.isnan(free_distance(seen, AMIGO.body, forward=True))
    assert governed(0.5, seen, AMIGO) == BLIND_SPEED
    assert governed(0.05, seen, AMIGO) == 0.05


@pytest.mark.parametrize("distance", [0.0, 0.2, 0.5, 1.0, 3.0])
def test_the_safe_speed_leaves_room_for_delay_and_braking(distance: float) -> None:
    speed = safe_speed(distance)
    assert speed * 0.5 + speed**2 / (2 * 0.3) <= max(0.0, distance - MARGIN) + 1e-9


def test_wander_turns_to_the_freer_side() -> None:
    wanderer = Wanderer(0.2)
    assert wanderer.velocity(FREE, 0.0) == (0.2, 0.0)
    blocked = replace(FREE, echoes=tuple(
        dataclasses.replace(echo, range=0.3 if echo.heading > 0 else 0.4) for echo in echoes()
    ))  # fmt: skip
    linear, angular = wanderer.velocity(blocked, 1.0)
    assert linear == 0.0
    assert angular < 0.0
    # It goes on turning the same way until there is room, even if the other side gets freer.
    linear, angular = wanderer.velocity(replace(FREE, echoes=echoes(ahead=0.5)), 2.0)
    assert angular < 0.0
    assert wanderer.velocity(FREE, 3.0) == (0.2, 0.0)


def test_wander_backs_off_and_needs_sonars() -> None:
    wanderer = Wanderer(0.2)
    linear, _angular = wanderer.velocity(replace(FREE, stalls=("left",)), 0.0)
    assert linear < 0.0
    assert wanderer.velocity(replace(FREE, echoes=echoes(age=9.0)), 5.0) == (0.0, 0.0)
    assert wanderer.velocity(replace(FREE, connected=False, note="the link is lost"), 6.0) == (0.0, 0.0)
    assert wanderer.doing == "the link is lost"
