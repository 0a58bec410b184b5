# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Every verified frame of the protocol reference, both ways: bytes to value and value to bytes.

`data/packets.json` holds the frames by name; the tables here say what each of them means.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from amigobot_driver.protocol import (
    ACTIVMEDIA_PACKETS,
    AmigoShTail,
    Aux,
    Command,
    Config,
    Encoders,
    ErraticCommand,
    FrameDecoder,
    Gyro,
    GyroSample,
    Instruction,
    Io,
    Packet,
    Playlist,
    Reset,
    Sip,
    SipSonarReading,
    SyncEcho,
    SyncReply,
    decode,
    encode_frame,
    erratic,
    parse,
)
from amigobot_driver.protocol.packets import Arm, BatteryInfo, Compass, Gripper, Joystick

_FILE = Path(__file__).parent / "data" / "packets.json"
FRAMES = {name: bytes.fromhex(text) for name, text in json.loads(_FILE.read_text()).items()}


def pings(*readings: tuple[int, int]) -> tuple[SipSonarReading, ...]:
    return tuple(SipSonarReading(number=number, range=value) for number, value in readings)


def port_1_at_half_scale() -> dict[str, int]:
    """The last five bytes of the AmigOS examples."""
    return {"port_low": 1, "port_high": 0, "analog": 0x80, "digital_in": 0, "digital_out": 0}


#: What both CONFIGpac examples have in common: the FLASH defaults.
FLASH = {
    "robot_class": "Pioneer",
    "rot_vel_top": 360,
    "trans_vel_top": 2200,
    "rot_acc_top": 360,
    "trans_acc_top": 4000,
    "host_baud": 0,
    "aux1_baud": 0,
    "front_sonar": 1,
    "rear_sonar": 0,
    "low_battery": 110,
    "rev_count": 23310,
    "watchdog": 2000,
    "stall_val": 255,
    "stall_count": 100,
    "rot_vel_max": 200,
    "trans_vel_max": 300,
    "rot_acc": 50,
    "rot_decel": 50,
    "rot_kp": 30,
    "rot_kv": 60,
    "rot_ki": 0,
    "trans_acc": 300,
    "trans_decel": 300,
    "trans_kp": 40,
    "trans_kv": 80,
    "trans_ki": 0,
}

