# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The rest of the machine: pins, auxiliary ports, sounds, gyro, streams, battery, CONFIGpac, line speed."""

from __future__ import annotations

import dataclasses
import math
from itertools import pairwise

import pytest
from sim_client import Client

from amigobot_driver.profiles import ProfileError, load_profile
from amigobot_driver.protocol import Aux, Command, Config, Encoders, Gyro, Io, Playlist
from amigobot_driver.sim import Faults, Reply, ScriptedDevice, SessionState, Wear, playlist


def with_flash(robot: str, **flash: int | str) -> Client:
    profile = load_profile(robot)
    return Client(dataclasses.replace(profile, flash={**profile.flash, **flash}))


def count(client: Client, kind: type, seconds: float) -> int:
    """Packets of a kind since the last command, and in the next seconds."""
    return sum(isinstance(packet, kind) for packet in client.received(seconds))


class TestStreams:
    @pytest.mark.parametrize(("robot", "sips"), [("amigo", 10), ("amigo-sh", 10)])
    def test_a_sip_every_100_ms(self, robot: str, sips: int) -> None:
        client = Client(robot).open()
        first = len(client.packets)
        assert len(client.run(1.0)) == sips
        times = [time for time, _ in client.packets[first:]]
        assert all(b - a == pytest.approx(0.1, abs=0.006) for a, b in pairwise(times))

    @pytest.mark.parametrize(
        ("robot", "command", "kind", "value", "packets"),
        [
            ("amigo", Command.IOREQUEST, Io, 1, 1),
            ("amigo", Command.IOREQUEST, Io, 2, 10),
            ("amigo", Command.IOREQUEST, Io, 0, 0),
            ("amigo", Command.ENCODER, Encoders, 1, 10),  # AmigOS knows no single packet (docs/protocol.md E-20)
            ("amigo-sh", Command.ENCODER, Encoders, 1, 1),
            ("amigo-sh", Command.ENCODER, Encoders, 2, 10),
            ("amigo-sh", Command.GYRO, Gyro, 1, 10),
            ("amigo-sh", Command.GYRO, Gyro, 0, 0),
            ("amigo", Command.GYRO, Gyro, 1, 0),  # it has none
        ],
    )
    def test_requests(self, robot: str, command: Command, kind: type, value: int, packets: int) -> None:
        client = Client(robot).open()
        client.send(command(value))
        assert count(client, kind, 1.0) == packets
        client.send(command(0))
        client.run(0.1)
        assert count(client, kind, 0.5) == 0

    def test_order_within_a_cycle(self) -> None:
        client = Client("amigo-sh").open()
        client.send(Command.GYRO(1), Command.IOREQUEST(2), Command.ENCODER(2))
        client.run(0.3)
        kinds = client.kinds(client.run(1.0))
        start = kinds.index("Gyro")
        assert kinds[start : start + 8] == ["Gyro", "Sip", "Io", "Encoders"] * 2


class TestPins:
    def test_sip_and_iopac_agree(self) -> None:
        client = with_flash("amigo", io0=1, io2=1).open()
        client.sim.pins.levels = 0b101010
        client.send(Command.DIGOUT(0x0501), Command.IOREQUEST(1))
        io, sip = client.next(Io), client.sip()
        assert io.digital_in == (sip.digital_in,) == (0b101010,)
        assert io.digital_out == (sip.digital_out,) == (0b000001,)
        assert len(io.analog) == 5

    @pytest.mark.parametrize(
        ("words", "outputs"),
        [
            ((0x0501,), 0b001),
            ((0x0505, 0x0400), 0b001),
            ((0x0505, 0x0505), 0b101),  # setting what is set leaves it set (docs/protocol.md E-62)
            ((0x3F3F,), 0b101),  # the others are inputs
            ((0x0505, 0x0500), 0b000),
        ],
    )
    def test_digout_has_its_mask_in_the_high_byte(self, words: tuple[int, ...], outputs: int) -> None:
        client = with_flash("amigo", io0=1, io2=1).open()
        client.send(*map(Command.DIGOUT, words))
        assert client.sip().digital_out == outputs

    @pytest.mark.parametrize(("robot", "port_field"), [("amigo", "port_low"), ("amigo-sh", "port_high")])
    def test_adsel(self, robot: str, port_field: str) -> None:
        client = Client(robot).open()
        client.sim.pins.volts[2] = 4.0
        sip = client.sip()
        assert (getattr(sip, port_field), sip.analog) == (1, 128)
        client.send(Command.ADSEL(3), Command.ADSEL(9))
        sip = client.sip()
        assert (getattr(sip, port_field), sip.analog) == (3, 204)


