# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Motion: trapezoids, modes, limits, the watchdog, and what the robot says of it against what it really does."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from sim_client import Client

from amigobot_driver.protocol import Command


def slope(client: Client, seconds: float, quantity: str = "speed") -> float:
    """How fast a quantity changes during the next seconds, per s."""
    before = getattr(client, quantity)
    client.run(seconds)
    return float((getattr(client, quantity) - before) / seconds)


class TestTrapezoids:
    @pytest.mark.parametrize(("acceleration", "deceleration"), [(100, 600), (800, 200)])
    def test_translation(self, acceleration: int, deceleration: int) -> None:
        client = Client().open()
        client.send(Command.SETA(acceleration), Command.SETA(-deceleration), Command.VEL(600))
        client.run(0.25)  # the servo has caught up with the ramp
        assert slope(client, 0.25) == pytest.approx(acceleration / 1000, rel=0.1)
        client.run_until(lambda: client.speed > 0.598, 10)
        client.run(1.0)
        assert client.speed == pytest.approx(0.6, abs=0.002)
        client.send(Command.VEL(0))
        client.run(0.25)
        assert slope(client, 0.25) == pytest.approx(-deceleration / 1000, rel=0.1)
        client.run_until(lambda: client.speed == 0.0, 10)

    @pytest.mark.parametrize(("acceleration", "deceleration"), [(50, 50), (40, 120)])
    def test_rotation(self, acceleration: int, deceleration: int) -> None:
        client = Client().open()
        client.send(Command.SETRA(acceleration), Command.SETRA(-deceleration), Command.RVEL(-100))
        client.run(0.4)
        assert slope(client, 0.5, "turn_rate") == pytest.approx(-acceleration, rel=0.1)
        client.run(3.0)
        assert client.turn_rate == pytest.approx(-100, abs=1)
        client.send(Command.RVEL(0))
        client.run(0.3)
        assert slope(client, 0.3, "turn_rate") == pytest.approx(deceleration, rel=0.1)

    @pytest.mark.parametrize("goal", [170, -90, 10])
    def test_turn_to_a_heading_the_shorter_way(self, goal: int) -> None:
        client = Client().open()
        client.send(Command.HEAD(goal))
        fastest = 0.0
        for _ in range(80):
            client.run(0.1)
            fastest = max(fastest, abs(client.turn_rate))
        short = math.remainder(goal, 360)
        assert client.heading == pytest.approx(short, abs=0.6)
        # A trapezoid: half the angle to speed up, half to slow down, unless RotVelMax comes first.
        assert fastest == pytest.approx(min(200, math.sqrt(50 * abs(short))), rel=0.15, abs=3)
        assert client.sip().control == pytest.approx(short * 4096 / 360, abs=2)


class TestModes:
    def test_emergency_stop_overrides_deceleration(self) -> None:
        client = Client().open()
        client.send(Command.VEL(600))
        client.run(4.0)
        client.write(Command.E_STOP().encode())
        assert client.run_until(lambda: client.speed == 0.0, 1.0) < 0.2
        client.run(2.0)
        assert client.speed == 0.0
        client.send(Command.VEL(100))
        client.run(1.0)
        assert client.speed == pytest.approx(0.1, abs=0.002)


class TestWatchdog:
    @pytest.mark.parametrize("robot", ["amigo", "p3dx-sh"])
    def test_decelerates_as_stop_does(self, robot: str) -> None:
        """A recorded P3-DX took 1.2 s and 0.22 m from 0.36 m/s (docs/protocol E-35)."""
        client = Client(robot).open()
        client.send(Command.VEL(364))
        client.run(3.0)
        client.write(Command.PULSE().encode())
        client.run(2.0, alive=False)
        start = client.sim.truth.pose.x
        took = client.run_until(lambda: client.speed < 0.005, 3.0, alive=False)
        assert took == pytest.approx(1.2, abs=0.1)
        assert client.sim.truth.pose.x - start == pytest.approx(0.22, abs=0.03)

    @pytest.mark.parametrize(("robot", "goes_on"), [("amigo", True), ("p3dx-sh", False)])
    def test_a_velocity_while_it_brakes_ends_the_stop_unless_it_has_arcos(self, robot: str, goes_on: bool) -> None:
        """A recorded P3-DX braked to rest, and drove on with the next velocity (docs/protocol E-35)."""
        client = Client(robot).open()
        client.send(Command.VEL(300))
        client.run(2.4, alive=False)
        client.send(Command.VEL(300))
        client.run(0.8, alive=False)
        assert (client.speed > 0.2) is goes_on
        client.run(0.3, alive=False)
        client.send(Command.VEL(300))
        client.run(1.5)
        assert client.speed == pytest.approx(0.3, abs=0.01)

    def test_a_bad_packet_does_not_feed_it(self) -> None:
        client = Client().open()
        client.alive = False
        client.send(Command.VEL(200))
        for _ in range(30):
            client.run(0.1)
            client.write("FAFB03000001")
        assert client.speed == 0.0


class TestOdometry:
    def test_units_and_wrap(self) -> None:
        """AmigOS counts 15 bits of 0.5083 mm: a wrap every 16.66 m."""
        client = Client().open()
        client.send(Command.VEL(600))
        counts = []
        for _ in range(40):
            client.run(1.0)
            counts.append(client.sip().x)
        assert max(counts) <= 0x7FFF and any(b < a for a, b in pairwise(counts))
        steps = [(b - a) % 0x8000 for a, b in pairwise(counts)]
        assert sum(steps[5:]) * 0.5083e-3 == pytest.approx(0.6 * 1.1 * len(steps[5:]), rel=0.05)