COMMANDS: dict[str, Instruction] = {
    "pulse": Command.PULSE(),
    "open": Command.OPEN(),
    "open_aria": Command.OPEN(),
    "close": Command.CLOSE(),
    "close_aria": Command.CLOSE(),
    "sync2": Command.CLOSE(),  # one number, the robot's state decides; sync0 and sync1 stand below as echoes
    "polling": Command.POLLING(bytes([1, 2, 3, 4, 5, 6, 7, 8])),
    "polling_front": Command.POLLING(bytes([2, 3, 4, 5])),
    "polling_empty": Command.POLLING(b""),
    "enable1": Command.ENABLE(1),
    "enable0": Command.ENABLE(0),
    "seta300": Command.SETA(300),
    "seta_m300": Command.SETA(-300),
    "setv500": Command.SETV(500),
    "seto": Command.SETO(),
    "seto_player": Command.SETO(),
    "move_m250": Command.MOVE(-250),
    "rotate20": Command.ROTATE(20),
    "setrv100": Command.SETRV(100),
    "vel200": Command.VEL(200),
    "vel_m200": Command.VEL(-200),
    "vel0": Command.VEL(0),
    "head90": Command.HEAD(90),
    "head_m90": Command.HEAD(-90),
    "dhead_m45": Command.DHEAD(-45),
    "say": Command.SAY(bytes([25, 20, 10, 40])),
    "joyinfo": Command.JOYREQUEST(2),
    "config": Command.CONFIG(),
    "config_aria": Command.CONFIG(),
    "encoder0": Command.ENCODER(0),
    "encoder1": Command.ENCODER(1),
    "encoder2": Command.ENCODER(2),
    "setrvdir": Command.SETRVDIR(60),
    "rvel_m30": Command.RVEL(-30),
    "dchead10": Command.DCHEAD(10),
    "setra50": Command.SETRA(50),
    "setra_m50": Command.SETRA(-50),
    "sonar1": Command.SONAR(1),
    "sonar0": Command.SONAR(0),
    "stop": Command.STOP(),
    "digout": Command.DIGOUT(0x0501),  # mask 05, states 01
    "digout_aros_page": Command.DIGOUT(0xF6E7),  # the negative of 0x0919
    "vel2_p_p": Command.VEL2(0x0A0A),  # left 10, right 10
    "vel2_raw": Command.VEL2(0xF60A),  # left -10, right 10
    "vel2_aria": Command.VEL2(0xF60A),
    "vel2_rn_raw": Command.VEL2(0x0AF6),  # left 10, right -10
    "vel2_rn_aria": Command.VEL2(0x0AF6),
    "gripper": Command.GRIPPER(1),
    "adsel2": Command.ADSEL(2),
    "grippac": Command.GRIPREQUEST(2),
    "ioreq0": Command.IOREQUEST(0),
    "ioreq1": Command.IOREQUEST(1),
    "ioreq2": Command.IOREQUEST(2),
    "ptupos": Command.PTUPOS(0x0196),  # servo 1, 1500 us
    "tty2": Command.TTY2(b"AT\r"),
    "tty2_aria": Command.TTY2(b"AT\r"),
    "tty3": Command.TTY3(b"RS\r"),
    "getaux10": Command.GETAUX(10),
    "getaux0": Command.GETAUX(0),
    "getaux2_19": Command.GETAUX2(19),
    "bumpstall3": Command.BUMPSTALL(3),
    "tcm2": Command.TCM2(3),
    "joydrive": Command.JOYDRIVE(1),
    "sonarcycle": Command.SONARCYCLE(40),
    "hostbaud2": Command.HOSTBAUD(2),
    "aux1baud": Command.AUX1BAUD(0),
    "estop": Command.E_STOP(),
    "gyro1": Command.GYRO(1),
    "battinfo": Command.BATTERYINFO(1),
    "step": Command.STEP(),
    "rotkp": Command.ROTKP(30),
    "rotkv": Command.ROTKV(60),
    "rotki": Command.ROTKI(0),
    "transkp": Command.TRANSKP(40),
    "transkv": Command.TRANSKV(80),
    "transki": Command.TRANSKI(0),
    "revcount": Command.REVCOUNT(23310),
    "drift": Command.DRIFTFACTOR(-5),
    "sound10": Command.SOUND(10),
    "playlist0": Command.PLAYLIST(0),
    "playlist50": Command.PLAYLIST(50),
    "soundtog0": Command.SOUNDTOG(0),
    "soundtog1": Command.SOUNDTOG(1),
    "ticksmm": Command.TICKSMM(132),
    "battest": Command.BATTEST(98),
    "er_config_req": ErraticCommand.CONFIG(),
    "er_enable": ErraticCommand.ENABLE(1),
    "er_stop": ErraticCommand.STOP(),
    "er_stop_end": ErraticCommand.STOP(),
    "er_vel300": ErraticCommand.VEL(300),
    "er_rvel_m20": ErraticCommand.RVEL(-20),
    "er_transpos": ErraticCommand.MOVE(500),
    "er_head": ErraticCommand.HEAD(120),
    "er_dhead": ErraticCommand.DHEAD(10),
    "er_wheel": ErraticCommand.VEL2(0x0A0F),  # left 10, right 15
    "er_analog": ErraticCommand.ANALOG(1),
    "er_save": ErraticCommand.SAVE(),
    "er_save_player": ErraticCommand.SAVE(),
    "er_pwm": ErraticCommand.PWM_FREQ(16000),
    "er_duty": ErraticCommand.PWM_DUTY(70),
    "er_duty_player": ErraticCommand.PWM_DUTY(700),
    "er_servo": ErraticCommand.SERVO(bytes([1, 0x72, 0x06])),  # servo 1 to 1650
    "er_transp": ErraticCommand.TRANS_P(40),
    "er_name": ErraticCommand.NAME(b"Erratic-1"),
}