class TestAux:
    @pytest.mark.parametrize(
        ("write", "ask", "number"),
        [(Command.TTY2, Command.GETAUX, 1), (Command.TTY3, Command.GETAUX2, 2)],
    )
    def test_loop_back(self, write: Command, ask: Command, number: int) -> None:
        client = Client().open()
        client.send(write(b"HELLO"), ask(5))
        packet = client.next(Aux)
        assert (packet.port, packet.data) == (number, b"HELLO")

    def test_it_waits_for_as_many_as_were_asked_for_and_answers_once(self) -> None:
        client = Client().open()
        client.send(Command.GETAUX(4), Command.TTY2(b"abc"))
        assert count(client, Aux, 0.5) == 0
        client.send(Command.TTY2(b"defgh"))
        assert client.next(Aux).data == b"abcd"
        assert count(client, Aux, 0.5) == 0
        client.send(Command.GETAUX(4))
        assert client.next(Aux).data == b"efgh"

    def test_zero_flushes_bytes_and_request(self) -> None:
        client = Client().open()
        client.send(Command.TTY2(b"old"), Command.GETAUX(10), Command.GETAUX(0), Command.TTY2(b"new!"))
        client.run(0.1)
        client.send(Command.GETAUX(3))
        assert client.next(Aux).data == b"new"

    def test_a_scripted_device(self) -> None:
        camera = ScriptedDevice([Reply(b"RS\r", b"ACK\r", 0.5), Reply(b"GV\r", b"CMUcam v1.12\r")])
        client = Client(aux={2: camera}).open()
        client.send(Command.TTY3(b"R"), Command.TTY3(b"S\rGV\r"), Command.GETAUX2(17))
        asked = client.now
        assert client.next(Aux).data == b"ACK\rCMUcam v1.12\r"
        assert client.now - asked > 0.45

    def test_a_forgotten_request_is_never_answered(self) -> None:
        client = Client(faults=Faults(lose_requests=1.0)).open()
        client.send(Command.TTY2(b"abc"), Command.GETAUX(3))
        assert count(client, Aux, 1.0) == 0
        client.sim.faults = Faults()
        client.send(Command.GETAUX(3))
        assert client.next(Aux).data == b"abc"


class TestSounds:
    def test_played_unless_muted(self) -> None:
        client = Client().open()
        client.events.clear()
        client.send(Command.SOUND(57), Command.SOUNDTOG(0), Command.SOUND(58), Command.SOUNDTOG(1))
        client.send(Command.SOUND(51), Command.SOUND(50))  # the last is a group
        assert client.event_texts("sound") == ["57 whoosh", "51 hello"]

    @pytest.mark.parametrize("number", [50, 200])
    def test_groups_and_empty_places_have_no_sound(self, number: int) -> None:
        client = Client().open()
        client.send(Command.PLAYLIST(number))
        packet = client.next(Playlist)
        assert packet.number == number and (packet.offset, packet.length) == (0, 0)
        assert packet.name == ("~greetings" if number == 50 else "")

    def test_all_user_sounds_one_a_cycle(self) -> None:
        client = Client(sounds=playlist(f"sound {n}" for n in range(50, 256))).open()
        client.send(Command.SOUNDTOG(0), Command.PLAYLIST(0))
        packets = [packet for packet in client.run(25.0) if isinstance(packet, Playlist)]
        assert (packets[0].number, packets[0].name) == (206, "")
        assert [packet.number for packet in packets[1:]] == list(range(50, 256))
        assert not any(packet.enabled for packet in packets)
        assert [len(packet.name) <= 16 for packet in packets]


