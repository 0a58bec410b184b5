# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Motion: trapezoids, modes, limits, the watchdog, and what the robot says of it against what it really does."""

from __future__ import annotations

from itertools import pairwise

import pytest
from sim_client import Client

from amigobot_driver.protocol import Command, Instruction


def slope(client: Client, seconds: float, quantity: str = "speed") -> float:
    """How fast a quantity changes during the next seconds, per s."""
    before = getattr(client, quantity)
    client.run(seconds)
    return float((getattr(client, quantity) - before) / seconds)


@pytest.mark.parametrize(
    ("quantity", "ramp", "velocity", "unit", "acceleration", "deceleration"),
    [
        ("speed", Command.SETA, Command.VEL(600), 1000, 100, 600),
        ("speed", Command.SETA, Command.VEL(600), 1000, 800, 200),
        ("turn_rate", Command.SETRA, Command.RVEL(100), 1, 50, 50),
        ("turn_rate", Command.SETRA, Command.RVEL(100), 1, 40, 120),
    ],
)
def test_a_velocity_is_reached_and_left_on_a_ramp(
    quantity: str, ramp: Command, velocity: Instruction, unit: int, acceleration: int, deceleration: int
) -> None:
    client = Client().open()
    client.send(ramp(acceleration), ramp(-deceleration), velocity)
    client.run(0.4)  # the servo has caught up with the ramp
    assert slope(client, 0.2, quantity) == pytest.approx(acceleration / unit, rel=0.1)
    client.run(7.0)
    assert getattr(client, quantity) == pytest.approx(velocity.value / unit, rel=0.01)
    client.send(velocity.command(0))
    client.run(0.4)
    assert slope(client, 0.2, quantity) == pytest.approx(-deceleration / unit, rel=0.1)


class TestWatchdog:
    @pytest.mark.parametrize("robot", ["amigo", "p3dx-sh"])
    def test_the_watchdog_decelerates_as_stop_does(self, robot: str) -> None:
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
    def test_a_velocity_ends_the_braking_except_with_arcos(self, robot: str, goes_on: bool) -> None:
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

    def test_a_bad_packet_does_not_feed_the_watchdog(self) -> None:
        client = Client().open()
        client.alive = False
        client.send(Command.VEL(200))
        for _ in range(30):
            client.run(0.1)
            client.write("FAFB03000001")
        assert client.speed == 0.0


def test_positions_wrap_at_fifteen_bits() -> None:
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
