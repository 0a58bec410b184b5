# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Sonar: one ping at a time, in sequence, and what each hears against the geometry."""

from __future__ import annotations

import math
from statistics import pstdev

import pytest
from sim_client import Client, world

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Command, Sip
from amigobot_driver.sim import Faults, SonarModel, WorldPose

QUIET = SonarModel(noise=0.0)
NO_ECHO = 6100


def readings(client: Client, seconds: float) -> list[tuple[int, int]]:
    """Number and range of every ping reported in the next seconds."""
    return [(r.number, r.range) for p in client.run(seconds) if isinstance(p, Sip) for r in p.sonar]


@pytest.mark.parametrize(
    ("sequence", "numbers"),
    [
        (b"\x02\x03\x04\x05", [1, 2, 3, 4]),
        (b"\x01\x01\x08", [0, 0, 7]),
        (b"\x09\x02\x20\x00", [1]),
        (b"34", [2, 3]),
    ],
)
def test_sonars_fire_in_the_polled_sequence(sequence: bytes, numbers: list[int]) -> None:
    client = Client().open()
    client.send(Command.POLLING(sequence))
    client.run(0.3)
    received = [number for number, _ in readings(client, 2.0)]
    shift = next(i for i in range(len(numbers)) if received[: len(numbers)] == numbers[i:] + numbers[:i])
    assert received == [numbers[(i + shift) % len(numbers)] for i in range(len(received))]


class TestGeometry:
    @pytest.mark.parametrize("robot", ["amigo", "amigo-sh"])
    @pytest.mark.parametrize("number", range(8))
    def test_each_sonar_hears_a_wall_straight_before_it(self, robot: str, number: int) -> None:
        pose = load_profile(robot).sonar.poses[number]
        start = WorldPose(0.3, -0.2, 0.5)
        heading = start.heading + pose.heading
        x = start.x + pose.x * math.cos(start.heading) - pose.y * math.sin(start.heading)
        y = start.y + pose.x * math.sin(start.heading) + pose.y * math.cos(start.heading)
        wx, wy = x + 1.5 * math.cos(heading), y + 1.5 * math.sin(heading)
        ax, ay = -math.sin(heading), math.cos(heading)
        client = Client(robot, world((wx - ax, wy - ay, wx + ax, wy + ay), start=start), sonar=QUIET).open()
        received = dict(readings(client, 1.0))
        assert received[number] == 1500

    @pytest.mark.parametrize(("distance", "received"), [(0.09, 6100), (0.11, 110), (4.99, 4990), (5.01, 6100)])
    def test_too_near_and_too_far_read_alike(self, distance: float, received: int) -> None:
        wall = load_profile("amigo").sonar.poses[0].y + distance
        client = Client(where=world((-3.0, wall, 3.0, wall)), sonar=QUIET).open()
        client.send(Command.POLLING(b"\x01"))
        client.run(0.3)
        assert readings(client, 0.2)[0][1] == received

    def test_a_grazed_wall_mirrors_the_sound_away(self) -> None:
        def received(degrees: float) -> int:
            """Sonar 0 looks along +y; the wall 1 m before it is turned by this angle."""
            mount = load_profile("amigo").sonar.poses[0]
            dx, dy = math.cos(math.radians(degrees)) / 2, math.sin(math.radians(degrees)) / 2
            x, y = mount.x, mount.y + 1.0
            client = Client(where=world((x - dx, y - dy, x + dx, y + dy)), sonar=QUIET).open()
            client.send(Command.POLLING(b"\x01"))
            client.run(0.3)
            return readings(client, 0.2)[0][1]

        assert received(0) == 1000
        assert 800 < received(60) < 1000
        assert received(80) == NO_ECHO


class TestErrors:
    def test_noise_is_the_recorded_one_and_repeatable(self) -> None:
        def series(seed: int) -> list[int]:
            client = Client(where=world((2.0, -3.0, 2.0, 3.0)), seed=seed).open()
            client.send(Command.POLLING(b"\x03"))
            client.run(0.3)
            return [distance for _, distance in readings(client, 20.0)]

        values = series(1)
        assert values == series(1) != series(2)
        assert pstdev(values) == pytest.approx(1.05, abs=0.15)
        assert set(values) <= {round(1.3872 * step) for step in range(1300, 1400)}
        assert sum(values) / len(values) == pytest.approx(1850 / math.cos(math.radians(7.5)), abs=5)

    def test_a_mute_sonar_gives_no_reading(self) -> None:
        client = Client("amigo", "room", faults=Faults(mute_sonars=frozenset({3}))).open()
        assert {number for number, _ in readings(client, 2.0)} == set(range(8)) - {3}