class TestGyro:
    def test_four_samples_a_cycle_that_fall_when_turning_left(self) -> None:
        client = Client("amigo-sh").open()
        client.send(Command.GYRO(1))

        def rate() -> float:
            rates = [s.rate for p in client.run(2.0) if isinstance(p, Gyro) for s in p.samples]
            assert len(rates) == pytest.approx(80, abs=4)
            return sum(rates[8:]) / len(rates[8:])

        centre = rate()
        assert 505 < centre < 519
        client.send(Command.RVEL(60))
        client.run(2.0)
        assert (centre - rate()) * 0.954 == pytest.approx(60, abs=1)
        client.send(Command.RVEL(-60))
        client.run(4.0)
        assert (centre - rate()) * 0.954 == pytest.approx(-60, abs=1)

    def test_it_feels_the_turn_of_the_body_where_the_wheels_slip(self) -> None:
        """Each wheel of this robot slips at random; its encoders and its gyro tell two different turns."""
        client = Client("amigo-sh", wear=Wear(slip=0.8)).open()
        client.send(Command.GYRO(1))
        rest = [s.rate for p in client.run(4.0) if isinstance(p, Gyro) for s in p.samples]
        centre = sum(rest) / len(rest)
        begin, counted = client.sim.truth.pose.heading, client.sip().heading
        client.send(Command.VEL(250))
        samples = [s.rate for p in client.run(20.0) if isinstance(p, Gyro) for s in p.samples]
        felt = sum((centre - rate) * 0.954 * 0.025 for rate in samples)
        true = math.degrees(math.remainder(client.sim.truth.pose.heading - begin, math.tau))
        by_wheels = (client.sip().heading - counted) * 360 / 4096
        assert abs(true - by_wheels) > 8.0, "the seed lets both wheels slip alike: take another"
        assert felt == pytest.approx(true, abs=3.0)


class TestConfig:
    def test_amigos_is_the_reference_s_example(self) -> None:
        client = Client().open(motors=False)
        client.send(Command.CONFIG())
        assert client.next(Config).encode().hex().upper() == (
            "2050696F6E65657200616D69676F003132333400006801980868 01A00FFF006E6F745F73657400000000000001"
            "00006E000E5BD00700FF00640000000000C8002C01320032001E003C0000002C012C01280050000000".replace(" ", "")
        )

    def test_amigo_sh_has_a_tail(self) -> None:
        config = Client("amigo-sh").open().config()
        assert (config.pwm_max, config.sonar_cycle, config.auto_baud, config.has_gyro, config.ticks_mm) == (
            500,
            40,
            2,
            1,
            30,
        )
        assert config.firmware_version == "1.3"

    def test_working_values_are_reported(self) -> None:
        client = Client("amigo-sh").open()
        client.send(Command.SETA(250), Command.SETA(-350), Command.TRANSKI(4), Command.DRIFTFACTOR(-9))
        config = client.config()
        assert (config.trans_acc, config.trans_decel, config.trans_ki, config.drift_factor) == (250, 350, 4, -9)

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
        with pytest.raises(ProfileError, match=message):
            with_flash("amigo", **flash)


class TestBattery:
    def test_alarm_and_cut_off(self) -> None:
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

    def test_a_short_dip_does_not_cut_off(self) -> None:
        client = Client().open()
        for tenths, seconds in ((98, 0.7), (120, 0.3), (98, 0.7), (120, 2.0)):
            client.send(Command.BATTEST(tenths))
            client.run(seconds)
        assert client.sim.session is SessionState.OPEN
