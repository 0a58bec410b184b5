# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Faults for `amigobot doctor`, by the part that fails, and the cause that the doctor must name first.

Chapters are those of the AmigoBot manual; a report of a robot is in docs/reference/field.md, the bounded fault model in
docs/explanation/architecture.md. Most other faults are what people tried in order to mislead the doctor.
"""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Callable

from fault_proxy import Fault, Wire, changing, clean, dead, edited, late, losing, seeded, sip, sips, until

from amigobot_driver.doctor.changed_bytes import uart_reads
from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Command, Config, FrameDecoder, Sip, encode_frame, parse
from amigobot_driver.sim import Faults, Simulator, Window

#: Name: the fault, and the keys of causes of which the first one in the verdict must be one.
FAULTS: dict[str, tuple[Fault, set[str]]] = {}


def add(name: str, fault: Fault, *keys: str) -> None:
    FAULTS[name] = fault, set(keys)


def down(change: Callable[[bytes], bytes]) -> Fault:
    return Fault(down=changing(change))


def simulated(**faults: object) -> Fault:
    return Fault(options={"faults": Faults(**faults)})  # type: ignore[arg-type]


def both(change: Callable[[bytes], bytes]) -> Fault:
    return Fault(up=changing(change), down=changing(change))


def parity(odd: int) -> Callable[[bytes], bytes]:
    return lambda data: bytes(byte & 0x7F | ((byte & 0x7F).bit_count() + odd) % 2 << 7 for byte in data)


def reading(of_frame: Callable[[str], str]) -> Fault:
    """What a UART with 8N1 reads of a session left open, where the levels of each frame are others."""
    read = changing(lambda data: uart_reads("".join(of_frame(f"{byte:08b}"[::-1]) for byte in data) + "1"))
    return Fault(up=dead, down=read, options={"faults": Faults(left_open=9600)})


def without(*values: int) -> Callable[[bytes], bytes]:
    return lambda data: bytes(byte for byte in data if byte not in values)


def dropping(each: int) -> Callable[[bytes], bytes]:
    count = itertools.count(1)
    return lambda data: bytes(byte for byte in data if next(count) % each)


def per_frame(change: Callable[[bytes, float], list[tuple[float, bytes]]]) -> Callable[[], Wire]:
    """Change whole frames, checksum included."""

    def make() -> Wire:
        decoder = FrameDecoder()
        return lambda data, now: [
            piece for f in decoder.feed(data, 0.0) for piece in change(encode_frame(f.data, 253), now)
        ]

    return make


def framed(change: Callable[[bytes], bytes]) -> Callable[[], Wire]:
    return per_frame(lambda frame, now: [(0.0, change(frame))])


def between_every(count: int, text: bytes) -> Callable[[bytes], bytes]:
    """Write a text before every `count`-th frame."""
    numbers = itertools.count()
    return lambda frame: frame if next(numbers) % count else text + frame


def noise(share: float) -> Callable[[], Wire]:
    def damaged(byte: int, chance: random.Random) -> int:
        return byte ^ (1 << chance.randrange(8)) if chance.random() < share else byte

    return seeded(lambda chance: changing(lambda data: bytes(damaged(byte, chance) for byte in data)), 3)


def config(kind: type = Config, robot: str = "amigo", **values: int | str) -> Fault:
    def edit(data: bytearray, now: float) -> list[bytes]:
        packet = parse(bytes(data))
        return [dataclasses.replace(packet, **values).encode()] if isinstance(packet, kind) else [bytes(data)]

    return Fault(robot=robot, down=edited(edit))


def act_once(time: float, action: Callable[[Simulator], object]) -> Callable[[Simulator, float], None]:
    """Act some seconds after the start, once for each simulator."""
    done: list[Simulator] = []

    def act(simulator: Simulator, now: float) -> None:
        if now - 1000.0 > time and simulator not in done:
            done.append(simulator)
            action(simulator)

    return act


def word(at: int, value: Callable[[float, int], int], robot: str = "amigo") -> Fault:
    """Change a 16-bit field of the SIP: from the time since the start, and its value."""

    def change(data: bytearray, now: float) -> None:
        old = int.from_bytes(data[at : at + 2], "little")
        data[at : at + 2] = (value(now - 1000.0, old) & 0xFFFF).to_bytes(2, "little")

    return Fault(robot=robot, down=sip(change))


def byte(at: int, value: Callable[[float, int], int], robot: str = "amigo") -> Fault:
    return Fault(robot=robot, down=sip(lambda data, now: data.__setitem__(at, value(now - 1000.0, data[at]))))


def flash(robot: str = "amigo", **values: int | str) -> Fault:
    profile = load_profile(robot)
    return Fault(robot=robot, options={"profile": dataclasses.replace(profile, flash={**profile.flash, **values})})


def hanging_up(commands: int) -> Callable[[bytes], bool]:
    """The port is lost once, when so many commands have been sent."""
    sent = itertools.count()
    return lambda data: bool(data) and next(sent) == commands


X, HEADING, LEFT, RIGHT, BATTERY, STALL, FLAGS = 1, 5, 7, 9, 11, 12, 16


def without_packets(*ids: int) -> Fault:
    return Fault(down=edited(lambda data, now: [] if data[0] in ids else [data]))


def high_bits(chance: random.Random) -> Callable[[], Wire]:
    return changing(lambda data: bytes(byte | 128 * (chance.random() < 0.25) for byte in data))


def headers(chance: random.Random) -> Callable[[], Wire]:
    return changing(lambda data: b"\xfa\xfb\xff" * (chance.random() < 0.1) + data)


# -- link: what adapters and bridges do to bytes; docs/how-to/doctor.md has the list ---------------------------------

add("7 bits", down(lambda data: bytes(byte & 0x7F for byte in data)), "line-7-bit")
add("UTF-8", down(lambda data: data.decode("latin-1").encode()), "line-7-bit")
add("bit 2 stuck at 0", down(lambda data: bytes(byte & ~4 for byte in data)), "line-stuck-bit")
add("bit 7 wrong at random", Fault(down=seeded(high_bits)), "line-unsteady")
add("even parity", down(parity(0)), "line-parity")
add("inverted", down(lambda data: bytes(~byte & 0xFF for byte in data)), "line-inverted")
add("TTL levels", reading(lambda bits: f"0{bits}1".translate({48: "1", 49: "0"})), "line-inverted")
add("8E1", reading(lambda bits: f"0{bits}{bits.count('1') % 2}1"), "line-parity")
add("CR to LF", both(lambda data: data.replace(b"\r", b"\n")), "line-crlf", "line-control")
add("LF to CR LF", both(lambda data: data.replace(b"\n", b"\r\n")), "line-crlf", "line-control")
add("DLE to XOFF", down(lambda data: data.replace(b"\x10", b"\x13")), "line-control")  # Prolific adapter, field.md
add("NUL lost", down(without(0)), "line-nul")
add("BS lost", Fault(robot="p3dx-sh", down=changing(without(0x08))), "line-control")
add("DEL lost on the way to the robot", Fault(up=changing(without(127))), "line-control")
add("header byte lost", down(without(0xFA)), "line-control")
add("small letters", Fault(robot="p3dx", down=changing(bytes.lower)), "line-letters")
add("XON/XOFF", both(without(0x11, 0x13)), "line-xon-xoff", "line-control")
add("XON/XOFF of the robot only", down(without(0x11, 0x13)), "line-xon-xoff")
add("Telnet", both(lambda data: data.replace(b"\xff", b"\xff\xff")), "telnet", "line-control")
add("a byte inserted after 255", down(lambda data: data.replace(b"\xff", b"\xff\x00")), "line-escaped")
add("each byte twice", down(lambda data: bytes(byte for byte in data for _ in "12")), "line-doubled")
add("tabs to spaces", Fault(up=changing(lambda data: data.replace(b"\t", b" " * 8))), "line-control")
add("packets cut to 20 bytes", Fault(down=framed(lambda f: f[:20])), "cut-packets")
add("long packets damaged", Fault(down=framed(lambda f: f if len(f) < 80 else f[:-1] + b"?")), "cut-packets")
add("CONFIG cut", Fault(down=edited(lambda data, now: [data[:43] if data[0] == 0x20 else data])), "cut-packets")
add("SIP cut", Fault(down=sips(lambda data, now: [data[:-5]])), "malformed-packets")
add("checksum 0", Fault(down=framed(lambda f: f[:-2] + bytes(2))), "checksum")
add("modem text", Fault(down=framed(between_every(5, b"\r\nPartner busy!"))), "foreign-text")
add("binary digits", down(lambda data: "".join(f"{each:08b} " for each in data).encode()), "wrong-socket")
add("the line is low", down(lambda data: bytes(len(data))), "wrong-cable")
ECHO: list[bytes] = []
add(
    "echo",
    Fault(
        up=changing(lambda data: ECHO.append(data) or data),  # type: ignore[func-returns-value]
        down=lambda: lambda data, now: clean(b"".join(ECHO.pop(0) for _ in ECHO[:]) + data, now),
    ),
    "echo",
)

# -- link: the bounded fault model, and what radios do (field.md) ----------------------------------------------------

add("1 % of the bytes lost", Fault(down=losing(0.01)), "bad-link")
add("each 64th byte lost", Fault(down=lambda: changing(dropping(64))()), "bad-link")
add("1 % of the bytes damaged", simulated(corrupt=0.002), "bad-link")
add("stray headers", Fault(robot="erratic", options={"baud": 115200}, down=seeded(headers)), "bad-link")
add("much noise", Fault(down=noise(0.3)), "bad-link")
add("noise on commands", Fault(up=noise(0.03)), "lost-commands")
add("half of the commands lost", Fault(up=until(2.5, after=losing(0.08))), "lost-commands")
add(
    "a third of all commands lost",
    Fault(up=seeded(lambda c: edited(lambda d, now: [d] * (c.random() > 1 / 3)))),
    "lost-commands",
)
add(
    "deaf for a while",
    Fault(up=lambda: lambda data, now: [] if 5.0 < now - 1000.0 < 8.5 else [(0.0, data)]),
    "lost-commands",
)
add("silence of 2 s", simulated(silence=Window(5.0, 2.0)), "interrupted-session")
add("gaps", Fault(down=lambda: lambda data, now: [(0.0, data)] if (now - 1004) % 6 > 2 else []), "interrupted-session")
add("the robot falls silent", Fault(down=until(5.0)), "falls-silent")
add("deaf later", Fault(up=until(5.0)), "deaf")
add("the port is pulled", Fault(hangs_up=hanging_up(40)), "port-lost")
add("the port is pulled at once", Fault(hangs_up=bool), "port-lost")
add("silence", Fault(down=changing(lambda data: b"")), "robot-off")
SLOW = late(lambda now: 0.5)
JITTER = random.Random(2)
add("300 ms late both ways", Fault(up=late(lambda now: 0.3), down=late(lambda now: 0.3), network=True), "latency")
add("commands 0.8 s late", Fault(up=late(lambda now: 0.8)), "latency", "no-session")
add("commands 1.3 s late", Fault(up=late(lambda now: 1.3)), "latency", "no-session")
add("1 s late, any line speed", Fault(options={"baud": 0}, up=SLOW, down=SLOW), "latency")
add("a queue that grows", Fault(down=late(lambda now: 0.09 * (now - 1000))), "growing-delay")
add("a queue to the robot", Fault(up=late(lambda now: 0.12 * (now - 1000))), "growing-delay")
add("bursts", Fault(down=late(lambda now: 1.0 - now % 1.0 if now % 1.0 > 0.4 else 0.0), network=True), "late-packets")
add("jitter", Fault(down=late(lambda now: random.Random(round(10 * now)).uniform(0, 0.5))), "late-packets")
add("irregular packets", Fault(down=late(lambda now: JITTER.uniform(0, 0.08))), "irregular-packets")


def dropped(share: float) -> Callable[[], Wire]:
    return seeded(lambda chance: sips(lambda data, now: [] if chance.random() < share else [data]), 4)


add("10 % of the packets lost", Fault(down=dropped(0.1)), "lost-packets")
add("pauses", Fault(down=sips(lambda data, now: [] if now % 2.0 < 0.6 else [data])), "pauses")
add("packets twice", Fault(down=sips(lambda data, now: [data, data])), "fast-packets")
add("some packets twice", Fault(down=sips(lambda data, now: [data] * (1 + (now % 0.5 < 0.1)))), "fast-packets")
add(
    "packets three times, without CONFIG",
    Fault(down=edited(lambda data, now: [data] * (3 * (data[0] >= 0x30) or data[0] != 0x20))),
    "fast-packets",
)
add("all comes twice", Fault(down=edited(lambda data, now: [data, data])), "no-session")
add("commands arrive twice", Fault(up=changing(lambda data: data * 2)), "no-session")
add("commands arrive twice later", Fault(up=until(3.0, changing(lambda data: data * 2))), "other-client")
add("AUX bytes", Fault(down=sips(lambda data, now: [data, b"\xb0" + bytes(90)])), "unrequested-packets")

# -- the session: manual ch. 6, and robots that stay half open (field.md) --------------------------------------------


def later(frame: bytes, wire: str = "up") -> Fault:
    """A frame comes once, 5 s after the start."""
    done: list[object] = []

    def edit(data: bytearray, now: float) -> list[bytes]:
        new = now > 1005 and data[0] != 0x20 and not done
        done.extend([0] * new)
        return [bytes(data), *[frame[3:-2]] * new]

    return Fault(**{wire: edited(edit)})  # type: ignore[arg-type]


def frozen() -> Wire:
    first: list[bytes] = []

    def edit(data: bytearray, now: float) -> list[bytes]:
        if len(first) < 20:
            first.append(bytes(data))
            return [first[-1]]
        return [next(sip for sip in reversed(first) if sip[20])]

    return sips(edit)()


def resetting() -> Wire:
    """The controller reports a reset after the first SIP of each session, and is silent while it boots."""
    boots_until = 0.0

    def edit(data: bytearray, now: float) -> list[bytes]:
        nonlocal boots_until
        if now < boots_until:
            return []
        is_sip = data[0] & 0xF0 == 0x30
        boots_until = now + 1.5 if is_sip else boots_until
        return [bytes(data), *[b"\xff"] * is_sip]

    return edited(edit)()


def nameless(data: bytearray, now: float) -> list[bytes]:
    return [b"\2" + b"\xff\xff\0" * 3 if data[0] == 2 and len(data) > 1 else bytes(data)]


SYNC0 = Command.PULSE().encode()

add("SYNC0 lost", Fault(up=per_frame(lambda raw, now: [(0.0, raw)] * (raw != SYNC0))), "no-session")
add("SYNC1 not answered", without_packets(1), "no-session")
add("SYNC2 not answered", without_packets(2), "no-session")
add("SYNC0 answered in the session", later(encode_frame(b"\0"), "down"), "other-client")
add("CONFIG not answered", without_packets(0x20), "no-config")
add("SIP with another id", Fault(down=sip(lambda data, now: data.__setitem__(0, 0x22))), "unknown-packets")
add(
    "CLOSE ignored",
    Fault(up=until(3.0, changing(lambda data: data.replace(Command.CLOSE().encode(), b"")))),
    "stays-open",
)
add("resets", simulated(reset=Window(5.0, every=5.0)), "controller-resets")
add("resets after the first SIP", Fault(down=resetting), "controller-resets")
add("another client closes", Fault(act=act_once(6.0, lambda sim: sim.disconnect())), "controller-resets")
add("opens no session", simulated(refuse_open=True), "refuses-sessions")
add(
    "HOSTBAUD falls back",
    Fault(options={"baud": 57600}, act=act_once(6.0, lambda sim: sim._line.set_baud(9600))),
    "speed-changed",
)
add("SInfoCycle 2", flash("amigo-sh", SInfoCycle=2), "line-full")
add("SInfoCycle that is not kept", config(info_cycle=75), "slow-packets")
add("first packet late", Fault(down=sips(lambda data, now: [data] if now > 1004 else [])), "slow-open")
add("SIPs stop", Fault(down=sips(lambda data, now: [data] * (now < 1006))), "packets-stop")
add("frozen packets", Fault(down=frozen), "frozen-packets")
add("another robot", flash(Subtype="another"), "unknown-robot")
add(
    "SYNC2 unchanged (E-13)",
    Fault(down=edited(lambda data, now: [bytes(data[: 1 if data[0] == 2 else None])])),
    "unknown-robot",
)
add("identity erased", Fault(down=edited(nameless)), "identity-lost")
add("another name in CONFIG", config(name="Wall-E"), "two-identities")
add("another subclass in CONFIG", config(subclass="p3dx"), "two-identities")
add("two robots in turn", word(X, lambda now, old: old + 3000 * (int(10 * now) % 2)), "two-robots")

# -- commands: a robot that executes none drives on (field.md) -------------------------------------------------------


def without_command(*numbers: int) -> Fault:
    return Fault(up=edited(lambda data, now: [data] if data[0] not in numbers or len(data) == 1 else []))


def some_lost(chance: random.Random) -> Callable[[], Wire]:
    return edited(lambda data, now: [data] if data[0] != 5 or chance.random() > 0.15 else [])


def unsigned(data: bytearray, now: float) -> list[bytes]:
    return [bytes((data[0], 0x3B)) + data[2:] if data[0] == 5 else bytes(data)]


add("some SETA lost", Fault(up=seeded(some_lost)), "lost-commands")
add("SETA lost", without_command(5), "command-ignored")
add("SETA without its sign", Fault(up=edited(unsigned)), "command-ignored")
add("SONAR lost", without_command(28), "sonar-disobeys")
add("SONAR 0 of another program", later(Command.SONAR(0).encode()), "sonars-switched")
add("motors stay on", Fault(down=sip(lambda data, now: data.__setitem__(16, data[16] | 1))), "motors-stay-on")
add("MOTORS pressed", Fault(act=act_once(6.0, lambda sim: sim.press_motors_button())), "motors-switched")
add("motors flicker", word(FLAGS, lambda now, old: old ^ int(now) % 2), "motors-switched")

DRIVE = [Command.ENABLE(1).encode()[3:-2], Command.VEL(100).encode()[3:-2]]
add("another program drives it", Fault(up=edited(lambda d, now: [d, *DRIVE[: 2 * (now > 1005)]])), "other-client")

# -- battery: manual ch. 7 -------------------------------------------------------------------------------------------

add("battery 0 V", byte(BATTERY, lambda now, old: 0), "battery-reading")
add("battery 25.5 V", byte(BATTERY, lambda now, old: 255), "battery-reading")
add("battery jumps", byte(BATTERY, lambda now, old: (127, 99)[int(now * 3) % 2]), "battery-unsteady")
add("battery dips", byte(BATTERY, lambda now, old: old - 4 * (int(2 * now) % 3 == 0)), "battery-unsteady")
add("battery empty", Fault(options={"charge": 0.03}), "battery-low", "battery-critical")
add("battery falls", byte(BATTERY, lambda now, old: 125 - int(now / 3)), "battery-falls")
add("battery flat", Fault(act=act_once(6.0, lambda sim: setattr(sim.battery, "charge", 0.0))), "battery-ends-session")
add("charge of 4 %", config(Sip, "p3dx-sh", state_of_charge=4), "battery-low")
add("a charger without current", config(Sip, "p3dx-sh", charge_state=3, battery_x10=112), "not-charging")
add("charging without a charger", word(FLAGS, lambda now, old: old | 0x400), "charging-flag")
add("charging flickers", byte(17, lambda now, old: old ^ 4 * (int(now) % 2)), "field-flags")

# -- motors and buttons: flags and fault bits (docs/protocol/packets.md), the stop button (field.md) -----------------

shorted = edited(lambda data, now: [data[:2] + b"\x40\1" + data[4:] if data[0] == 0x9A else data])
add("stop button", Fault(robot="p3dx", options={"faults": Faults(stop_button=True)}), "stop-button")
add("stop button flickers", byte(FLAGS, lambda now, old: old | 0x20 * (int(2 * now) % 2), "p3dx"), "flag-flicker")
add("a wheel stalls", byte(STALL, lambda now, old: old | 1), "stalled")
add("a stall flickers", byte(STALL + 1, lambda now, old: int(now * 7) % 5 == 0), "flag-flicker")
add("bumpers of a robot without", byte(13, lambda now, old: old | 0x0C), "bumper-bits")
add("a bumper flickers", byte(13, lambda now, old: old | 4 * (int(3 * now) % 2), "p3dx-sh"), "bumper-flicker")
add("joystick button", word(FLAGS, lambda now, old: old | 0x200, "p3dx-sh"), "joystick")
add("encoder failure", config(Sip, "p3dx-sh", faults=0x180), "controller-fault")
add("hot controller", byte(-2, lambda now, old: 95, "p3dx-sh"), "hot")
add("hot in three fields", config(Sip, "p3dx-sh", flags=0x81E, faults=2, temperature=78), "controller-fault")
add("motor current", Fault(robot="erratic", down=shorted), "motor-current")
add("E-stall and ledge", word(FLAGS, lambda now, old: old | 0x140, "p3dx-sh"), "controller-fault")
add("no floor", Fault(robot="erratic", options={"faults": Faults(no_floor=frozenset({0}))}), "no-floor")

# -- a robot at rest: reset, another program, encoder, gyro ----------------------------------------------------------


def gyro(change: Callable[[bytes], bytes]) -> Fault:
    return Fault(robot="amigo-sh", down=edited(lambda data, now: [change(data) if data[0] == 0x98 else data]))


add("pose jumps", word(X, lambda now, old: (old + 3000 * (int(now) // 3)) & 0x7FFF), "pose-jumps")
add("heading jumps", word(HEADING, lambda now, old: old + 2048 * (int(now * 7) % 11 == 0)), "pose-jumps")
add("heading 20000", word(HEADING, lambda now, old: 20000), "heading-range")
add("it creeps by 1 mm/s", word(X, lambda now, old: round(old + now) & 0x7FFF, "amigo-sh"), "moves-at-rest")
add("heading drifts slowly", word(HEADING, lambda now, old: round(0.6 * now)), "heading-drifts")
add("velocity peaks", word(RIGHT, lambda now, old: 900 * (int(10 * now) % 13 == 0)), "velocity-at-rest")
add("a wheel turns, and the pose stays", word(LEFT, lambda now, old: 25), "velocity-at-rest")
add("an encoder chatters", word(LEFT, lambda now, old: (24, -19, 0)[int(10 * now) % 3]), "velocity-at-rest")
add("it says that it moves", byte(0, lambda now, old: 0x33), "moving-flag")
add("SIP 0x3F", byte(0, lambda now, old: 0x3F), "field-id")
add("compass of nonsense", byte(18, lambda now, old: int(now * 31) % 256), "field-compass")
add("analog input flickers", byte(-3, lambda now, old: int(now * 37) % 256), "field-analog")
add("unknown flag", word(FLAGS, lambda now, old: old | 0x1000), "field-flags")
add("gyro off", Fault(robot="amigo-sh", options={"faults": Faults(gyro_offset=200)}), "gyro")
add("no gyro packet", Fault(robot="amigo-sh", down=without_packets(0x98).down), "gyro")
add("gyro constant", gyro(lambda data: data[:2] + bytes((0, 2, 40)) * data[1]), "gyro")
add("gyro samples lost", gyro(lambda data: bytes((data[0], 1)) + data[2:5]), "gyro")

# -- sonars: manual ch. 4; docs/how-to/doctor.md has the list --------------------------------------------------------


def pings(change: Callable[[list[tuple[int, int]]], list[tuple[int, int]]]) -> Fault:
    """Change the sonar readings of the SIP."""

    def edit(data: bytearray, now: float) -> list[bytes]:
        count, at = data[19], 20
        old = [
            (data[at + 3 * k], int.from_bytes(data[at + 3 * k + 1 : at + 3 * k + 3], "little")) for k in range(count)
        ]
        new = change(old)
        inside = b"".join(bytes((number,)) + reading.to_bytes(2, "little") for number, reading in new)
        return [bytes(data[:19]) + bytes((len(new),)) + inside + bytes(data[at + 3 * count :])]

    return Fault(down=sips(edit))


def without_pings(data: bytearray) -> bytes:
    return bytes(data[:19]) + b"\0" + bytes(data[20 + 3 * data[19] :])


def sonarless(data: bytearray, now: float) -> list[bytes]:
    packet = parse(bytes(data))
    if isinstance(packet, Config):
        return [dataclasses.replace(packet, front_sonar=0).encode()]
    return [without_pings(data) if data[0] & 0xF0 == 0x30 else bytes(data)]


def drifting(data: bytearray, now: float) -> None:
    for at in range(20, 20 + 3 * data[19], 3):
        reading = int.from_bytes(data[at + 1 : at + 3], "little") + round(60 * (now - 1000))
        data[at + 1 : at + 3] = reading.to_bytes(2, "little")


LATEST: dict[int, int] = {}
SELDOM = itertools.count()


def twins(old: list[tuple[int, int]]) -> list[tuple[int, int]]:
    LATEST.update(old)
    return [(number, LATEST.get(2, r) if number == 5 else r) for number, r in old]


add("sonars off", word(FLAGS, lambda now, old: old & ~0x1E), "sonar-disobeys")
add("all sonars one value", pings(lambda old: [(number, 1234) for number, _ in old]), "sonars-stuck")
add("the room is round", pings(lambda old: [(n, 180 + 7 * r % 3) for n, r in old]), "sonars-stuck")
add("other sonar numbers", pings(lambda old: [(number + 4, r) for number, r in old]), "sonar-numbers")
add("all sonars without echo", simulated(dead_sonars=frozenset(range(8))), "sonars-deaf")
add("ranges of 65 m", pings(lambda old: [(number, 65535) for number, _ in old]), "sonar-range")
add("sonars in cm", pings(lambda old: [(number, r // 10) for number, r in old]), "sonar-range")
add("one sonar only", pings(lambda old: [one for one in old if one[0] == 3]), "sonar-sequence")
add("no sonar", pings(lambda old: []), "sonars-silent")
add("sonars fire seldom", pings(lambda old: old if next(SELDOM) % 25 == 0 else []), "sonars-slow")
add("sonars exchanged", pings(lambda old: [({2: 5, 5: 2}.get(number, number), r) for number, r in old]), "sonar-order")
add("sonar 5 reads sonar 2", pings(twins), "sonar-twins")
add(
    "sonars silent later",
    Fault(down=sips(lambda data, now: [without_pings(data) if now > 1006 else bytes(data)])),
    "sonars-silent",
)
add("FrontSonar 0, and no reading", Fault(down=edited(sonarless)), "setting-frontsonar")
add("sonar mute", simulated(mute_sonars=frozenset({2})), "sonar-silent")
add("sonar dead", simulated(dead_sonars=frozenset({2})), "sonar-deaf")
add("a sonar is blocked", pings(lambda old: [(n, 150 + r % 5 if n == 3 else r) for n, r in old]), "sonar-blocked")
add("cross-talk", simulated(cross_talk=0.3), "sonar-cross-talk")
add(
    "random ranges",
    pings(lambda old: [(number, 200 + 7919 * (ping + number) % 4700) for number, ping in old]),
    "sonar-random",
)
add("readings of noise", pings(lambda old: [(n, r + r * 7919 % 160 - 80) for n, r in old]), "sonar-random")
add("sonars drift", Fault(down=sip(drifting)), "sonar-random")

# -- settings: manual ch. 6 (FLASH), profiles (field.md) -------------------------------------------------------------


def erased(data: bytearray, now: float) -> list[bytes]:
    return [bytes(data[:40]) + b"\xff" * (len(data) - 40) if data[0] == 0x20 else bytes(data)]


def config_in_turn(*counts: int) -> Fault:
    values = itertools.cycle(counts)

    def edit(data: bytearray, now: float) -> list[bytes]:
        packet = parse(bytes(data))
        known = isinstance(packet, Config)
        return [dataclasses.replace(packet, stall_count=next(values)).encode() if known else bytes(data)]

    return Fault(down=edited(edit))


add("WatchDog 20 s", flash(WatchDog=20000), "setting-watchdog")
add("RevCount + 20 %", flash(RevCount=27970), "setting-revcount")
add("TicksMM + 20 %", flash("amigo-sh", TicksMM=36), "setting-ticksmm")
add("TicksMM of another Pioneer", flash("p3dx-sh", TicksMM=49), "setting-ticksmm")
add("TransVelMax 20", flash(TransVelMax=20), "setting-transvelmax")
add("StallVal above PwmMax", flash(StallVal=600, PwmMax=500), "setting-stallval")
add("SInfoCycle 200", flash("amigo-sh", SInfoCycle=200), "setting-sinfocycle")
add("LowBattery 13.5 V", flash(LowBattery=135), "setting-lowbattery")
add("HasGyro 2 of an AmigoSH", flash("amigo-sh", HasGyro=2), "setting-equipment")
add("HostBaud of another speed", config(host_baud=4), "setting-equipment")
add("FLASH of a Pioneer", flash(TransVelMax=1500), "setting-equipment")
add("FLASH of a robot with bumpers", config(robot="amigo-sh", front_bumpers=5), "setting-equipment")
add("RevCount 0", config(rev_count=0), "setting-revcount")
add("ShutdownVolts above LowBattery", flash("p3dx-sh", LowBattery=110, ShutdownVolts=115), "setting-shutdownvolts")
add("a setting changes", config_in_turn(100, 77), "settings-change")
add("subclass amigo-sh of an AmigOS", flash(Subtype="amigo-sh"), "wrong-subclass")
add("subclass p3dx of an AmigoBot", flash(Subtype="p3dx"), "setting-revcount", "sonar-sequence")
add(
    "FLASH of zeros",
    Fault(down=edited(lambda data, now: [data[:22] + bytes(len(data) - 22) if data[0] == 0x20 else data])),
    "flash-lost",
)
add("FLASH erased", Fault(down=edited(erased)), "flash-lost")
add("FLASH of a Pioneer erased", Fault(robot="p3dx-sh", down=edited(erased)), "flash-lost")
add("subclass amigo of an AmigoSH", flash("amigo-sh", Subtype="amigo"), "wrong-subclass")
