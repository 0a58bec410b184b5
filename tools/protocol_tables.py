# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Write the tables of docs/protocol/ from the code: commands, packets, units, FLASH, timing, examples.

./run python -m tools.protocol_tables

tools/generated_tables.py says how a page names its tables. A table is a function that is marked with @table.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import json
import math
import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from amigobot_driver import protocol
from amigobot_driver.profiles import available_profiles, load_profile
from amigobot_driver.protocol import (
    ACTIVMEDIA_COMMANDS,
    ACTIVMEDIA_PACKETS,
    BAUD_RATES,
    ERRATIC_COMMANDS,
    ERRATIC_PACKETS,
    Arg,
    Command,
    CommandTable,
    Malformed,
    Packet,
    PacketTable,
    Unknown,
    config,
    decode,
    erratic,
    packets,
    parse,
    sip,
)
from amigobot_driver.protocol.wire import describe
from amigobot_driver.sim.activmedia.dialect import DIALECTS
from amigobot_driver.sim.activmedia.flash import ActivMediaFlash
from amigobot_driver.sim.erratic.flash import ErraticFlash
from tools.generated_tables import Tables, rows

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "protocol"
COVERAGE = FOLDER / "coverage.yaml"
VECTORS = ROOT / "amigobot_driver" / "test" / "data" / "packets.json"
TABLES = Tables()
table = TABLES.add