PACKETS: dict[str, Packet] = {
    "sync0": SyncEcho(id=0),
    "sync1": SyncEcho(id=1),
    "sync2_amigo": SyncReply(name="not_set", robot_class="Pioneer", subclass="amigo"),
    "sync2_amigosh": SyncReply(name="Amigo_7", robot_class="Pioneer", subclass="amigo-sh"),
    "sync2_p3": SyncReply(name="lab1", robot_class="Pioneer", subclass="p3dx-sh"),
    "reset255": Reset(id=0xFF),
    # Example A: standing, motors off, sonar on.
    "sip_stop": Sip(
        id=0x32,
        x=0,
        y=0,
        heading=0,
        left_velocity=0,
        right_velocity=0,
        battery=123,
        left_stall_bumpers=0,
        right_stall_bumpers=0,
        control=0,
        flags=0b10,
        compass=0,
        sonar=pings((0, 1234), (1, 2500)),
        **port_1_at_half_scale(),
    ),
    # Example B: moving at 90 degrees, shortly before X wraps.
    "sip_move1": Sip(
        id=0x33,
        x=32760,
        y=5,
        heading=1024,
        left_velocity=320,
        right_velocity=335,
        battery=121,
        left_stall_bumpers=0,
        right_stall_bumpers=0,
        control=1024,
        flags=0b11,
        compass=0,
        sonar=pings((2, 1500), (3, 1520)),
        **port_1_at_half_scale(),
    ),
    # Example C: the packet after it.
    "sip_move2": Sip(
        id=0x33,
        x=12,
        y=5,
        heading=1024,
        left_velocity=320,
        right_velocity=335,
        battery=121,
        left_stall_bumpers=0,
        right_stall_bumpers=0,
        control=1024,
        flags=0b11,
        compass=0,
        sonar=pings((4, 900), (5, 6100)),
        **port_1_at_half_scale(),
    ),
    # Example D: backing at -45 degrees, both wheels stalled, no new ping.
    "sip_stall": Sip(
        id=0x33,
        x=200,
        y=300,
        heading=-512,
        left_velocity=-163,
        right_velocity=-163,
        battery=109,
        left_stall_bumpers=1,
        right_stall_bumpers=1,
        control=-512,
        flags=0b11,
        compass=0,
        sonar=(),
        **port_1_at_half_scale(),
    ),
    # Example E: AmigoSH, with the two fields it adds.
    "sip_sh": Sip(
        id=0x33,
        x=1500,
        y=0xFF38,
        heading=2047,
        left_velocity=250,
        right_velocity=250,
        battery=125,
        left_stall_bumpers=0,
        right_stall_bumpers=0,
        control=0,
        flags=0b11,
        compass=0,
        sonar=pings((0, 700), (1, 4100), (2, 5000)),
        port_low=0,
        port_high=1,
        analog=0x40,
        digital_in=0,
        digital_out=0,
        battery_x10=125,
        charge_state=0,
    ),
    # Example F: ARCOS, turning on the spot, up to the state of charge.
    "sip_arcos": Sip(
        id=0x33,
        x=100,
        y=50,
        heading=-300,
        left_velocity=48,
        right_velocity=-48,
        battery=126,
        left_stall_bumpers=0,
        right_stall_bumpers=0,
        control=0,
        flags=0b111,
        compass=0,
        sonar=pings((0, 1000)),
        port_low=0,
        port_high=0,
        analog=0,
        digital_in=0xFF,
        digital_out=0xFF,
        battery_x10=126,
        charge_state=0,
        rotation_velocity=-155,
        faults=1 << 4,
        lateral_velocity=0,
        temperature=-127,
        state_of_charge=0,
    ),
    "iopac": Io(digital_in=(0x2A,), digital_out=(0x05,), analog=(0, 512, 1023, 256, 614)),
    "config_amigos": Config(**FLASH, subclass="amigo", serial="1234", name="not_set", pwm_max=255, info_cycle=0),
    "config_sh": Config(
        **FLASH,
        subclass="amigo-sh",
        serial="5678",
        name="Amigo_7",
        pwm_max=500,
        info_cycle=100,
        front_bumpers=0,
        rear_bumpers=0,
        charger=0,
        sonar_cycle=50,
        auto_baud=2,
        has_gyro=1,
        drift_factor=0,
        aux2_baud=0,
        aux3_baud=0,
        ticks_mm=30,
        shutdown_volts=100,
        tail=AmigoShTail(version="1", version_minor="3", charge_threshold=0),
    ),
    "encoderpac": Encoders(left=123456, right=-1000),
    "seraux": Aux(id=0xB0, data=b"HELLO"),
    "seraux2": Aux(id=0xB8, data=bytes([255, ord("M"), 40, 70, 30, 60, 50, 80, 90, 120])),
    "seraux3": Aux(id=0xC8, data=b"OK"),
    "playlist_count": Playlist(number=60, enabled=1, name="", offset=0, length=0),
    "playlist_entry": Playlist(number=50, enabled=1, name="whoosh", offset=0x12345, length=9000),
    "playlist_group": Playlist(number=51, enabled=1, name="~animals", offset=0, length=0),
    "gyropac": Gyro(
        samples=(
            GyroSample(rate=512, temperature=40),
            GyroSample(rate=511, temperature=40),
            GyroSample(rate=520, temperature=41),
            GyroSample(rate=512, temperature=40),
        )
    ),
    "grippac_r": Gripper(type=0, switches=0, grasp_time=0),
    "joypac": Joystick(button1=1, button2=0, x=512, y=700, throttle=1000),
    "tcmpac": Compass(
        heading=1234,
        pitch=-15,
        roll=20,
        mag_x=2500,
        mag_y=-300,
        mag_z=4100,
        temperature=253,
        error=0,
        calibration_h=9,
        calibration_v=8,
        calibration_m=4500,
    ),
    "battpac": BatteryInfo(count=1, size=5, records=bytes([0, 0, 0, 90, 88])),
    "armpac": Arm(status=3, moving=0, joints=bytes([0x80] * 6)),
    "er_motor": erratic.Motor(
        id=0x83,
        x=1000,
        y=-50,
        heading=1024,
        left_velocity=300,
        right_velocity=300,
        battery=122,
        stall=0,
        heading_target=0,
        distance_target=0,
    ),
    "er_motor_deg": erratic.Motor(
        id=0x82,
        x=1000,
        y=-50,
        heading=90,
        left_velocity=0,
        right_velocity=0,
        battery=122,
        stall=0b100,
        heading_target=90,
        distance_target=500,
    ),
    "er_motor18": erratic.ShortMotor(
        id=0x82,
        x=1000,
        y=-50,
        heading=1024,
        left_velocity=0,
        right_velocity=0,
        battery=122,
        left_stall=1,
        right_stall=0,
        control=0,
    ),
    "er_config": erratic.ErraticConfig(
        parameter_version=1,
        name="Erratic-1",
        type="Erratic",
        subtype="Rev H",
        serial="1234",
        version=1,
        subversion=0,
        baud_host=2,
        baud_aux=0,
        rev_count=38400,
        watchdog=2000,
        low_battery=110,
        stall_val=700,
        stall_count=20,
        pwm_max=700,
        pwm_wrap=1000,
        rot_vel_max=200,
        trans_vel_max=1000,
        rot_acc=400,
        trans_acc=400,
        rot_decel=400,
        trans_decel=400,
        trans_kp=40,
        trans_kv=80,
        trans_ki=0,
        rot_kp=30,
        rot_kv=60,
        rot_ki=0,
        sonar_conv=350,
    ),
    "er_enc": erratic.ErraticEncoders(left=123456, right=-1000),
    "er_ain": erratic.Analog(analog=(12, 14, 512, 1023), digital=0b10),
    "er_son": erratic.Sonar(readings=pings((3, 1200), (4, 1350))),
}

