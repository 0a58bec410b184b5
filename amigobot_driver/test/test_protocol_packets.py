# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The packets a robot sends: optional tails, what does not fit, what values mean.

Every packet with known bytes is in test_protocol_vectors.
"""

from __future__ import annotations

import json
from dataclasses import MISSING, fields, replace
from pathlib import Path

import pytest
from component_bench import sip

from amigobot_driver.protocol import (
    ACTIVMEDIA_PACKETS,
    AmigoShTail,
    ArcosTail,
    Config,
    Encoders,
    Malformed,
    Packet,
    PacketTable,
    Playlist,
    Reset,
    Sip,
    SipSonarReading,
    SyncReply,
    Unknown,
    encode_frame,
    parse,
)
from amigobot_driver.protocol.erratic import ERRATIC_PACKETS, Motor, ShortMotor

# --- What does not fit

SIP = sip()


@pytest.mark.parametrize(
    ("packet", "reason"),
    [
        (replace(SIP, battery=256), r"^Sip\.battery: 256 does not fit an unsigned 8-bit integer \(0 to 255\)$"),
        (replace(SIP, x=-1), r"^Sip\.x: -1 does not fit an unsigned 16-bit integer \(0 to 65535\)$"),
        (
            replace(SIP, sonar=(SipSonarReading(number=0, range=70_000),)),
            r"^Sip\.sonar: SipSonarReading\.range: 70000 does not fit",
        ),
        (replace(SIP, sonar=(SipSonarReading(number=0, range=0),) * 256), r"^Sip\.sonar: 256 does not fit"),
        (Encoders(left=1 << 31, right=0), r"^Encoders\.left: 2147483648 does not fit a signed 32-bit"),
        (SyncReply(name="a\0b", robot_class="", subclass=""), r"^SyncReply\.name: .* contains a NUL"),
        (
            Playlist(number=1, enabled=1, name="x" * 17, offset=0, length=0),
            r"^Playlist\.name: .* is longer than its 16-character field$",
        ),
        (replace(SIP, battery_x10=120), r"^Sip\.battery_x10 requires port_low, which comes before it$"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_encoding_a_value_that_does_not_fit_is_refused(packet: Packet, reason: str) -> None:
    """A value that does not fit is refused with the packet, the field and the reason."""
    with pytest.raises(ValueError, match=reason):
        packet.encode()


def test_a_text_may_fill_its_field() -> None:
    packet = Playlist(number=1, enabled=1, name=16 * "x", offset=0, length=0)
    assert parse(packet.encode()) == packet


@pytest.mark.parametrize("table", [ACTIVMEDIA_PACKETS, ERRATIC_PACKETS], ids=["family", "erratic"])
def test_the_default_id_of_a_packet_is_its_own(table: PacketTable) -> None:
    for kind in {kind for kinds in table.values() for kind in kinds}:
        default = fields(kind)[0].default  # type: ignore[arg-type]
        assert default is MISSING or kind in table[default]


class TestParser:
    @pytest.mark.parametrize("number", [0xFE, 0xFF])
    def test_a_reset_may_carry_bytes(self, number: int) -> None:
        assert parse(bytes([number, 1, 2])) == Reset(id=number, payload=b"\x01\x02")

    def test_a_packet_too_short_says_what_is_missing(self) -> None:
        packet = parse(b"\x90\x00\x00\x00\x00\x01")
        assert packet == Malformed(
            id=0x90, payload=bytes([0, 0, 0, 0, 1]), reason="Encoders: 4-byte integer at offset 5 of 6 bytes"
        )

    def test_an_id_of_another_robot_is_unknown(self) -> None:
        assert parse(b"\x9b\x00") == Unknown(id=0x9B, payload=b"\x00")
        assert parse(b"\x31" + bytes(25), ERRATIC_PACKETS).id == 0x31

    @pytest.mark.parametrize("length", [18, 19, 20])
    def test_the_motor_packet_is_told_by_its_length(self, length: int) -> None:
        packet = parse(b"\x82" + bytes(length - 1), ERRATIC_PACKETS)
        assert type(packet) is (ShortMotor if length == 18 else Motor)


# --- The SIP

IO = {"port_low": 1, "port_high": 0, "analog": 128, "digital_in": 0x3F, "digital_out": 0}
AMIGO_SH = {**IO, "battery_x10": 125, "charge_state": 0}
ARCOS = {
    **AMIGO_SH,
    "rotation_velocity": -155,
    "faults": 1 << 4,
    "lateral_velocity": -20,
    "temperature": -127,
    "state_of_charge": 80,
}
MTX = {**ARCOS, "robot_time": 0xFFFF_FFFF, "flags3": 1}


BUMPERS = {"left_stall_bumpers": 0xFE, "right_stall_bumpers": 0xFE}


class TestSip:
    """docs/protocol 5.2."""

    @pytest.mark.parametrize(
        ("tail", "count"),
        [({}, 22), (IO, 27), (AMIGO_SH, 30), (ARCOS, 38), (MTX, 46)],
        ids=["no I/O", "AmigOS", "AmigoSH", "ARCOS", "MTX"],
    )
    @pytest.mark.parametrize("pings", [0, 16])
    def test_each_firmware_ends_it_elsewhere(self, tail: dict[str, int], count: int, pings: int) -> None:
        packet = replace(SIP, sonar=tuple(SipSonarReading(number=i, range=1000 + i) for i in range(pings)), **tail)
        assert encode_frame(packet.encode())[2] == count + 3 * pings
        result = parse(packet.encode())
        assert result == packet
        absent = {field.name for field in fields(Sip) if getattr(result, field.name) is None}
        assert absent == MTX.keys() - tail.keys()

    def test_before_the_sonar_count_nothing_is_optional(self) -> None:
        packet = parse(SIP.encode()[:-1])
        assert packet == Malformed(
            id=0x32, payload=SIP.encode()[1:-1], reason="Sip: 1-byte integer at offset 19 of 19 bytes"
        )

    def test_a_wrong_sonar_count_costs_only_what_follows(self) -> None:
        """MobileSim counts the readings it has, not those it packs. Nothing tells the two apart."""
        readings = tuple(SipSonarReading(number=i, range=1000 * i) for i in range(2))
        data = bytearray(replace(SIP, x=77, sonar=readings).encode())
        data[19] = 16
        assert parse(bytes(data)) == replace(SIP, x=77, sonar=readings)
        packet = parse(bytes(data) + bytes([1, 0, 128, 0x3F, 0, 125, 0, 0]))
        assert isinstance(packet, Sip)
        assert (packet.x, packet.sonar[:2], len(packet.sonar)) == (77, readings, 4)

    @pytest.mark.parametrize(
        ("values", "meaning"),
        [
            ({}, {"moving": False, "left_stalled": False, "right_stalled": False, "motors_enabled": False}),
            ({"id": 0x33}, {"moving": True}),
            ({"id": 0x31}, {"moving": False}),
            ({"left_velocity": 1}, {"moving": True}),
            ({"right_velocity": -1}, {"moving": True}),
            ({"left_stall_bumpers": 1}, {"left_stalled": True, "right_stalled": False}),
            ({"right_stall_bumpers": 1}, {"left_stalled": False, "right_stalled": True}),
            (BUMPERS, {"left_stalled": False, "right_stalled": False}),
            ({"flags": 0b00_0001}, {"motors_enabled": True, "sonar_enabled": False, "stop_button": False}),
            ({"flags": 0b00_0010}, {"motors_enabled": False, "sonar_enabled": True, "stop_button": False}),
            ({"flags": 0b01_0000}, {"sonar_enabled": True, "stop_button": False}),  # AROS: only the last array
            ({"flags": 0b10_0000}, {"motors_enabled": False, "sonar_enabled": False, "stop_button": True}),
            ({"flags": 0xFFC0}, {"motors_enabled": False, "sonar_enabled": False, "stop_button": False}),
            ({"battery": 123}, {"volts": 12.3}),
            ({"battery": 123, "battery_x10": 0}, {"volts": 12.3}),
            ({"battery": 255, "battery_x10": 265}, {"volts": 26.5}),
            ({}, {"charging": None, "charge_name": "", "fault_names": (), "celsius": None, "charge": None}),
            ({"charge_state": 255}, {"charging": None, "charge_name": "unknown"}),
            ({"charge_state": 0}, {"charging": False, "charge_name": "not charging"}),
            ({"charge_state": 3}, {"charging": True, "charge_name": "float"}),
            ({"faults": 1 << 4 | 1 << 15}, {"fault_names": ("gyro", "safety 6")}),
            ({"temperature": -127}, {"celsius": None}),
            ({"temperature": 31}, {"celsius": 31}),
            ({"state_of_charge": 0}, {"charge": None}),
            ({"state_of_charge": 100}, {"charge": 100}),
            ({"state_of_charge": 101}, {"charge": None}),
        ],
        ids=str,
    )
    def test_fields_mean_what_the_manual_says(self, values: dict[str, int], meaning: dict[str, object]) -> None:
        packet = sip(**values)
        assert {name: getattr(packet, name) for name in meaning} == meaning


# --- CONFIGpac

_FRAMES = json.loads((Path(__file__).parent / "data" / "packets.json").read_text())
CONFIG = parse(bytes.fromhex(_FRAMES["config_amigos"])[3:-2])
assert isinstance(CONFIG, Config)
CONFIG_SH = parse(bytes.fromhex(_FRAMES["config_sh"])[3:-2])
assert isinstance(CONFIG_SH, Config)


class TestConfig:
    """docs/protocol 5.5."""

    @pytest.mark.parametrize(
        ("tail", "read_as", "version"),
        [
            (AmigoShTail(version="1", version_minor="3", charge_threshold=115), None, "1.3"),
            (ArcosTail(version="2.4"), None, "2.4"),
            (ArcosTail(version="2.4", gyro_cw=0x1234, gyro_ccw=0x1235, kinematics_delay=1), None, "2.4"),
            # Both readings fit: it is an AmigoSH.
            (
                ArcosTail(version="2", gyro_cw=0x0033, gyro_ccw=115),
                AmigoShTail(version="2", version_minor="3", charge_threshold=115),
                "2.3",
            ),
        ],
        ids=str,
    )
    def test_the_end_tells_amigosh_from_arcos(
        self, tail: AmigoShTail | ArcosTail, read_as: AmigoShTail | None, version: str
    ) -> None:
        """docs/protocol E-67."""
        packet = parse(replace(CONFIG_SH, tail=tail).encode())
        assert packet == replace(CONFIG_SH, tail=read_as or tail)
        assert packet.firmware_version == version  # type: ignore[attr-defined]

    def test_the_first_bytes_of_a_real_pioneer_identify_it(self) -> None:
        """The first of 137 bytes of the P3-DX-SH of AriaCoda's issue 15, as far as they were published."""
        real = bytes.fromhex(
            "20 50696f6e656572 00 70336478 2d7368 00 474a435f33313536 00 00 6801 e803 2c01 d007 f401"
            "46415045 53505f33313536 00 64"
        )
        packet = parse(real + bytes(60))
        assert isinstance(packet, Config)
        identity = packet.robot_class, packet.subclass, packet.serial, packet.name
        assert identity == ("Pioneer", "p3dx-sh", "GJC_3156", "FAPESP_3156")
        tops = packet.rot_vel_top, packet.trans_vel_top, packet.rot_acc_top, packet.trans_acc_top
        assert (*tops, packet.pwm_max, packet.info_cycle) == (360, 1000, 300, 2000, 500, 100)

    def test_config_values_lists_every_field(self) -> None:
        values = dict(CONFIG_SH.values())
        assert list(values)[:3] == ["robot_class", "subclass", "serial"]
        assert list(values)[-3:] == ["version", "version_minor", "charge_threshold"]
        assert values.keys().isdisjoint({"id", "tail"})
        assert values["sonar_cycle"] == 50
        assert "sonar_cycle" not in dict(CONFIG.values())
        assert CONFIG.firmware_version == ""

    def test_the_info_cycle_is_a_code_only_below_two(self) -> None:
        assert [replace(CONFIG, info_cycle=code).info_cycle_ms for code in (0, 1, 2, 255)] == [100, 50, 2, 255]