def pages() -> dict[Path, str]:
    """The chapters of the book, as they are."""
    return {path: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.md"))}


def written(book: dict[Path, str]) -> dict[Path, str]:
    """The chapters with every table written anew."""
    anchors = {number: f"{path.name}#{slug}" for path, page in book.items() for number, slug in sections(page)}

    def filled(page: str) -> str:
        return TABLES.filled(page, lambda lines: linked(lines, anchors))

    return {path: filled(page).replace(f"]({path.name}#", "](#") for path, page in book.items()}


def sections(page: str) -> Iterator[tuple[str, str]]:
    """For each numbered heading: its number, and its anchor as GitHub makes it."""
    for number, title in re.findall(r"^#{1,3} (\d[\d.]*) (.*)$", page, re.MULTILINE):
        yield number.rstrip("."), re.sub(r"[^\w\- ]", "", f"{number} {title}".lower()).replace(" ", "-")


def linked(lines: str, anchors: dict[str, str]) -> str:
    """What the code cites, as links inside the book."""
    lines = re.sub(r"(?:docs/protocol )?\b(E-\d\d)\b", lambda m: f"[{m[1]}](errata.md#{m[1].lower()})", lines)
    return re.sub(r"docs/protocol (\d[\d.]*\d|\d)", lambda m: f"[{m[1]}]({anchors[m[1]]})", lines)


# -- commands -------------------------------------------------------------------------------------------------


@table
def commands() -> Iterator[str]:
    """Every command of the ActivMedia family, and the ROS name that sends it."""
    here = coverage()["activmedia"]
    head = ["#", "Command", "Argument", "Firmware", "Meaning", "In this driver"]
    body = (
        [row.number, f"`{row.name}`", _argument(row), _firmware(row), row.summary, _here(here.get(row.name))]
        for row in Command
    )
    return rows(head, body)


@table
def erratic_commands() -> Iterator[str]:
    """The commands of the Erratic, and the ROS name that sends each."""
    here = coverage()["erratic"]
    body = (
        [row.number, f"`{row.name}`", _argument(row), row.summary, _here(here[row.name])]
        for row in sorted(ERRATIC_COMMANDS.values(), key=lambda row: row.number)
    )
    return rows(["#", "Command", "Argument", "Meaning", "In this driver"], body)


@table
def manual(name: str) -> Iterator[str]:
    """What each section of a manual offers, and where the driver has it."""
    entries = coverage()[f"{name}_manual"]
    offered = "offered" in entries[0]
    body = ([each["section"], *([each["offered"]] if offered else []), each["here"]] for each in entries)
    return rows(["Section", *(["Offered"] if offered else []), "In the driver"], body)


def coverage() -> dict[str, Any]:
    """What sends each command and answers each section of the manuals, with the test that proves it."""
    found: dict[str, Any] = yaml.safe_load(COVERAGE.read_text(encoding="utf-8"))
    return found


def _here(entry: dict[str, str] | None) -> str:
    return entry["here"] if entry else "not sent"


def _argument(row: CommandTable) -> str:
    fixed = {Arg.NONE: "none", Arg.TEXT: "text", Arg.WORD: "word"}
    if row.limits is None or row.arg in fixed:
        return fixed[row.arg]
    return {(0, 0x7FFF): "number", (-0x8000, 0x7FFF): "signed"}.get(row.limits, f"{row.limits[0]}-{row.limits[1]}")


def _firmware(row: CommandTable) -> str:
    return " ".join(f"{letter}{row.firmware[letter]}" for letter in "ASPR" if letter in row.firmware)


@table
def command_frames() -> Iterator[str]:
    """For each command the first of the test vectors that is spelled as the driver spells it."""
    yield "```text"
    for commands in (ACTIVMEDIA_COMMANDS, ERRATIC_COMMANDS):
        found: set[CommandTable | int] = set()
        for name, frame in frames().items():
            instruction = decode(bytes.fromhex(frame)[3:-2], commands)
            if (
                name.startswith("er_") != (commands is ERRATIC_COMMANDS)
                or instruction is None
                or instruction.command in found
            ):
                continue
            if instruction.encode().hex(" ").upper() == frame:
                found.add(instruction.command)
                yield f"{instruction!s:<58} {frame}".replace("  FA", " FA")
    yield "```"


@table
def baud_rates() -> Iterator[str]:
    """The codes of the line speeds."""
    return rows(["Code", "Baud"], enumerate(BAUD_RATES))


# -- packets --------------------------------------------------------------------------------------------------


@table
def packet_ids() -> Iterator[str]:
    """Every packet id that the parser knows."""
    body = [*_ids(ACTIVMEDIA_PACKETS, "ActivMedia"), *_ids(ERRATIC_PACKETS, "Erratic")]
    return rows(["Id", "Robots", "Packet", "Meaning"], body)


def _ids(known: PacketTable, robots: str) -> Iterator[list[str]]:
    groups: dict[tuple[type[Packet], ...], list[int]] = {}
    for number, kinds in known.items():
        groups.setdefault(kinds, []).append(number)
    for kinds, numbers in sorted(groups.items(), key=lambda group: group[1]):
        run = len(numbers) > 3 and numbers == list(range(numbers[0], numbers[-1] + 1))
        shown = [f"0x{number:02X}" for number in numbers]
        ids = f"{shown[0]} to {shown[-1]}" if run else ", ".join(shown)
        summary = (inspect.getdoc(kinds[0]) or "").split("\n")[0]
        yield [ids, robots, " or ".join(f"`{kind.__name__}`" for kind in kinds), summary]


@table
def fields(name: str) -> Iterator[str]:
    """The fields of one packet or record, in the order of the wire."""
    cls = _class(name)
    notes, layout = comments(cls), describe(cls)
    packet = issubclass(cls, Packet)
    variable = [index for index, (_, kind, _) in enumerate(layout[:-1]) if _size(kind) is None]
    body, at, mark = [], 3 if packet else 0, ""
    for index, (field, kind, optional) in enumerate(layout):
        size = _size(kind)
        offset = f"T+{at}" if mark == "T" and at else mark or str(at)
        note = notes[field] or (_default(cls, field) if field == "id" else "")
        body.append([offset if mark != "?" else "", f"`{field}`", f"{kind}?" if optional else kind, note])
        if size is None:
            mark, at = ("T" if not variable or index == variable[-1] else "?"), 0
        else:
            at += size
    return rows(["Offset", "Field", "Type", "Unit and meaning"], body)


def comments(cls: type) -> dict[str, str]:
    """What the `#:` comment beside or above each field says."""
    lines = textwrap.dedent(inspect.getsource(cls)).split("\n")
    (definition,) = ast.parse("\n".join(lines)).body
    assert isinstance(definition, ast.ClassDef)
    inherited = comments(base) if (base := cls.__base__) and dataclasses.is_dataclass(base) else {}
    found = {field.name: "" for field in dataclasses.fields(cls)} | inherited
    for node in definition.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id in found:
            _, _, beside = lines[node.lineno - 1].partition("#:")
            above = lines[node.lineno - 2].strip()
            found[node.target.id] = (beside or (above[2:] if above.startswith("#:") else "")).strip()
    return found


def _class(name: str) -> type:
    return next(vars(module)[name] for module in (packets, sip, config, erratic) if name in vars(module))


def _default(cls: type, name: str) -> str:
    default = next(field.default for field in dataclasses.fields(cls) if field.name == name)
    return f"0x{default:02X}" if isinstance(default, int) else ""


def _size(kind: str) -> int | None:
    """Bytes of a type, None where the packet decides."""
    if match := re.fullmatch(r"[us](\d+)", kind):
        return int(match[1]) // 8
    match = re.fullmatch(r"text\[(\d+)\]", kind)
    return int(match[1]) if match else None


@table
def ends() -> Iterator[str]:
    """With which field the SIP and the CONFIGpac of each firmware end, as the simulator sends them."""
    body = (
        [each.name, f"`{each.sip_end}`", f"`{each.config_end}`" + (", then its tail" if each.config_tail else "")]
        for each in DIALECTS.values()
    )
    return rows(["Firmware", "Last field of the SIP", "Last field of CONFIGpac"], body)


@table
def faults() -> Iterator[str]:
    """The bits of the fault flags of ARCOS."""
    bare = parse(bytes.fromhex(frames()["sip_arcos"])[3:-2])
    assert isinstance(bare, protocol.Sip)
    names = ((bit, dataclasses.replace(bare, faults=1 << bit).fault_names) for bit in range(16))
    yield ", ".join(f"{bit} {', '.join(name)}" for bit, name in names) + "."


@table
def example(name: str) -> Iterator[str]:
    """One test vector with what the codec reads from it."""
    frame = frames()[name]
    packet = meaning(frame, erratic_robot=name.startswith("er_"))
    assert isinstance(packet, Packet), name
    values = " ".join(
        f"{field.name}={_shown(getattr(packet, field.name))}"
        for field in dataclasses.fields(packet)  # type: ignore[arg-type]
        if field.name != "id" and getattr(packet, field.name) is not None
    )
    yield "```text"
    yield from textwrap.wrap(frame, 119)
    yield from textwrap.wrap(f"{type(packet).__name__} 0x{packet.id:02X}: {values}", 119, break_long_words=False)
    yield "```"


def _shown(value: object) -> str:
    if dataclasses.is_dataclass(value):
        return "(" + ", ".join(_shown(item) for item in dataclasses.astuple(value)) + ")"  # type: ignore[arg-type]
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_shown, value)) + "]"
    if isinstance(value, bytes):
        return value.hex(" ").upper()
    return f'"{value}"' if isinstance(value, str) else str(value)


