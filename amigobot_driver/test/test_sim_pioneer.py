# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The simulated Pioneers: what P2OS, AROS and ARCOS say and do that the AmigoBots do not (docs/protocol 4.1, 5)."""

from __future__ import annotations

from typing import Any

import pytest
from sim_client import Client, world

from amigobot_driver.protocol import Command, Sip

AROS = "p3dx"


def pioneer(robot: str = AROS, **options: Any) -> Client:
    return Client(robot, **options).open()


class TestSonarArrays:
    def numbers(self, client: Client, seconds: float) -> list[int]:
        return [r.number for packet in client.run(seconds) if isinstance(packet, Sip) for r in packet.sonar]

    @pytest.mark.parametrize(
        ("value", "flags", "numbers"),
        [(0, 0b00, set()), (0b0010, 0b10, range(8, 16)), (0b0100, 0b01, range(8)), (0b1000, 0b11, range(16))],
    )
    def test_one_ring_can_be_switched_off(self, value: int, flags: int, numbers: range) -> None:
        client = pioneer()
        client.send(Command.SONAR(value))
        client.run(0.2)
        assert client.sip().flags >> 1 & 0b1111 == flags
        assert set(self.numbers(client, 1.0)) == set(numbers)


class TestBumpers:
    def driven(self, *walls: tuple[float, float, float, float], speed: int = 200, robot: str = AROS) -> Client:
        client = pioneer(robot, where=world(*walls))
        client.send(Command.VEL(speed))
        client.run_until(lambda: client.sim.truth.touching, 5.0)
        return client

    def bits(self, client: Client) -> tuple[int, int]:
        sip = client.sip()
        return sip.right_stall_bumpers >> 1, sip.left_stall_bumpers >> 1

    @pytest.mark.parametrize(("y", "segment"), [(0.205, 0), (0.10, 1), (0.0, 2), (-0.10, 3), (-0.205, 4)])
    def test_a_post_presses_the_segment_that_it_meets(self, y: float, segment: int) -> None:
        post = (0.31, y - 0.002, 0.31, y + 0.002)
        assert self.bits(self.driven(post)) == (1 << segment, 0)


def test_aros_obeys_many_commands_in_a_tick() -> None:
    """Commands 3 to 5 ms apart: docs/protocol 4.3."""
    last = {}
    for robot in ("amigo-sh", AROS):
        client = pioneer(robot)
        for value in range(400):
            client.write(Command.ROTKP(value).encode())
            if value % 2:
                client.run(0.005, alive=False)
        client.run(1.0)
        last[robot] = client.config().rot_kp
    assert last["amigo-sh"] < last[AROS] == 399
