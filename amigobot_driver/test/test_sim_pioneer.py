# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The simulated Pioneers: what P2OS, AROS and ARCOS say and do that the AmigoBots do not (docs/protocol 4.1, 5)."""

from __future__ import annotations

from typing import Any

import pytest
from sim_client import Client, world

from amigobot_driver.protocol import Command, Packet, Sip

P2OS, AROS, ARCOS = "p2dx", "p3dx", "p3dx-sh"


def pioneer(robot: str = AROS, **options: Any) -> Client:
    return Client(robot, **options).open()


def every(packets: list[Packet], kind: type[Packet]) -> list[Packet]:
    return [packet for packet in packets if isinstance(packet, kind)]


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

    def test_polling_names_sonars_of_every_ring(self) -> None:
        client = pioneer()
        client.send(Command.POLLING(b"\x03\x0a\x10\x04"))
        client.run(0.3)
        received = self.numbers(client, 1.0)
        assert set(received) == {2, 9, 15, 3}
        client = pioneer("powerbot-sh")
        client.send(Command.POLLING(bytes((1, 9, 17, 32))))
        client.run(0.3)
        assert set(self.numbers(client, 1.0)) == {0, 8, 16, 31}


class TestBumpers:
    #: in front of a P3-DX, a hand's breadth away
    WALL = (0.31, -2.0, 0.31, 2.0)

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

    @pytest.mark.parametrize(("value", "stalls"), [(0, False), (1, True), (2, False), (3, True)])
    def test_bumpstall_makes_a_touch_a_stall_that_ends_the_motion(self, value: int, stalls: bool) -> None:
        client = pioneer(where=world(self.WALL))
        client.send(Command.BUMPSTALL(value), Command.VEL(100))
        client.run_until(lambda: client.sim.truth.touching or bool(client.event_texts("bumper")), 5.0)
        sips = [packet for packet in client.run(0.1) if isinstance(packet, Sip)]
        assert bool(client.event_texts("bumper")) is stalls
        if stalls:
            assert any(sip.left_stalled and sip.right_stalled for sip in sips)
            client.run(2.0)
            assert client.speed == 0.0 and not client.sip().left_stalled  # the wheels do not push against the wall
            client.send(Command.VEL(-100))
            client.run(1.5)
            assert client.speed == pytest.approx(-0.1, abs=0.01)


class TestTheRest:
    def test_aros_obeys_many_commands_in_a_tick(self) -> None:
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