def frames() -> dict[str, str]:
    """The test vectors by name, as hexadecimal text."""
    vectors: dict[str, str] = json.loads(VECTORS.read_text(encoding="utf-8"))
    return vectors


def meaning(frame: str, *, erratic_robot: bool) -> Packet | None:
    """The packet in a frame; None for what the robot does not send."""
    packet = parse(bytes.fromhex(frame)[3:-2], ERRATIC_PACKETS if erratic_robot else ACTIVMEDIA_PACKETS)
    return None if isinstance(packet, Unknown | Malformed) else packet


# -- robots ---------------------------------------------------------------------------------------------------


@table
def units() -> Iterator[str]:
    """What one unit in the packets of each robot is worth."""
    head = ["Profile", "X, Y: mm", "Wheel velocity: mm/s", "Sonar range: mm", "Heading: deg", "VEL2: mm/s", "Track: mm"]
    return _by_profile(head, _units)


def _units(name: str) -> list[str]:
    profile = load_profile(name)
    unit = profile.units
    metric = (unit.distance * 1000, unit.velocity * 1000, unit.range * 1000, math.degrees(unit.angle))
    return [*map(_number, metric), _number(unit.wheel_velocity * 1000), _number(profile.body.track * 1000)]


@table
def dimensions() -> Iterator[str]:
    """Size, limits, sonars, battery and line of each robot."""
    head = ["Profile", "Length x width x height: mm", "Front of axle: mm", "Wheel: mm", "Ticks each wheel turn"]
    head += ["Limits: mm/s, deg/s", "Sonars", "Ping: ms", "Battery: alarm, cut-off V", "Baud", "Command spacing: ms"]
    return _by_profile(head, _dimensions)


