# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Measures of the robot: identity, settings, and every value of its packets, which a robot at rest keeps steady.

Plausible values stand in config/doctor.yaml.
"""

from __future__ import annotations

import math
import shlex
import statistics
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from ..connection_policy import SEARCH_SPEEDS
from ..profiles import choose_profile
from ..protocol import BAUD_RATES, Config, Parameters, Sip
from ..robot.devices.tuning import STOP_TIME, TUNABLE
from ..wording import counted, robot_name
from .evidence import Evidence
from .finding import Cause, Finding, Severity
from .table import Seen, capitalized, measure, table
from .target import Kind

#: Share by which the track may differ from the profile's: of a robot with two wheels, and of one that skids.
_TRACK, _SKID_TRACK = 0.15, 0.35
#: RevCount / TicksMM of an AmigoBot whose CONFIG has no TicksMM: 9550 ticks a turn of a 100 mm wheel.
_AMIGO_TICKS = 9550 / (math.pi * 100)
#: Ticks per mm of an AROS robot, in the unit of RevCount; ARCOS counts RevCount in eighths (docs/protocol E-19).
_AROS_TICKS, _EIGHTH = 16, 8
#: Settings that make no sense from which they have one cause.
_MANY = 5
#: Serial number that MobileSim reports: most of its settings are 0.
_SIMULATOR = "SIM"
#: SIPs until the motors are off after ENABLE 0.
_SETTLED = 5
#: Values of a coordinate and of the heading, after which they start again.
_POSE_RANGE, _TURN = 1 << 15, 4096
#: Packets that must show a value, and in which it must change, that a judgment needs; packets that prove rest.
_SOME, _CHANGES, _ENOUGH = 3, 4, 5
#: Samples of the gyro that a judgment needs, and its center, counts (docs/protocol 5.9).
_SAMPLES, _CENTER = 20, 512
#: Bits of a stall byte that are bumpers; V that the shorter of the two fields for the voltage can hold.
_BUMPERS, _MOST = 0xFE, 25.5


# -- identity ---------------------------------------------------------------------------------------------------------


def identity(evidence: Evidence, requested: str, baud: int) -> Iterator[Finding]:
    """Yield who the robot is, and which profile the driver uses for it.

    Args:
        evidence: What was recorded.
        requested: The profile that the user asks for; "": none.
        baud: The line speed that the user expects; 0: the profile's.
    """
    snapshot, target = evidence.after, evidence.target
    who, profile = snapshot.identity, snapshot.profile
    if who is None:
        return
    yield Finding("session", Severity.OK, f"{robot_name(who.name)} opened a session", values={"name": who.name})
    firmware = snapshot.config.firmware_version if snapshot.config else ""
    text = f"{profile.description}, class {who.robot_class}/{who.subclass}{f', firmware {firmware}' * bool(firmware)}"
    details = (f"profile {profile.name}: {snapshot.profile_reason}",)
    reported, _ = choose_profile(who.robot_class, who.subclass)
    subclasses = profile.subclasses if requested else ()
    causes: tuple[Cause, ...] = ()
    if profile.name == "generic":
        wrong = f"No profile is for the subclass '{who.subclass}': distances and speeds may be wrong."
        action = "Choose a profile; `amigobot describe --help` names all:"
        causes = (Cause("unknown-robot", wrong, action, target.command(" --robot p3dx")),)
    elif subclasses and reported.name != "generic" and reported.subclasses != subclasses:
        wrong = (
            f"You ask for the profile {profile.name}, and the robot reports that it is another one: {reported.name}."
        )
        causes = (Cause("wrong-profile", wrong, "Let the robot say what it is:", target.command()),)
    yield Finding("identity", Severity.WARNING if causes else Severity.OK, text, causes, details)
    found, expected = evidence.baud, baud or profile.link.baud
    if target.kind is Kind.SERIAL and found and (found != expected or (found != SEARCH_SPEEDS[0] and not baud)):
        text = f"{found} baud: the driver finds it by itself, and at once with -p port:={shlex.quote(target.url)} -p "
        yield Finding("line speed", Severity.NOTE, f"{text}baud:={found}")


# -- settings ---------------------------------------------------------------------------------------------------------


def _config(evidence: Evidence) -> Parameters | None:
    """The settings; None if they are not known, or those of a simulator of others."""
    config = evidence.after.config
    return None if config is None or dict(config.values()).get("serial") == _SIMULATOR else config


def _values(evidence: Evidence) -> Mapping[str, Any]:
    config = _config(evidence)
    return {**dict(config.values()), "info_cycle_ms": config.info_cycle_ms} if config else {}


def configuration_shown(evidence: Evidence) -> str:
    """Return what the settings show."""
    config = evidence.after.config
    if config is None:
        return ""
    if _config(evidence) is None:
        return "a simulator (MobileSim or AMRISim): most of its settings are 0, and no watchdog stops it"
    checked = sum(name in table()["settings"] for name, _ in config.values())
    return f"{counted(checked, 'setting')} in their ranges; its watchdog stops it after {config.watchdog / 1000:g} s"


@measure("no-config")
def _no_config(evidence: Evidence) -> bool:
    return evidence.after.config is None and not evidence.disturbed


def _implausible(evidence: Evidence) -> list[tuple[str, Seen]]:
    """The settings outside their ranges: name, and what it does."""
    found = []
    for name, row in table()["settings"].items():
        value, (low, high) = _values(evidence).get(name), row["range"]
        if not isinstance(value, int) or low <= value <= high:
            continue
        unit = row.get("unit", "")
        effect = row.get(
            "zero" if value == 0 else "", row.get("below" if value < low else "above", "it makes no sense")
        )
        text = f"{row['keyword']} is {value} {unit}".rstrip() + f": {effect}; sane: {low} to {high} {unit}".rstrip()
        severe = row.get("error") or (value == 0 and low > 0)
        restore = row.get("restore")
        command = _restoring(evidence, f"{name}: {restore}") if restore else ""
        key, severity = f"setting-{row['keyword'].lower()}", Severity.ERROR if severe else None
        found.append((name, Seen(text, command, {name: value}, key, severity)))
    return found


def _restoring(evidence: Evidence, values: str) -> str:
    port = shlex.quote(evidence.target.url)
    return f"echo '{values}' > fixed.yaml && amigobot config restore fixed.yaml --port {port}"


@measure("flash-lost")
def _flash_lost(evidence: Evidence) -> str:
    found = [seen.text for _, seen in _implausible(evidence)]
    return f"{len(found)} settings make no sense ({'; '.join(found[:2])})" if len(found) >= _MANY else ""


def _settings(evidence: Evidence, *, temporary: bool) -> list[Seen]:
    found = _implausible(evidence)
    known = " ".join(seen.text for seen in _slow_stop(evidence))
    one_cause = len(found) >= _MANY
    return [seen for name, seen in found if bool(seen.command) == temporary and name not in known and not one_cause]


@measure("setting")
def _setting(evidence: Evidence) -> list[Seen]:
    return _settings(evidence, temporary=False)


@measure("setting-temporary")
def _setting_temporary(evidence: Evidence) -> list[Seen]:
    return _settings(evidence, temporary=True)


@measure("slow-stop")
def _slow_stop(evidence: Evidence) -> list[Seen]:
    """Axes on which a stop from the velocity limit takes longer than `STOP_TIME`."""
    config, commands = _config(evidence), evidence.after.commands
    if config is None or len(_implausible(evidence)) >= _MANY:
        return []
    axes = (
        ("trans_decel", 1000 * commands.max_linear, config.trans_decel, "mm/s"),
        ("rot_decel", math.degrees(commands.max_angular), config.rot_decel, "deg/s"),
    )
    found = []
    for name, limit, deceleration, unit in axes:
        if limit <= STOP_TIME * deceleration * (1 + 1e-6):
            continue
        takes = f"takes {limit / deceleration:.0f} s" if deceleration > 0 else "may never end"
        needed = math.ceil(max(TUNABLE[name].low, limit / STOP_TIME))
        text = f"A stop from {limit:.0f} {unit} {takes}: {name} is {deceleration} {unit}2, at least {needed} is needed"
        found.append(Seen(text, _restoring(evidence, f"{name}: {needed}")))
    return found


@measure("setting-ticksmm")
def _ticks(evidence: Evidence) -> str:
    ticks = _values(evidence).get("ticks_mm") or 0
    share = ticks / _AMIGO_TICKS - 1
    wrong = "amigo" in evidence.after.profile.name and abs(share) > _TRACK and 5 <= ticks <= 1000
    return f"TicksMM is {ticks}: that is {100 * share:+.0f} % of an AmigoBot's (30)" if wrong else ""


@measure("setting-revcount")
def _track(evidence: Evidence) -> list[Seen]:
    """RevCount against the track of the profile: with a wrong one the robot turns by other angles than it says."""
    config, profile = _config(evidence), evidence.after.profile
    if not isinstance(config, Config) or profile.name == "generic" or _ticks(evidence):
        return []
    amigo, rev_count = "amigo" in profile.name, config.rev_count
    # AROS does not report TicksMM; 128 ticks are 16 of RevCount's.
    ticks = config.ticks_mm or (_AMIGO_TICKS if amigo else _AROS_TICKS if profile.firmware.startswith("R") else 0)
    if rev_count and not ticks:
        return []
    expected = 1000 * profile.body.track
    tracks = [factor * rev_count / ticks / math.pi if ticks else 0.0 for factor in (1, _EIGHTH)]
    track = min(tracks, key=lambda track: abs(track - expected))
    if abs(track - expected) <= (_SKID_TRACK if profile.body.wheelbase else _TRACK) * expected:
        return []
    what = f"that is {100 * (track / expected - 1):+.0f} % of this robot's" if track else "it is not set"
    right = f" (about {rev_count * expected / track:.0f})" if track else ""
    text = f"RevCount is {rev_count}{f' with TicksMM {config.ticks_mm}' if config.ticks_mm else ''}: {what}{right}"
    return [Seen(text, f"amigobot calibrate --port {shlex.quote(evidence.target.url)}", {"rev_count": rev_count})]


@measure("contradiction")
def _contradiction(evidence: Evidence) -> Iterator[Seen]:
    """Two values that exclude each other, in CONFIG, in the answer to SYNC2, or in what comes."""
    config, profile, reported = _config(evidence), evidence.after.profile, _values(evidence)
    for name, top in (("trans_vel_max", "trans_vel_top"), ("rot_vel_max", "rot_vel_top")):
        value, limit = reported.get(name, 0), reported.get(top, 0)
        if 0 < limit < value:
            yield Seen(f"{name} is {value}, above {top}, {limit}", key="setting-top")
    who = evidence.after.identity
    for name, first in (("subclass", who.subclass), ("name", who.name)) if who else ():
        second = reported.get(name) or first
        if first and first.lower() != second.lower():
            yield Seen(f"{name} is {first} in its answer to SYNC2, and {second} in CONFIG", key="two-identities")
    answers = [dict(packet.values()) for packet in evidence.packets if isinstance(packet, Parameters)]
    changed = {name for early, late in pairwise(answers) for name in early if early[name] != late.get(name)}
    if changed and not evidence.disturbed:
        yield Seen(f"{', '.join(sorted(changed))} differs between CONFIG packets", key="two-identities")
    for name, text in reported.items():
        if isinstance(text, str) and not (text.isascii() and (text.isprintable() or not text)):
            yield Seen(f"{name} has other characters than ASCII, {text!r:.60}", key="name-damaged")
    if not isinstance(config, Config):
        return
    speeds = dict(enumerate(BAUD_RATES))
    # A robot that another program sped up is at another speed than that of its FLASH; one at 9600 is not.
    if evidence.baud == SEARCH_SPEEDS[0] != speeds.get(config.host_baud, evidence.baud):
        text = f"HostBaud is {speeds[config.host_baud]} baud, and the robot answers at {evidence.baud} baud"
        yield Seen(text, key="setting-equipment")
    if config.has_gyro == 2 and profile.firmware == "S" and not evidence.gyro_rates:
        text = "HasGyro is 2 (the controller uses a gyro by itself), and no gyro packet comes"
        yield Seen(text, key="setting-equipment")
    is_sh, names = config.ticks_mm is not None, ("AmigOS", "AmigoSH")
    if profile.firmware in ("A", "S") and (profile.firmware == "S") != is_sh:
        text = f"the subclass is of {names[profile.firmware == 'S']}, and CONFIG is that of {names[is_sh]}"
        yield Seen(f"{text}: distances and velocities are wrong by a factor of 2", key="wrong-subclass")


# -- series of values -------------------------------------------------------------------------------------------------


def _poses(evidence: Evidence) -> list[tuple[float, float, float]]:
    return [(one.odometry.x, one.odometry.y, one.odometry.yaw) for one in evidence.reports]


def _away(evidence: Evidence, what: int) -> list[float]:
    """How far the robot is from its first pose: m (0) or deg (1)."""
    poses = _poses(evidence)
    if what == 0:
        return [math.dist(poses[0][:2], pose[:2]) for pose in poses]
    return [abs(math.degrees(math.remainder(pose[2] - poses[0][2], math.tau))) for pose in poses]


def _steps(evidence: Evidence) -> list[float]:
    """How far (m) a pose is from the one before, in packets and as the driver takes them; a turn counts 0.7 m/rad."""
    unit, sips = evidence.after.profile.units.distance, evidence.decoded[_SETTLED:]
    changes = [(late.x - early.x, late.y - early.y) for early, late in pairwise(sips)]
    steps = [unit * math.hypot(*(math.remainder(change, _POSE_RANGE) for change in both)) for both in changes]
    turns = [math.tau / _TURN * math.remainder(late.heading - early.heading, _TURN) for early, late in pairwise(sips)]
    return [max(step, 0.7 * abs(turn)) for step, turn in zip(steps, turns, strict=True)] + [
        max(math.dist(a[:2], b[:2]), 0.7 * abs(math.remainder(b[2] - a[2], math.tau)))
        for a, b in pairwise(_poses(evidence))
    ]


def _wheels(evidence: Evidence) -> list[float]:
    poses = [report.odometry for report in evidence.reports]
    return [max(abs(pose.left_velocity), abs(pose.right_velocity)) for pose in poses]


def _bumper_bits(evidence: Evidence) -> list[float]:
    bumpers, values = evidence.after.profile.bumpers, _values(evidence)
    segments = bumpers.front_segments + bumpers.rear_segments
    if segments + (values.get("front_bumpers") or 0) + (values.get("rear_bumpers") or 0):
        return []
    return [(sip.left_stall_bumpers | sip.right_stall_bumpers) & _BUMPERS for sip in evidence.decoded]


def _gyro(evidence: Evidence) -> list[int]:
    """Counts of the gyro, if the robot reports one."""
    config = evidence.after.config
    return evidence.gyro_rates if config is not None and config.value("has_gyro") == 1 else []


#: Values of each packet of the observation, or the steps between them.
_SERIES: Mapping[str, Callable[[Evidence], list[float]]] = {
    "volts": lambda on: [report.volts for report in on.reports],
    "volts_over_cutoff": lambda on: [report.volts / on.after.profile.battery.cutoff for report in on.reports],
    "volts_difference": lambda on: [
        (sip.battery - sip.battery_x10) / 10 for sip in on.decoded if sip.battery_x10 and sip.battery_x10 / 10 < _MOST
    ],
    "motors": lambda on: [report.motors_enabled for report in on.reports[_SETTLED:]],
    "motors_always": lambda on: (
        [min(report.motors_enabled for report in on.reports[_SETTLED:])]
        if on.questions and on.reports[_SETTLED:]
        else []
    ),
    "bumper_bits": _bumper_bits,
    "heading": lambda on: [sip.heading for sip in on.decoded],
    "step": _steps,
    "moved": lambda on: _away(on, 0) if on.reports else [],
    "turned": lambda on: _away(on, 1) if on.reports else [],
    "wheels": _wheels,
    "moving": lambda on: [sip.id == Sip.MOVING for sip in on.decoded[_SETTLED:]],
    "clock_step": lambda on: [
        late - early for early, late in pairwise(sip.robot_time for sip in on.decoded if sip.robot_time)
    ],
    "gyro_samples": lambda on: (
        [len(on.gyro_rates)] if on.after.config and on.after.config.value("has_gyro") == 1 else []
    ),
    "gyro_center": lambda on: [statistics.fmean(_gyro(on))] if len(_gyro(on)) >= _SAMPLES else [],
    "gyro_noise": lambda on: [statistics.pstdev(_gyro(on))] if len(_gyro(on)) >= _SAMPLES else [],
}


def _judge(row: Mapping[str, Any], values: list[Any]) -> str:
    """Return what is wrong with the values of a row of `series`; "" if nothing is."""
    values = [value for value in values if value is not None and value != row.get("unknown")]
    wrong = [value for value in values if not _is_plausible(row, value)]
    if len(wrong) >= row.get("times", _SOME):
        worst = max(wrong, key=abs)
        return f"{row['what']} is {worst:g} in {counted(len(wrong), 'packet')}"
    steady = [int(value) & ~row["ignore"] if "ignore" in row else value for value in values]
    changes = _changes(steady, row.get("by", 0))
    if row.get("steady") and changes >= row.get("changes", _CHANGES):
        return f"{row['what']} changes {counted(changes, 'time')} at rest, between {min(steady):g} and {max(steady):g}"
    return ""


def _changes(values: list[float], least: float) -> int:
    """How often a value changes by more than `least` from where it was last."""
    changes, last = 0, values[0] if values else 0
    for value in values:
        if abs(value - last) > least:
            changes, last = changes + 1, value
    return changes


def _is_plausible(row: Mapping[str, Any], value: float) -> bool:
    if "range" in row:
        low, high = row["range"]
        return bool(low <= value <= high)
    allowed, known = row.get("allowed"), row.get("bits")
    return (not allowed or value in allowed) and (known is None or not int(value) & ~known)


def _series(name: str, evidence: Evidence) -> list[Any]:
    if name in _SERIES:
        return list(_SERIES[name](evidence))
    return [getattr(sip, name) for sip in evidence.decoded[_SETTLED:]]


def _series_measure(name: str) -> None:
    """Make the rows of `series` with this name a measure."""

    @measure(name)
    def judged(evidence: Evidence) -> Iterator[Seen]:
        for row in table()["series"]:
            if row.get("of", "field") == name and (text := _judge(row, _series(row["name"], evidence))):
                yield Seen(capitalized(text), key=f"field-{row['name'].replace('_', '-')}" if name == "field" else name)


for _name in (
    *("battery-reading", "motors-switched", "motors-stay-on", "bumper-bits", "heading-range", "pose-jumps"),
    *("moves-at-rest", "velocity-at-rest", "heading-drifts", "moving-flag", "field", "gyro"),
):
    _series_measure(_name)


@measure("stays-open")
def _stays_open(evidence: Evidence) -> bool:
    return evidence.close_ignored


# -- what is shown ----------------------------------------------------------------------------------------------------


def battery_shown(evidence: Evidence) -> str:
    """Return voltage and charge."""
    if not evidence.reports:
        return ""
    newest = evidence.reports[-1]
    charging = ", charging" if newest.charging else ""
    return f"{evidence.after.battery.voltage:.1f} V, about {100 * newest.charge:.0f} % charged{charging}"


def motors_shown(evidence: Evidence) -> str:
    """Return what the motors show."""
    if not evidence.reports:
        return ""
    state = "on" if evidence.reports[-1].motors_enabled else "off"
    return f"no stall, stop button or fault is reported; they are {state}"


def rest_shown(evidence: Evidence) -> str:
    """Return how still the robot is; "" if too few packets came."""
    if len(evidence.reports) < _ENOUGH:
        return ""
    moved, turned = max(_away(evidence, 0)), max(_away(evidence, 1))
    return f"at rest: the pose stays within {1000 * moved:.0f} mm and {turned:.1f} deg"


def fields_shown(evidence: Evidence) -> str:
    """Return that the other fields are plausible; "" if there are no packets to tell."""
    if evidence.after.profile.erratic and evidence.reports:
        return "the packets of an Erratic have no further fields"
    fields = sum("of" not in row for row in table()["series"])
    return f"{fields} further fields of its packets are plausible" if evidence.decoded else ""


def gyro_shown(evidence: Evidence) -> str:
    """Return what the gyro shows; "" without one."""
    samples = evidence.gyro_rates
    if len(samples) < _SAMPLES:
        return ""
    return f"center {statistics.fmean(samples):.0f} of {_CENTER}, noise {statistics.pstdev(samples):.1f} counts"
