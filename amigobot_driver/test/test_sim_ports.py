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
from amigobot_driver.protocol import Aux, Command, Config, Encoders, Gyro, Io, Playlist, Sip
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

    @pytest.mark.parametrize(("robot", "cycle", "sips"), [("amigo", 1, 20), ("amigo-sh", 50, 20)])
    def test_sinfocycle_is_a_code_or_milliseconds(self, robot: str, cycle: int, sips: int) -> None:
        client = with_flash(robot, SInfoCycle=cycle).open()
        assert len(client.run(1.0)) == sips
        assert client.config().info_cycle == cycle

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

    def test_a_closed_session_ends_them(self) -> None:
        client = Client().open()
        client.send(Command.IOREQUEST(2), Command.ENCODER(2), Command.CLOSE())
        client.run(0.3, alive=False)
        assert set(client.kinds(client.open().run(0.5))) == {"Sip"}


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

    def test_the_fifth_port_sees_the_battery(self) -> None:
        client = Client().open()
        client.send(Command.BATTEST(120), Command.IOREQUEST(1))
        assert client.next(Io).analog[4] / 1024 * 5 * 4 == pytest.approx(12.0, abs=0.05)


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

    def test_only_amigo_sh_has_a_third(self) -> None:
        for robot, packets in (("amigo", 0), ("amigo-sh", 1)):
            client = Client(robot).open()
            client.send(Command.TTY4(b"x"), Command.GETAUX3(1))
            assert count(client, Aux, 0.3) == packets

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

    def test_the_ring_keeps_the_last_256_bytes(self) -> None:
        client = Client().open()
        for block in range(4):
            client.send(Command.TTY2(bytes([block]) * 100))
        client.run(1.0)
        client.send(Command.GETAUX(195))
        assert client.next(Aux).data == b"\x01" * 56 + b"\x02" * 100 + b"\x03" * 39

    @pytest.mark.parametrize(("code", "seconds"), [(0, 0.12), (2, 0.045)])
    def test_bytes_take_their_time(self, code: int, seconds: float) -> None:
        client = Client("amigo-sh").open()
        client.send(Command.AUX1BAUD(code), Command.TTY2(b"x" * 96), Command.GETAUX(96))
        sent = client.now - 0.04
        client.next(Aux)
        assert client.now - sent == pytest.approx(seconds, abs=0.016)

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

    def test_cues(self) -> None:
        client = Client().open()
        client.send(Command.CLOSE())
        assert client.event_texts("sound") == ["2 connected", "3 disconnected"]

    def test_one_entry_of_the_playlist(self) -> None:
        client = Client().open()
        client.send(Command.PLAYLIST(51))
        packet = client.next(Playlist)
        assert (packet.number, packet.enabled, packet.name) == (51, 1, "hello")
        assert packet.offset > 0 and packet.length > 0

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

    def test_amigo_sh_has_tones_only(self) -> None:
        client = Client("amigo-sh").open()
        client.send(Command.SOUND(51), Command.PLAYLIST(0), Command.SAY(bytes((25, 20, 10, 40))))
        assert count(client, Playlist, 0.5) == 0
        assert client.event_texts("sound") == ["2 tones, 0.7 s"]


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
    def test_it_drains_faster_when_driving(self) -> None:
        def drop(velocity: int) -> float:
            client = Client(charge=0.5).open()
            client.send(Command.VEL(velocity))
            client.run(60.0)
            return 0.5 - client.sim.battery.charge

        assert 0 < drop(0) < drop(300) / 1.5

    def test_a_full_one_lasts_for_hours(self) -> None:
        client = Client().open()
        client.run(60.0)
        assert 2 < 1 / (1 - client.sim.battery.charge) / 60 < 8

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

    def test_low_battery_may_refuse_a_client(self) -> None:
        client = Client(charge=0.02, refuse_low_battery=True)
        client.write(Command.PULSE().encode())
        assert not client.run(0.5, alive=False)

    def test_amigo_sh_says_it_twice(self) -> None:
        client = Client("amigo-sh").open()
        client.send(Command.BATTEST(124))
        sip = client.sip()
        assert (sip.battery, sip.battery_x10, sip.charge_state) == (124, 124, 0)


class TestHostBaud:
    def test_the_line_changes_and_reverts_with_the_session(self) -> None:
        client = Client("amigo-sh", baud=9600).open()
        client.send(Command.HOSTBAUD(2))
        assert client.sim.byte_time == pytest.approx(10 / 38400)
        client.run(3.0)
        assert client.config().host_baud == 2
        client.send(Command.CLOSE())
        client.run(0.2, alive=False)
        assert client.sim.byte_time == pytest.approx(10 / 9600)

    def test_without_an_answer_at_the_new_speed_it_goes_back(self) -> None:
        client = Client("amigo-sh", baud=9600).open()
        client.sim.set_client_baud(9600)
        client.send(Command.HOSTBAUD(4))
        client.run(0.1, alive=False)  # the frame that was on the wire
        assert client.run(0.5, alive=False) == []
        client.run(1.0, alive=False)
        assert client.sim.byte_time == pytest.approx(10 / 9600)
        assert count(client, Sip, 1.0) == 10

    def test_amigos_does_not_know_it(self) -> None:
        client = Client("amigo", baud=9600).open()
        client.send(Command.HOSTBAUD(2))
        assert client.sim.byte_time == pytest.approx(10 / 9600)