def _by_profile(head: list[str], values: Callable[[str], list[str]]) -> Iterator[str]:
    """A table with one row for all profiles with the same values, and a line for the columns that never vary."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name in available_profiles():
        groups.setdefault(tuple(values(name)), []).append(f"`{name}`")
    first = next(iter(groups))
    vary = [index for index in range(len(first)) if len({group[index] for group in groups}) > 1]
    body = ([", ".join(names), *(group[index] for index in vary)] for group, names in groups.items())
    yield from rows([head[0], *(head[index + 1] for index in vary)], body)
    same = [(head[index + 1].partition(": "), value) for index, value in enumerate(first) if index not in vary]
    if same:
        yield ""
        yield "In all profiles: " + "; ".join(f"{name} ({unit}) {value}" for (name, _, unit), value in same) + "."


def _dimensions(name: str) -> list[str]:
    profile = load_profile(name)
    body, sonar = profile.body, profile.sonar
    return [
        "x".join(_number(size * 1000) for size in (body.length, body.width, body.height)),
        _number(body.front * 1000),
        _number(body.wheel_diameter * 1000),
        _number(body.wheel_ticks) if body.wheel_ticks else "",
        f"{_number(profile.limits.linear * 1000)}, {_number(math.degrees(profile.limits.angular))}",
        str(len(sonar.poses)),
        _number(sonar.cycle * 1000),
        f"{_number(profile.battery.low)}, {_number(profile.battery.cutoff)}",
        str(profile.link.baud),
        _number(profile.link.command_spacing * 1000),
    ]


@table
def sonar_poses(*names: str) -> Iterator[str]:
    """Where the sonars of some robots are: x forward mm, y left mm, heading deg."""
    poses = [load_profile(name).sonar.poses for name in names]
    body = (
        [number, *(_pose(ring[number]) if number < len(ring) else "" for ring in poses)]
        for number in range(max(map(len, poses)))
    )
    return rows(["#", *(f"`{name}`" for name in names)], body)


def _pose(pose: object) -> str:
    x, y, heading = dataclasses.astuple(pose)  # type: ignore[call-overload]
    return ", ".join(_number(value) for value in (x * 1000, y * 1000, math.degrees(heading)))


def _number(value: float) -> str:
    return f"{round(value, 4):g}"


@table
def flash(name: str) -> Iterator[str]:
    """The parameters that a robot keeps in FLASH, with their defaults: AmigOS or Erratic."""
    kind = {"AmigOS": ActivMediaFlash, "Erratic": ErraticFlash}[name]
    packet: type = {"AmigOS": config.Config, "Erratic": erratic.ErraticConfig}[name]
    order = [field.name for field in dataclasses.fields(packet)]
    known = [field for field in dataclasses.fields(kind) if "keyword" in field.metadata]
    # As in the packet and the manuals; what a packet lacks is last.
    known.sort(key=lambda field: order.index(field.name) if field.name in order else len(order))
    yield "```text"
    yield from textwrap.wrap("  ".join(f"{field.metadata['keyword']}={field.default}" for field in known), 110)
    yield "```"


@table
def timing() -> Iterator[str]:
    """Delays and counts of the driver."""
    body = []
    for what, path, unit in yaml.safe_load((FOLDER / "timing.yaml").read_text(encoding="utf-8")):
        module, _, name = path.rpartition(".")
        value = getattr(importlib.import_module(f"amigobot_driver.{module}"), name)
        body.append([what, f"{value} {unit}".strip()])
    return rows(["What", "Value"], body)


if __name__ == "__main__":
    for path, page in written(pages()).items():
        path.write_text(page, encoding="utf-8")
