# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The packets a robot sends: one description for parser and builder, optional tails, what values mean.

Every packet with known bytes is in test_protocol_vectors; here are the properties and the odd cases.
"""

from __future__ import annotations

import typing
from dataclasses import fields, replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amigobot_driver.protocol import (
    ACTIVMEDIA_PACKETS,
    AmigoShTail,
    ArcosTail,
    Config,
    Encoders,
    Io,
    Malformed,
    Packet,
    PacketTable,
    Playlist,
    Sip,
    SipSonarReading,
    SyncReply,
    Unknown,
    encode_frame,
    parse,
    wire,
)
from amigobot_driver.protocol.erratic import ERRATIC_PACKETS, Motor, ShortMotor

TABLES = {"ActivMedia": ACTIVMEDIA_PACKETS, "Erratic": ERRATIC_PACKETS}
any_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)


def kinds(table: PacketTable) -> dict[type[Packet], tuple[int, ...]]:
    """The packet classes of a table with the ids they stand for."""
    ids: dict[type[Packet], tuple[int, ...]] = {}
    for number, classes in table.items():
        for kind in classes:
            ids[kind] = (*ids.get(kind, ()), number)
    return ids


# --- Strategies, from the same annotations that the parser and the builder read

# Every character of latin-1 but the NUL that ends a text.
CHARACTERS = st.characters(min_codepoint=1, max_codepoint=0xFF)


def values(codec: wire.Codec) -> st.SearchStrategy[object]:
    """Everything that a codec can write and read back."""
    match codec:
        case wire.Int(_size=size, _signed=True):
            return st.integers(-(1 << 8 * size - 1), (1 << 8 * size - 1) - 1)
        case wire.Int(_size=size):
            return st.integers(0, (1 << 8 * size) - 1)
        case wire.CString():
            return st.text(CHARACTERS, max_size=20)
        case wire.FixedString(_size=size):
            return st.text(CHARACTERS, max_size=size)
        case wire.Rest():
            return st.binary(max_size=40)
        case wire.Counted(_item=item):
            return st.lists(values(item), max_size=16).map(tuple)
        case wire.Record(_alternatives=alternatives):
            return st.one_of(*map(records, alternatives))
    raise AssertionError(f"{codec} has no strategy yet")


def reads_as_amigosh(tail: object) -> bool:
    """An ARCOS tail with a second text of digits, or one that looks like AmigoSH's end: nothing tells them apart."""
    version, _, behind = wire.pack(tail).partition(b"\0")
    two_texts = version.isdigit() and behind.partition(b"\0")[0].isdigit()
    return isinstance(tail, ArcosTail) and (two_texts or (len(behind) > 2 and behind.find(0) == len(behind) - 3))


@cache
def records(cls: type, ids: tuple[int, ...] | None = None) -> st.SearchStrategy[typing.Any]:
    """Instances of a dataclass: all mandatory fields, and the optional ones up to any of them."""
    hints = typing.get_type_hints(cls, include_extras=True)
    codecs, optional = {}, []
    for field in fields(cls):
        hint = hints[field.name]
        if typing.get_origin(hint) is not typing.Annotated:  # an Annotated[...] | None
            optional.append(field.name)
            hint = typing.get_args(hint)[0]
        codecs[field.name] = values(hint.__metadata__[0])
    if ids is not None:
        codecs["id"] = st.sampled_from(ids)

    def up_to(count: int) -> st.SearchStrategy[typing.Any]:
        return st.builds(cls, **{name: codec for name, codec in codecs.items() if name not in optional[count:]})

    instances = st.one_of([up_to(count) for count in range(len(optional) + 1)])
    return instances.filter(lambda tail: not reads_as_amigosh(tail)) if cls is ArcosTail else instances


CASES = [
    pytest.param(table, cls, ids, id=f"{name} {cls.__name__}")
    for name, table in TABLES.items()
    for cls, ids in kinds(table).items()
]


@pytest.mark.parametrize(("table", "cls", "ids"), CASES)
@settings(max_examples=30)
@given(data=st.data())
def test_every_packet_survives_encoding_and_parsing(
    table: PacketTable, cls: type[Packet], ids: tuple[int, ...], data: st.DataObject
) -> None:
    packet = data.draw(records(cls, ids))
    result = parse(packet.encode(), table)
    assert result == packet
    assert type(result) is cls


@any_table
@given(data=st.data())
def test_parsing_any_bytes_after_a_known_id_never_raises(table: PacketTable, data: st.DataObject) -> None:
    number = data.draw(st.sampled_from(sorted(table)))
    payload = data.draw(st.binary(max_size=252))
    packet = parse(bytes([number]) + payload, table)
    assert type(packet) in (*table[number], Malformed)
    if isinstance(packet, Malformed):
        assert packet.encode() == bytes([number]) + payload
        assert "\n" not in packet.reason


# --- What does not fit

SIP = Sip(
    x=0,
    y=0,
    heading=0,
    left_velocity=0,
    right_velocity=0,
    battery=0,
    left_stall_bumpers=0,
    right_stall_bumpers=0,
    control=0,
    flags=0,
    compass=0,
    sonar=(),
)


