# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The rest of the machine: pins, auxiliary ports, sounds, gyro, streams, battery, CONFIGpac, line speed."""

from __future__ import annotations

import dataclasses

import pytest
from sim_client import Client

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Command, Config, Encoders, Gyro, Io
from amigobot_driver.sim import OptionError, SessionState


def with_flash(robot: str, **flash: int | str) -> Client:
    profile = load_profile(robot)
    return Client(dataclasses.replace(profile, flash={**profile.flash, **flash}))


def count(client: Client, kind: type, seconds: float) -> int:
    """Packets of a kind since the last command, and in the next seconds."""
    return sum(isinstance(packet, kind) for packet in client.received(seconds))


@pytest.mark.parametrize(
    ("robot", "command", "kind", "value", "packets"),
    [
        ("amigo", Command.IOREQUEST, Io, 1, 1),
        ("amigo", Command.IOREQUEST, Io, 2, 10),
        ("amigo", Command.ENCODER, Encoders, 1, 10),  # AmigOS knows no single packet (docs/protocol E-20)
        ("amigo-sh", Command.ENCODER, Encoders, 1, 1),
        ("amigo", Command.GYRO, Gyro, 1, 0),  # it has none
    ],
)
def test_a_stream_is_sent_as_requested(robot: str, command: Command, kind: type, value: int, packets: int) -> None:
    client = Client(robot).open()
    client.send(command(value))
    assert count(client, kind, 1.0) == packets
    client.send(command(0))
    client.run(0.1)
    assert count(client, kind, 0.5) == 0


class TestConfig:
    def test_amigos_is_the_reference_s_example(self) -> None:
        client = Client().open(motors=False)
        client.send(Command.CONFIG())
        assert client.next(Config).encode().hex().upper() == (
            "2050696F6E65657200616D69676F003132333400006801980868 01A00FFF006E6F745F73657400000000000001"
            "00006E000E5BD00700FF00640000000000C8002C01320032001E003C0000002C012C01280050000000".replace(" ", "")
        )

    @pytest.mark.parametrize(
        ("flash", "message"),
        [
            ({"RotKq": 1}, "'RotKq' is not known"),
            ({"RotKp": -1}, "an integer from 0"),
            ({"RotKp": "30"}, "an integer from 0"),
            ({"Name": "two words"}, "without blanks"),
        ],
    )
    def test_a_bad_flash_value_is_named(self, flash: dict[str, int | str], message: str) -> None:
        with pytest.raises(OptionError, match=message):
            with_flash("amigo", **flash)


def test_a_low_battery_alarms_and_an_empty_one_ends() -> None:
    client = Client().open()
    client.send(Command.BATTEST(108))
    client.run(0.1)
    assert client.sip().battery == 108
    client.run(1.0)
    assert client.event_texts("battery") == ["10.8 V: low-battery alarm"]
    assert client.sim.session is SessionState.OPEN
    client.send(Command.BATTEST(98))
    client.run(2.0, alive=False)
    assert client.sim.session is SessionState.WAIT
    assert not client.run(1.0, alive=False)
