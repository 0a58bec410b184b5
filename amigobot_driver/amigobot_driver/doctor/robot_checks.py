# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Measures of the robot: identity, settings, battery, motors, rest, gyro, and every other field of its packets.

Plausible values of fields and settings stand in config/doctor.yaml.
"""

from __future__ import annotations

import math
import shlex
import statistics
from collections.abc import Iterator
from itertools import pairwise

from ..connection_policy import SEARCH_SPEEDS
from ..profiles import choose_profile
from ..protocol import BAUD_RATES, Config, Parameters, Sip
from ..robot.devices.tuning import STOP_TIME, TUNABLE
from ..wording import counted, robot_name
from .evidence import Evidence
from .finding import Cause, Finding, Severity
from .table import Seen, measure, table
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
#: V by which the voltage of a robot at rest may vary, the range of voltages over the cut-off that are possible, and V
#: that the shorter of the two fields for it can hold.
_STEADY, _POSSIBLE, _MOST = 0.8, (0.7, 1.6), 25.5
#: SIPs until the motors are off after ENABLE 0.
_SETTLED = 5
#: m and rad by which the pose of a robot at rest may change, by rounding and by a nudge; m and rad in one step that no
#: robot drives in one packet; m/s of a wheel at rest, as controllers report some mm/s (docs/reference/field.md).
_MOVED, _TURNED, _JUMP, _JUMP_TURN, _REST = 0.02, math.radians(1), 0.25, math.radians(20), 0.02
#: Units of the heading in a turn.
_TURN = 4096
#: Packets that must show something, that a judgment needs, and in which the value of a field must change.
_SOME, _ENOUGH, _CHANGES = 3, 5, 4
#: Counts of a gyro at rest, how far its center may be off, its largest standard deviation (docs/protocol 5.9), and
#: the samples that a judgment needs.
_CENTER, _OFF, _NOISE, _SAMPLES = 512, 60, 8.0, 20
#: Bits of a stall byte that are bumpers.
_BUMPERS = 0xFE


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
        wrong = f"No profile is for the subclass {who.subclass}: distances and speeds may be wrong."
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
def _no_config(evidence: Evidence) -> str:
    return "" if evidence.after.config or evidence.disturbed else "no CONFIG packet came"


@measure("watchdog-off")
def _watchdog_off(evidence: Evidence) -> str:
    config = _config(evidence)
    return "WatchDog is 0" if config and config.watchdog == 0 else ""


def _implausible(evidence: Evidence) -> list[tuple[str, Seen]]:
    """The settings outside their ranges: name, and what it does."""
    config, found = _config(evidence), []
    reported = {**dict(config.values()), "info_cycle_ms": config.info_cycle_ms} if config else {}
    for name, row in table()["settings"].items():
        value, (low, high) = reported.get(name), row["range"]
        if not isinstance(value, int) or low <= value <= high or (name == "watchdog" and value == 0):
            continue
        unit = row.get("unit", "")
        effect = row.get("below" if value < low else "above", "it makes no sense")
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


def _settings(evidence: Evidence, *, temporary: bool) -> list[Seen]:
    found = _implausible(evidence)
    if len(found) >= _MANY:
        return []
    known = " ".join(seen.text for seen in _slow_stop(evidence))
    return [seen for name, seen in found if bool(seen.command) == temporary and name not in known]


@measure("flash-lost")
def _flash_lost(evidence: Evidence) -> str:
    found = [seen.text for _, seen in _implausible(evidence)]
    return f"{len(found)} settings make no sense ({'; '.join(found[:2])})" if len(found) >= _MANY else ""


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
    config = _config(evidence)
    ticks = config.ticks_mm if isinstance(config, Config) else None
    share = (ticks or _AMIGO_TICKS) / _AMIGO_TICKS - 1
    wrong = "amigo" in evidence.after.profile.name and abs(share) > _TRACK and 5 <= (ticks or 0) <= 1000
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


@measure("setting-top")
def _tops(evidence: Evidence) -> str:
    config = _config(evidence)
    reported = dict(config.values()) if config else {}
    for name, top in (("trans_vel_max", "trans_vel_top"), ("rot_vel_max", "rot_vel_top")):
        value, limit = reported.get(name), reported.get(top)
        if isinstance(value, int) and isinstance(limit, int) and 0 < limit < value:
            return f"{name} is {value}, above {top}, {limit}"
    return ""


@measure("setting-equipment")
def _equipment(evidence: Evidence) -> Iterator[Seen]:
    """What the settings say, against what comes and how the robot is reached. Real robots have a wrong FrontSonar."""
    config, profile = _config(evidence), evidence.after.profile
    if not isinstance(config, Config):
        return
    speeds = dict(enumerate(BAUD_RATES))
    # A robot that another program sped up is at another speed than that of its FLASH; one at 9600 is not.
    if evidence.baud == SEARCH_SPEEDS[0] != speeds.get(config.host_baud, evidence.baud):
        yield Seen(f"HostBaud is {speeds[config.host_baud]} baud, and the robot answers at {evidence.baud} baud")
    if config.has_gyro == 2 and profile.firmware == "S" and not evidence.gyro_rates:
        yield Seen("HasGyro is 2 (the controller uses a gyro by itself), and no gyro packet comes")


@measure("wrong-subclass")
def _subclass(evidence: Evidence) -> str:
    config, firmware = _config(evidence), evidence.after.profile.firmware
    is_sh = isinstance(config, Config) and config.ticks_mm is not None
    names = ("AmigOS", "AmigoSH")
    if not isinstance(config, Config) or firmware not in ("A", "S") or (firmware == "S") == is_sh:
        return ""
    return f"the profile is for {names[firmware == 'S']}, and CONFIG is that of {names[is_sh]}"


@measure("name-damaged")
def _damaged_names(evidence: Evidence) -> str:
    texts = evidence.after.config.values() if evidence.after.config else ()
    damaged = {name: text for name, text in texts if isinstance(text, str) and not _is_plain(text)}
    return ", ".join(f"{name} is {text!r:.60}" for name, text in damaged.items())


def _is_plain(text: str) -> bool:
    return text.isascii() and (text.isprintable() or not text)


@measure("two-identities")
def _two_identities(evidence: Evidence) -> str:
    config, who = _config(evidence), evidence.after.identity
    reported = dict(config.values()) if config else {}
    for name, first in (("subclass", who.subclass), ("name", who.name)) if who else ():
        second = reported.get(name)
        if isinstance(second, str) and first and second and first.lower() != second.lower():
            return f"{name} is {first} in its answer to SYNC2, and {second} in CONFIG"
    answers = [dict(packet.values()) for packet in evidence.packets if isinstance(packet, Parameters)]
    for early, late in pairwise(answers):
        for name in early:
            if early[name] != late.get(name):
                return f"{name} is {early[name]} in one CONFIG packet, and {late.get(name)} in another"
    return ""


# -- battery ----------------------------------------------------------------------------------------------------------


@measure("battery-reading")
def _battery_reading(evidence: Evidence) -> str:
    readings = [report.volts for report in evidence.reports]
    if not readings:
        return ""
    low, high, cutoff = min(readings), max(readings), evidence.after.profile.battery.cutoff
    if high - low > _STEADY:
        return f"The battery voltage varies between {low:.1f} and {high:.1f} V at rest"
    if not _POSSIBLE[0] * cutoff <= statistics.median(readings) <= _POSSIBLE[1] * cutoff:
        return f"The robot reports a battery of {statistics.median(readings):.1f} V, which it cannot have"
    pairs = [(packet.battery / 10, packet.battery_x10 / 10) for packet in evidence.decoded if packet.battery_x10]
    wrong = [pair for pair in pairs if abs(pair[0] - pair[1]) > _STEADY and pair[1] < _MOST]
    return "The robot reports {:.1f} V and {:.1f} V for one battery".format(*wrong[-1]) if len(wrong) > 2 else ""


def battery_shown(evidence: Evidence) -> str:
    """Return voltage and charge."""
    if not evidence.reports:
        return ""
    newest = evidence.reports[-1]
    charging = ", charging" if newest.charging else ""
    return f"{evidence.after.battery.voltage:.1f} V, about {100 * newest.charge:.0f} % charged{charging}"


# -- motors -----------------------------------------------------------------------------------------------------------


@measure("motors-switched")
def _switched(evidence: Evidence) -> str:
    states = [report.motors_enabled for report in evidence.reports[_SETTLED:]]
    changes = sum(late != early for early, late in pairwise(states))
    return f"The motors were switched {counted(changes, 'time')}" if changes else ""


@measure("motors-stay-on")
def _stay_on(evidence: Evidence) -> str:
    states = [report.motors_enabled for report in evidence.reports[_SETTLED:]]
    return "The motors stay on" if states and all(states) and evidence.answers else ""


def motors_shown(evidence: Evidence) -> str:
    """Return what the motors show."""
    if not evidence.reports:
        return ""
    state = "on" if evidence.reports[-1].motors_enabled else "off"
    return f"no stall, stop button or fault is reported; they are {state}"


@measure("bumper-bits")
def _bumper_bits(evidence: Evidence) -> str:
    config, bumpers = _config(evidence), evidence.after.profile.bumpers
    segments = bumpers.front_segments + bumpers.rear_segments
    if isinstance(config, Config):
        segments += (config.front_bumpers or 0) + (config.rear_bumpers or 0)
    set_bits = [(sip.left_stall_bumpers | sip.right_stall_bumpers) & _BUMPERS for sip in evidence.decoded]
    wrong = [bits for bits in set_bits if bits]
    found = not segments and len(wrong) >= _SOME
    return f"Bumper bits are set (0x{wrong[-1]:02X}, in {counted(len(wrong), 'packet')})" if found else ""


# -- at rest ----------------------------------------------------------------------------------------------------------


def _poses(evidence: Evidence) -> list[tuple[float, float, float]]:
    poses = [report.odometry for report in evidence.reports]
    return [(pose.x, pose.y, pose.yaw) for pose in poses]


def _steps(poses: list[tuple[float, float, float]], from_first: bool) -> list[tuple[float, float]]:
    """How far (m, rad) each pose is from the first one, or from the one before."""
    pairs = [(poses[0], pose) for pose in poses] if from_first else pairwise(poses)
    return [(math.dist(a[:2], b[:2]), abs(math.remainder(b[2] - a[2], math.tau))) for a, b in pairs]


def _change(evidence: Evidence) -> tuple[float, float]:
    steps = _steps(_poses(evidence), True) if evidence.reports else [(0.0, 0.0)]
    return max(step for step, _ in steps), max(turn for _, turn in steps)


@measure("heading-range")
def _heading_range(evidence: Evidence) -> str:
    wrong = [packet.heading for packet in evidence.decoded if abs(packet.heading) > _TURN]
    text = f"{counted(len(wrong), 'packet')} with a heading of {wrong[:1]}, where a turn has {_TURN}"
    return text.replace("[", "").replace("]", "") if len(wrong) > 2 else ""


@measure("pose-jumps")
def _jumps(evidence: Evidence) -> str:
    refused = evidence.after.odometry_jumps - evidence.before.odometry_jumps
    steps = _steps(_poses(evidence), False)
    jumps = max(refused, sum(step > _JUMP or turn > _JUMP_TURN for step, turn in steps))
    if not jumps:
        return ""
    furthest = max((step for step, _ in steps), default=0.0)
    return f"The pose jumps {counted(jumps, 'time')}{f', by up to {furthest:.2f} m' if furthest > _JUMP else ''}"


def _velocity(evidence: Evidence) -> float:
    """Velocity of a wheel, m/s, that some packets exceed."""
    poses = [report.odometry for report in evidence.reports]
    fastest = sorted(max(abs(pose.left_velocity), abs(pose.right_velocity)) for pose in poses)
    return fastest[-_SOME] if len(fastest) >= _ENOUGH else 0.0


@measure("heading-drifts")
def _heading_drifts(evidence: Evidence) -> str:
    moved, turned = _change(evidence)
    return _moved(evidence) if turned > _TURNED and moved <= _MOVED and _velocity(evidence) <= _REST else ""


@measure("moves-at-rest")
def _moved(evidence: Evidence) -> str:
    moved, turned = _change(evidence)
    if moved <= _MOVED and turned <= _TURNED:
        return ""
    motors = "on, without a command" if evidence.reports[-1].motors_enabled else "off"
    velocity = _velocity(evidence)
    wheels = f", wheels at {velocity:.2f} m/s" if velocity > _REST else ", wheels at rest"
    return f"The pose changes by {moved:.2f} m and {math.degrees(turned):.0f} deg with the motors {motors}{wheels}"


@measure("velocity-at-rest")
def _velocity_alone(evidence: Evidence) -> str:
    velocity = _velocity(evidence)
    return f"The wheels report {velocity:.2f} m/s, and the pose stays" if velocity > _REST else ""


@measure("moving-flag")
def _flag_alone(evidence: Evidence) -> str:
    kinds = [packet.id for packet in evidence.decoded]
    moving = kinds.count(Sip.MOVING)
    wrong = _velocity(evidence) <= _REST and moving > len(kinds) / 2
    return f"{100 * moving // len(kinds)} % of the packets say that it moves" if wrong else ""


def rest_shown(evidence: Evidence) -> str:
    """Return how still the robot is; "" if too few packets came."""
    if len(evidence.reports) < _ENOUGH:
        return ""
    moved, turned = _change(evidence)
    return f"at rest: the pose stays within {1000 * moved:.0f} mm and {math.degrees(turned):.1f} deg"


# -- every other field ------------------------------------------------------------------------------------------------


@measure("field")
def _fields(evidence: Evidence) -> Iterator[Seen]:
    """Each field has a plausible value, and that of a robot at rest is steady."""
    sips = evidence.decoded[_SETTLED:]
    for row in table()["fields"]:
        values = [value for sip in sips if (value := getattr(sip, row["name"])) is not None]
        values = [value for value in values if value != row.get("unknown")]
        wrong = [value for value in values if not _is_plausible(row, value)]
        steady = [value & ~row.get("ignore", 0) for value in values]
        changes = _changes(steady, row.get("by", 0))
        key = f"field-{row['name'].replace('_', '-')}"
        if len(wrong) >= _SOME:
            text = f"{row['what']} is {wrong[-1]} in {counted(len(wrong), 'packet')}"
        elif row.get("steady") and changes >= _CHANGES:
            text = f"{row['what']} changes {counted(changes, 'time')} at rest, between {min(steady)} and {max(steady)}"
        else:
            continue
        yield Seen(text[0].upper() + text[1:], key=key)
    clock = [sip.robot_time for sip in sips if sip.robot_time]
    if sum(late < early for early, late in pairwise(clock)) >= _SOME:
        yield Seen("The clock of the robot (robot_time) goes back", key="field-robot-time")


def _changes(values: list[int], least: int) -> int:
    """How often a value changes by more than `least` from where it was last."""
    changes, last = 0, values[0] if values else 0
    for value in values:
        if abs(value - last) > least:
            changes, last = changes + 1, value
    return changes


def _is_plausible(row: dict[str, list[int]], value: int) -> bool:
    if "range" in row:
        low, high = row["range"]
        return low <= value <= high
    allowed, known = row.get("allowed"), row.get("bits")
    return (not allowed or value in allowed) and (known is None or not value & ~known)  # type: ignore[operator]


def fields_shown(evidence: Evidence) -> str:
    """Return that the other fields are plausible; "" if there are no packets to tell."""
    if evidence.after.profile.erratic and evidence.reports:
        return "the packets of an Erratic have no further fields"
    return f"{len(table()['fields'])} further fields of its packets are plausible" if evidence.decoded else ""


# -- gyro -------------------------------------------------------------------------------------------------------------


@measure("gyro")
def _gyro(evidence: Evidence) -> str:
    config, samples = evidence.after.config, evidence.gyro_rates
    if config is None or config.value("has_gyro") != 1:
        return ""
    if len(samples) < _SAMPLES:
        return f"The robot reports a gyro (HasGyro 1), and sends {'few' if samples else 'no'} gyro packets"
    mean, noise = statistics.fmean(samples), statistics.pstdev(samples)
    if abs(mean - _CENTER) <= _OFF and noise <= _NOISE:
        return ""
    return f"The gyro does not show a robot at rest: center {mean:.0f} of {_CENTER}, noise {noise:.1f} counts"


def gyro_shown(evidence: Evidence) -> str:
    """Return what the gyro shows; "" without one."""
    samples = evidence.gyro_rates
    if len(samples) < _SAMPLES:
        return ""
    return f"center {statistics.fmean(samples):.0f} of {_CENTER}, noise {statistics.pstdev(samples):.1f} counts"


@measure("stays-open")
def _stays_open(evidence: Evidence) -> str:
    return "packets come after CLOSE" if evidence.close_ignored else ""
