# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The acceptance script of docs/protocol 8.10, byte for byte, and what deployed clients really send."""

from __future__ import annotations

import pytest
from sim_client import Client

from amigobot_driver.protocol import Command, Config, Sip
from amigobot_driver.sim import SessionState

SYNC0, SYNC1, SYNC2 = "FAFB03000000", "FAFB03010001", "FAFB03020002"
PULSE, STOP = SYNC0, "FAFB031D001D"
OPEN, CLOSE = "FAFB06013B0100023B", "FAFB06023B0100033B"  # with the argument that ARIA adds
AMIGO_REPLY = "FAFB19026E6F745F7365740050696F6E65657200616D69676F004998"
#: 200 mm/s in the AmigoBot's units
MM_200 = 325


def answer(client: Client, frame: str) -> str:
    client.write(frame)
    client.now += 0.1
    return client.sim.transmit(client.now).hex().upper()


@pytest.mark.parametrize("baud", [0, 9600, 38400])
def test_the_acceptance_script(baud: int) -> None:
    client = Client("amigo", "room", baud=baud)
    client.alive = False
    assert answer(client, SYNC0) == SYNC0
    assert answer(client, SYNC1) == SYNC1
    assert answer(client, SYNC2) == AMIGO_REPLY

    opened = client.now
    client.write(OPEN)
    first = client.next(Sip)
    assert client.now - opened <= 0.1
    assert first.id == 0x32 and not first.motors_enabled and first.sonar_enabled

    client.write("FAFB06123B0100133B")
    assert client.next(Config).subclass == "amigo"

    client.write("FAFB06043B0100053B")
    client.run(0.2)
    assert client.next(Sip).motors_enabled

    client.write("FAFB060B3BC800D33B")
    client.run(1.5)
    driving = client.next(Sip)
    assert driving.id == 0x33 and (driving.left_velocity, driving.right_velocity) == (MM_200, MM_200)

    client.run(2.1)
    halted = client.next(Sip)
    assert halted.id == 0x32 and halted.left_velocity == halted.right_velocity == 0 and halted.motors_enabled

    client.write(PULSE)
    client.run(1.5)
    resumed = client.next(Sip)
    assert resumed.id == 0x33 and resumed.left_velocity == MM_200

    for vel2 in ("FAFB06201BF6091624", "FAFB06203B0AF62B31"):
        client.write(vel2)
        client.run(1.9)
        turning = client.next(Sip)
        assert (turning.left_velocity, turning.right_velocity) == (-MM_200, MM_200)

    client.write(STOP)
    client.run(1.9)
    client.write("FAFB060B3BC800D33C")  # a wrong checksum
    client.run(0.5)
    assert client.next(Sip).left_velocity == 0

    client.write(STOP)
    client.run(0.02)
    client.write(CLOSE)
    client.run(0.2)
    assert not client.run(1.0)
    assert answer(client, SYNC0) == SYNC0


def test_amigo_sh_names_itself() -> None:
    client = Client("amigo-sh")
    answer(client, SYNC0)
    answer(client, SYNC1)
    assert answer(client, SYNC2) == ("FAFB1C02416D69676F5F370050696F6E65657200616D69676F2D736800DE92")


class TestWhatAriaSends:
    def test_the_radio_modem_greeting_is_swallowed(self) -> None:
        client = Client()
        client.write(b"WMS2\r")
        assert answer(client, SYNC0) == SYNC0

    def test_the_requests_of_aria_after_connecting_are_answered(self) -> None:
        client = Client().open(motors=False)
        burst = (
            "FAFB06123B0100133B"  # CONFIG with an argument
            "FAFB063E3B01003F3B"  # BATTERYINFO, which no AmigoBot knows
            "FAFB06283B02002A3B"  # IOREQUEST
            "FAFB06133B0200153B"  # ENCODER
            "FAFB06253B0200273B"  # GRIPREQUEST
            "FAFB06113B0200133B"  # JOYREQUEST
            "FAFB063A3B01003B3B"  # GYRO
        )
        client.write(burst)
        kinds = set(client.kinds(client.run(0.5)))
        assert kinds == {"Sip", "Config", "Io", "Encoders"}

    def test_a_text_with_a_nul_that_is_not_counted(self) -> None:
        client = Client().open(motors=False)
        client.write("FAFB092A2B0341540D008179")
        client.send(Command.GETAUX(3))
        client.run(0.2)
        assert [p.data for _, p in client.packets if type(p).__name__ == "Aux"] == [b"AT\r"]


@pytest.mark.parametrize("seto", ["FAFB03070007", "FAFB04073B073B", "FAFB06073B010008 3B"])
def test_seto_of_player_is_taken_in_each_form(seto: str) -> None:
    client = Client().open()
    client.send(Command.VEL(200))
    client.run(1.0)
    client.send(Command.STOP())
    client.run(2.0)
    assert client.sip().x > 0
    client.write(seto)
    sip = client.sip()
    assert (sip.x, sip.y, sip.heading) == (0, 0, 0)


def test_blind_synchronisation_of_an_open_robot_ends_its_session() -> None:
    """SYNC0, 1, 2 are PULSE, OPEN, CLOSE to a robot in a session (docs/protocol 3.1)."""
    client = Client().open()
    for frame in (SYNC0, SYNC1, SYNC2):
        client.write(frame)
        client.run(0.05)
    assert client.sim.session is SessionState.WAIT
    assert answer(client, SYNC0) == SYNC0