class TestBuilder:
    """A value that does not fit is refused with the packet, the field and the reason."""

    @pytest.mark.parametrize(
        ("packet", "reason"),
        [
            (replace(SIP, battery=256), r"^Sip\.battery: 256 does not fit an unsigned 8-bit integer \(0 to 255\)$"),
            (
                replace(SIP, heading=0x8000),
                r"^Sip\.heading: 32768 does not fit a signed 16-bit integer \(-32768 to 32767\)$",
            ),
            (replace(SIP, x=-1), r"^Sip\.x: -1 does not fit an unsigned 16-bit integer \(0 to 65535\)$"),
            (
                replace(SIP, sonar=(SipSonarReading(number=0, range=70_000),)),
                r"^Sip\.sonar: SipSonarReading\.range: 70000 does not fit",
            ),
            (replace(SIP, sonar=(SipSonarReading(number=0, range=0),) * 256), r"^Sip\.sonar: 256 does not fit"),
            (Encoders(left=1 << 31, right=0), r"^Encoders\.left: 2147483648 does not fit a signed 32-bit"),
            (SyncReply(name="a\0b", robot_class="", subclass=""), r"^SyncReply\.name: .* contains a NUL"),
            (SyncReply(name="€", robot_class="", subclass=""), r"^SyncReply\.name: "),
            (
                Playlist(number=1, enabled=1, name="x" * 17, offset=0, length=0),
                r"^Playlist\.name: .* is longer than its 16-character field$",
            ),
            (replace(SIP, battery_x10=120), r"^Sip\.battery_x10 requires port_low, which comes before it$"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_encoding_a_value_that_does_not_fit_is_refused(self, packet: Packet, reason: str) -> None:
        with pytest.raises(ValueError, match=reason):
            packet.encode()


class TestParser:
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

    def test_an_io_packet_goes_by_its_own_counts(self) -> None:
        """AROS sends four input bytes where AmigOS sends one."""
        assert parse(bytes.fromhex("F0 04 2A000100 01 05 01 0002")) == Io(
            digital_in=(0x2A, 0, 1, 0), digital_out=(5,), analog=(512,)
        )


# --- The standard packet

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


class TestSip:
    """docs/protocol.md 5.2."""

    @pytest.mark.parametrize(
        ("tail", "count"),
        [({}, 22), (IO, 27), (AMIGO_SH, 30), (ARCOS, 38), (MTX, 46)],
        ids=["no I/O", "AmigOS", "AmigoSH", "ARCOS", "MTX"],
    )
    @pytest.mark.parametrize("pings", [0, 1, 2, 8, 16])
    def test_each_firmware_ends_it_elsewhere(self, tail: dict[str, int], count: int, pings: int) -> None:
        sip = replace(SIP, sonar=tuple(SipSonarReading(number=i, range=1000 + i) for i in range(pings)), **tail)
        assert encode_frame(sip.encode())[2] == count + 3 * pings
        result = parse(sip.encode())
        assert result == sip
        absent = {field.name for field in fields(Sip) if getattr(result, field.name) is None}
        assert absent == MTX.keys() - tail.keys()

    def test_a_sonar_count_too_high_costs_what_is_behind_it_and_no_more(self) -> None:
        """MobileSim counts the readings it has, not those it packs. Nothing tells the two apart."""
        readings = tuple(SipSonarReading(number=i, range=1000 * i) for i in range(2))
        data = bytearray(replace(SIP, x=77, sonar=readings).encode())
        data[19] = 16
        assert parse(bytes(data)) == replace(SIP, x=77, sonar=readings)
        packet = parse(bytes(data) + bytes([1, 0, 128, 0x3F, 0, 125, 0, 0]))
        assert isinstance(packet, Sip)
        assert (packet.x, packet.sonar[:2], len(packet.sonar)) == (77, readings, 4)

    @pytest.mark.parametrize(
        ("left", "right", "stalled"),
        [
            (0, 0, (False, False)),
            (1, 0, (True, False)),
            (0, 1, (False, True)),
            (1, 1, (True, True)),
            (0xFE, 0xFE, (False, False)),  # bumpers
        ],
    )
    def test_stalls_are_bit_0_of_their_byte(self, left: int, right: int, stalled: tuple[bool, bool]) -> None:
        sip = replace(SIP, left_stall_bumpers=left, right_stall_bumpers=right)
        assert (sip.left_stalled, sip.right_stalled) == stalled

    @pytest.mark.parametrize(
        ("flags", "motors", "sonar", "button"),
        [
            (0b00_0000, False, False, False),
            (0b00_0001, True, False, False),
            (0b00_0010, False, True, False),
            (0b01_1111, True, True, False),
            (0b01_0000, False, True, False),  # AROS: only the last array
            (0b10_0000, False, False, True),
            (0xFFC0, False, False, False),
        ],
    )
    def test_sip_flags_have_their_bits(self, flags: int, motors: bool, sonar: bool, button: bool) -> None:
        sip = replace(SIP, flags=flags)
        assert (sip.motors_enabled, sip.sonar_enabled, sip.stop_button) == (motors, sonar, button)

    @pytest.mark.parametrize(("battery", "battery_x10", "volts"), [(123, None, 12.3), (123, 0, 12.3), (255, 265, 26.5)])
    def test_volts_come_from_the_wider_field_where_it_is_filled(
        self, battery: int, battery_x10: int | None, volts: float
    ) -> None:
        assert replace(SIP, battery=battery, battery_x10=battery_x10).volts == volts

    @pytest.mark.parametrize(
        ("state", "charging"),
        [(None, None), (255, None), (0, False), (1, True), (2, True), (3, True), (4, True)],
    )
    def test_charging_is_unknown_where_the_packet_does_not_say(self, state: int | None, charging: bool | None) -> None:
        assert replace(SIP, charge_state=state).charging is charging


# --- CONFIGpac

CONFIG = Config(
    robot_class="Pioneer",
    subclass="amigo",
    serial="1234",
    rot_vel_top=360,
    trans_vel_top=2200,
    rot_acc_top=360,
    trans_acc_top=4000,
    pwm_max=255,
    name="not_set",
    info_cycle=0,
    host_baud=0,
    aux1_baud=0,
    front_sonar=1,
    rear_sonar=0,
    low_battery=110,
    rev_count=23310,
    watchdog=2000,
    stall_val=255,
    stall_count=100,
    rot_vel_max=200,
    trans_vel_max=300,
    rot_acc=50,
    rot_decel=50,
    rot_kp=30,
    rot_kv=60,
    rot_ki=0,
    trans_acc=300,
    trans_decel=300,
    trans_kp=40,
    trans_kv=80,
    trans_ki=0,
)
SH_FIELDS = {
    "front_bumpers": 0,
    "rear_bumpers": 0,
    "charger": 0,
    "sonar_cycle": 40,
    "auto_baud": 2,
    "has_gyro": 1,
    "drift_factor": -5,
    "aux2_baud": 0,
    "aux3_baud": 0,
    "ticks_mm": 30,
    "shutdown_volts": 100,
}
ARCOS_TAIL = ArcosTail(
    version="2.4",
    gyro_cw=0x1234,
    gyro_ccw=0x1235,
    kinematics_delay=1,
    lateral_vel_top=0,
    lateral_acc_top=0,
    lateral_vel_max=0,
    lateral_acc=0,
    lateral_decel=0,
    charge_threshold=115,
    pdb_port=0,
    gyro_rate_limit=0,
    high_temp_shutdown=-127,
    power_bits=0,
    battery_type=0,
    charge_low=0,
    charge_shutdown=0,
    bootloader_version="1.0",
    config_flags=0xFFFF_FFFF,
    gyro_firmware=-1,
)


class TestConfig:
    """docs/protocol.md 5.5."""

    def test_amigos_ends_with_the_pids(self) -> None:
        texts = sum(len(text) + 1 for text in ("Pioneer", "amigo", "1234", "not_set"))
        assert len(CONFIG.encode()) == 59 + texts
        packet = parse(CONFIG.encode())
        assert packet == CONFIG
        assert all(getattr(packet, name) is None for name in (*SH_FIELDS, "tail"))

    def test_amigosh_has_two_version_texts_and_a_threshold(self) -> None:
        """docs/protocol.md E-67: taken where the packet ends exactly there."""
        config = replace(CONFIG, **SH_FIELDS, tail=AmigoShTail(version="1", version_minor="3", charge_threshold=115))
        assert config.encode().endswith(bytes.fromhex("6400 3100 3300 7300"))
        assert parse(config.encode()) == config
        assert config.firmware_version == "1.3"

    @pytest.mark.parametrize("last", [field.name for field in fields(ArcosTail)])
    def test_arcos_has_one_version_text_and_any_number_of_fields(self, last: str) -> None:
        names = [field.name for field in fields(ArcosTail)]
        kept = names[: names.index(last) + 1]
        config = replace(CONFIG, **SH_FIELDS, tail=ArcosTail(**{name: getattr(ARCOS_TAIL, name) for name in kept}))
        assert parse(config.encode()) == config
        assert config.firmware_version == "2.4"

    def test_the_first_bytes_of_a_real_pioneer_are_its_identity_and_limits(self) -> None:
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

    @pytest.mark.parametrize(("code", "milliseconds"), [(0, 100), (1, 50), (2, 2), (50, 50), (100, 100), (255, 255)])
    def test_the_info_cycle_is_a_code_on_amigos_and_milliseconds_elsewhere(self, code: int, milliseconds: int) -> None:
        assert replace(CONFIG, info_cycle=code).info_cycle_ms == milliseconds

    def test_config_values_lists_every_field(self) -> None:
        config = replace(CONFIG, **SH_FIELDS, tail=AmigoShTail(version="1", version_minor="3", charge_threshold=0))
        values = dict(config.values())
        assert list(values)[:3] == ["robot_class", "subclass", "serial"]
        assert list(values)[-3:] == ["version", "version_minor", "charge_threshold"]
        assert values.keys().isdisjoint({"id", "tail"})
        assert SH_FIELDS.items() <= values.items()
        assert "sonar_cycle" not in dict(CONFIG.values())
