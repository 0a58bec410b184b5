# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""How a client gets in and out, and what the controller does with bytes that are no command for it."""

from __future__ import annotations

import pytest
from sim_client import Client

from amigobot_driver.protocol import Command, encode_frame
from amigobot_driver.sim import Faults


def answers(client: Client, *numbers: int) -> list[str]:
    """What comes back for commands that are only a number."""
    first = len(client.packets)
    for number in numbers:
        client.write(encode_frame(bytes([number])))
        client.run(0.05, alive=False)
    return client.kinds([packet for _, packet in client.packets[first:]])


@pytest.mark.parametrize("numbers", [(1,), (2,), (0, 2), (0, 1, 1), (0, 2, 1)])
def test_a_handshake_out_of_order_starts_anew(numbers: tuple[int, ...]) -> None:
    client = Client()
    assert answers(client, *numbers)[-1] == "Reset"
    assert answers(client, 0, 1, 2) == ["SyncEcho", "SyncEcho", "SyncReply"]


def test_parameters_revert_at_the_next_open() -> None:
    client = Client().open()
    client.send(Command.SETV(123), Command.ROTKP(77))
    assert (client.config().trans_vel_max, client.config().rot_kp) == (123, 77)
    client.send(Command.CLOSE())
    client.run(0.5, alive=False)
    client.open()
    assert (client.config().trans_vel_max, client.config().rot_kp) == (300, 30)


def test_a_robot_with_low_battery_may_not_answer() -> None:
    """docs/protocol E-34."""
    client = Client(charge=0.02, faults=Faults(refuse_low_battery=True))
    assert answers(client, 0) == []
    client.sim.battery.charge = 1.0
    assert answers(client, 0) == ["SyncEcho"]


class TestInput:
    def test_one_command_is_executed_in_a_tick(self) -> None:
        client = Client().open()
        for value in range(1, 21):
            client.write(Command.ROTKP(value).encode())
        asked = client.now
        assert client.config().rot_kp == 20
        assert client.now - asked == pytest.approx(0.21, abs=0.011)

    def test_a_full_buffer_loses_whole_commands(self) -> None:
        client = Client().open()
        for value in range(1, 101):
            client.write(Command.ROTKP(value).encode())
        client.run(1.0)
        # 9-byte frames in 256 bytes: 28 are kept, and the last of them is the last to be executed.
        assert client.config().rot_kp == 28


@pytest.mark.parametrize("robot", ["amigo", "amigo-sh", "p2dx", "p3dx", "p3dx-sh", "erratic"])
def test_no_command_breaks_it_or_moves_it_without_motors(robot: str) -> None:
    client = Client(robot)
    if robot != "erratic":
        client.open(motors=False)
    for number in sorted(set(range(256)) - {0, 1, 2, 4, 253, 255}):
        for argument in (b"", b"\x3b", b"\x3b\xff\xff", b"\x1b\x01\x00", b"\x2b\x02\x01\x02", b"\x00\x00\x00"):
            client.write(encode_frame(bytes((number,)) + argument))
            client.run(0.01, alive=False)
    assert client.sim.truth.pose == client.sim.world.start
    client.write(Command.CONFIG().encode())
    assert client.run(1.0)