VALUES: dict[str, Instruction | Packet] = {**COMMANDS, **PACKETS}

#: Frames that other clients spell in their own way, and what this driver sends for the same thing.
SPELLINGS = {
    "open_aria": FRAMES["open"],  # a surplus integer
    "close_aria": FRAMES["close"],
    "config_aria": FRAMES["config"],
    "seto_player": FRAMES["seto"],  # a type byte without a value
    "tty2_aria": FRAMES["tty2"],  # a NUL behind the text
    "vel2_aria": FRAMES["vel2_raw"],  # the word negated
    "digout_aros_page": bytes.fromhex("FAFB 06 1E 3B E7F6 0631"),
    "er_stop_end": FRAMES["er_stop"],  # the manual's END byte
    "er_save_player": FRAMES["er_save"],  # an argument of type 0
}

every_vector = pytest.mark.parametrize("name", FRAMES)


def read(data: bytes, like: Instruction | Packet) -> Instruction | Packet | None:
    """What the data of a frame means to the kind of robot or client that `like` belongs to."""
    if isinstance(like, Instruction):
        return decode(data, type(like.command))
    return parse(data, erratic.ERRATIC_PACKETS if like.__module__ == erratic.__name__ else ACTIVMEDIA_PACKETS)


def data_of(frame: bytes) -> bytes:
    """A frame without its header, count and checksum."""
    return frame[3:-2]


def decoded(*chunks: bytes) -> list[bytes]:
    """The data of the frames that a decoder finds at once, without waiting for a gap."""
    decoder = FrameDecoder()
    return [frame.data for chunk in chunks for frame in decoder.feed(chunk, now=0.0)]


def test_the_tables_cover_every_vector() -> None:
    assert len(FRAMES) == 139
    assert VALUES.keys() == FRAMES.keys()
    assert not COMMANDS.keys() & PACKETS.keys()


@every_vector
def test_bytes_to_value(name: str) -> None:
    value = VALUES[name]
    result = read(data_of(FRAMES[name]), value)
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize("name", COMMANDS)
def test_command_to_bytes(name: str) -> None:
    assert COMMANDS[name].encode() == SPELLINGS.get(name, FRAMES[name])


@pytest.mark.parametrize("name", PACKETS)
def test_packet_to_bytes(name: str) -> None:
    assert encode_frame(PACKETS[name].encode()) == FRAMES[name]


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_client_spelling_means_the_same_as_ours(name: str) -> None:
    assert SPELLINGS[name] != FRAMES[name]
    like = COMMANDS[name]
    assert read(data_of(SPELLINGS[name]), like) == read(data_of(FRAMES[name]), like)


@pytest.mark.parametrize(
    ("name", "command", "packet"),
    [
        ("sync0", Command.PULSE(), SyncEcho(id=0)),
        ("sync1", Command.OPEN(), SyncEcho(id=1)),
    ],
)
def test_a_sync_reads_as_a_command_and_as_its_echo(name: str, command: Instruction, packet: Packet) -> None:
    data = data_of(FRAMES[name])
    assert decode(data) == command
    assert parse(data) == packet
    assert command.encode() == encode_frame(packet.encode()) == FRAMES[name]


#: Ways in which a frame may come: how it is cut, and what stands before and behind it.
NOISE: dict[str, tuple[bytes, bytes]] = {
    "random bytes": (random.Random(1).randbytes(60), random.Random(2).randbytes(60)),
    "FA before the header": (b"\xfa", b""),
    "FA FA FA before the header": (b"\xfa\xfa\xfa", b"\xfa"),
    "count 0": (b"\xfa\xfb\x00", b"\xfa\xfb\x00"),
    "count 2": (b"\xfa\xfb\x02", b"\xfa\xfb\x02\x00\x00"),
    "a damaged checksum": (bytes.fromhex("FAFB 06 0B3BC800 D33C"), b""),
    "a damaged count that takes the first byte": (bytes.fromhex("FAFB 07 0B3BC800 D33B"), b""),
    "a damaged count that takes five bytes": (bytes.fromhex("FAFB 0B 0B3BC800 D33B"), b""),
    "a frame cut short": (bytes.fromhex("FAFB 06 0B3B"), b""),
    "a header cut short": (b"\xfa\xfb\x08", b"\xfa\xfb"),
    "a modem's text": (b"Connecting...\r\nConnected to address 2\r\n", b"|||\r"),
    "a modem's dialling": (b"WMS2\r", b"Partner busy!\r\n"),
}


@every_vector
def test_decoding_a_vector_fed_byte_by_byte(name: str) -> None:
    frame = FRAMES[name]
    assert decoded(*(frame[i : i + 1] for i in range(len(frame)))) == [data_of(frame)]


@pytest.mark.parametrize("noise", NOISE)
@every_vector
def test_decoding_a_vector_inside_noise(name: str, noise: str) -> None:
    frame = FRAMES[name]
    before, after = NOISE[noise]
    assert decoded(before + frame + after) == [data_of(frame)]
