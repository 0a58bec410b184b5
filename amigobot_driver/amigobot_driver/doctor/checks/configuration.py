# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The CONFIG packet of the robot: settings with which it is not safe, or does not drive well."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from ...protocol import BAUD_RATES, Config, Parameters
from ...robot.monitors.braking import slow_stops
from ...wording import counted
from ..check import Case, Stage, check
from ..finding import Cause, Finding, Severity

#: Share by which the track may differ from the profile's: of a robot with two wheels, and of one that skids.
_TRACK, _SKID_TRACK = 0.15, 0.35
#: RevCount / TicksMM of an AmigoBot whose CONFIG has no TicksMM: 9550 ticks a turn of a 100 mm wheel.
_AMIGO_TICKS = 9550 / (math.pi * 100)
#: Ticks per mm of an AROS robot, in the unit of RevCount.
_AROS_TICKS = 16
#: ARCOS counts RevCount in eighths of TicksMM (docs/protocol.md E-19).
_EIGHTH = 8
#: Settings that make no sense from which they have one cause.
_MANY = 5
#: Serial number that MobileSim reports.
_SIMULATOR = "SIM"
_TOOL = "Set it with the maintenance tool of the robot (no command changes it). Then:"


@dataclass(frozen=True, slots=True)
class Range:
    """One setting: what is sane, and what else means. Real robots in docs/reference/field.md are inside."""

    name: str  #: in CONFIGpac
    keyword: str  #: as the manuals call it
    low: float
    high: float
    unit: str
    below: str  #: what a lower value does
    above: str  #: what a higher value does
    severity: Severity = Severity.WARNING
    restore: int = 0  #: a value that a command can set until the connection ends; 0: none


_E = Severity.ERROR
#: The settings that matter, in the units of CONFIGpac. A value that makes no sense is a line here, never an end.
RANGES = (
    Range(
        "watchdog",
        "WatchDog",
        300,
        3000,
        "ms",
        "a short delay of the link stops it",
        "it drives on for that long if this computer or the link fails",
        _E,
    ),
    Range("pwm_max", "PwmMax", 100, 2000, "", "the motors get too little power", "no controller has as much", _E),
    Range("trans_vel_max", "TransVelMax", 100, 5000, "mm/s", "it can hardly drive", "no robot is as fast", restore=300),
    Range("rot_vel_max", "RotVelMax", 20, 720, "deg/s", "it can hardly turn", "no robot turns as fast", restore=100),
    Range(
        "trans_acc", "TransAcc", 50, 5000, "mm/s2", "it starts sluggishly", "it jerks and its wheels slip", restore=300
    ),
    Range(
        "trans_decel", "TransDecel", 100, 5000, "mm/s2", "it stops late", "it jerks and its wheels slip", restore=300
    ),
    Range("rot_acc", "RotAcc", 15, 1500, "deg/s2", "it turns sluggishly", "it jerks and its wheels slip", restore=50),
    Range(
        "rot_decel", "RotDecel", 15, 1500, "deg/s2", "it turns on for long", "it jerks and its wheels slip", restore=50
    ),
    Range("rot_kp", "RotKp", 5, 300, "", "it does not turn, or too little", "it oscillates", restore=30),
    Range("trans_kp", "TransKp", 5, 300, "", "it does not drive, or too little", "it oscillates", restore=40),
    Range("rot_kv", "RotKv", 0, 600, "", "", "it is slow to turn"),
    Range("trans_kv", "TransKv", 0, 600, "", "", "it is slow to drive"),
    Range("rot_ki", "RotKi", 0, 200, "", "", "it oscillates"),
    Range("trans_ki", "TransKi", 0, 200, "", "", "it oscillates"),
    Range("stall_val", "StallVal", 20, 1000, "", "it takes driving for a stall", "it never notices a stall"),
    Range(
        "stall_count",
        "StallCount",
        1,
        2000,
        "ms",
        "a stall does not rest the motors",
        "it stays off long after a stall",
    ),
    Range(
        "low_battery",
        "LowBattery",
        90,
        140,
        "x 0.1 V",
        "it gives no alarm before the battery is empty",
        "its alarm never ends",
    ),
    Range("shutdown_volts", "ShutdownVolts", 0, 118, "x 0.1 V", "", "it switches off with a good battery"),
    Range("info_cycle_ms", "SInfoCycle", 20, 200, "ms", "packets do not fit on the line", "its pose is always late"),
    Range("sonar_cycle", "SonarCycle", 10, 200, "ms", "pings overlap", "its sonars are slow"),
    Range("drift_factor", "DriftFactor", -600, 600, "/8192", "it drives in a bow", "it drives in a bow"),
    Range("ticks_mm", "TicksMM", 5, 1000, "", "all distances are wrong", "all distances are wrong"),
    Range("has_gyro", "HasGyro", 0, 2, "", "", "no gyro is of this kind"),
    Range("rot_vel_top", "RotVelTop", 20, 1000, "deg/s", "it can hardly turn", "no robot turns as fast"),
    Range("trans_vel_top", "TransVelTop", 100, 10000, "mm/s", "it can hardly drive", "no robot is as fast"),
    Range("host_baud", "HostBaud", 0, len(BAUD_RATES) - 1, "(code)", "", "no line speed has this code"),
)


@check("configuration", Stage.CONNECTED)
def configuration(case: Case) -> Iterator[Finding]:
    """The settings of the robot are sane, and it is the robot that it says."""
    snapshot, again = case.observation.after, case.target.command()
    config = snapshot.config
    if config is None:
        if not case.line_fault:
            cause = Cause("no-config", "The robot does not answer CONFIG.", "Press RESET on the robot. Then:", again)
            yield Finding("configuration", Severity.WARNING, "no CONFIG packet came", (cause,))
        return
    if dict(config.values()).get("serial") == _SIMULATOR:
        shown = "a simulator (MobileSim or AMRISim): most of its settings are 0, and no watchdog stops it"
        yield Finding("configuration", Severity.NOTE, shown)
        return
    slow = list(_slow_stops(case, config))
    stops = " ".join(cause.text for finding in slow for cause in finding.causes)
    ranges = list(_ranges(case, config, {row.name for row in RANGES if row.name in stops}))
    findings = [*slow, *ranges, *_track(case, config), *_names(case, config)]
    if len(ranges) >= _MANY:
        shown = f"{len(ranges)} settings make no sense"
        text = f"{shown[0].upper()}{shown[1:]}: the robot has lost its FLASH, or its packets are changed on the way. "
        text += " ".join(cause.text for finding in ranges[:2] for cause in finding.causes)
        cause = Cause("flash-lost", text, f"Do not drive it. {_TOOL}", again)
        findings = [Finding("configuration", Severity.ERROR, shown, (cause,))]
    yield from findings
    reported = dict(config.values())
    if not findings:
        checked = sum(name.name in reported for name in RANGES)
        shown = f"{counted(checked, 'setting')} in their ranges; its watchdog stops it after {_watchdog(config)}"
        yield Finding("configuration", Severity.OK, shown, values={"reported": reported})


def _watchdog(config: Parameters) -> str:
    return f"{config.watchdog / 1000:g} s"


def _ranges(case: Case, config: Parameters, known: set[str]) -> Iterator[Finding]:
    """Yield a finding for each setting that makes no sense, but those that are known already."""
    reported = {**dict(config.values()), "info_cycle_ms": config.info_cycle_ms}
    for row in RANGES:
        value = reported.get(row.name)
        if not isinstance(value, int) or row.low <= value <= row.high or row.name in known:
            continue
        if row.name == "watchdog" and value == 0:
            shown, effect = "the watchdog of the robot is off: WatchDog is 0", "it drives on if the link fails"
        else:
            shown = f"{row.keyword} is {value} {row.unit}".rstrip()
            effect = row.below if value < row.low else row.above
        text = f"{shown}: {effect}. Sane: {row.low:g} to {row.high:g} {row.unit}".rstrip() + "."
        action, command = _TOOL, case.target.command()
        if row.restore:
            action = "Until the connection ends (for good, with the maintenance tool of the robot):"
            port = shlex.quote(case.target.url)
            command = (
                f"echo '{row.name}: {row.restore}' > fixed.yaml && amigobot config restore fixed.yaml --port {port}"
            )
        severity = Severity.ERROR if value == 0 and row.low > 0 else row.severity
        key = "watchdog-off" if row.name == "watchdog" and value == 0 else f"setting-{row.keyword.lower()}"
        cause = Cause(key, text[0].upper() + text[1:], action, command)
        yield Finding("configuration", severity, shown, (cause,), values={row.name: value})


def _track(case: Case, config: Parameters) -> Iterator[Finding]:
    """RevCount against the track of the profile: with a wrong one the robot turns by other angles than it says."""
    profile, rev_count = case.observation.after.profile, config.value("rev_count")
    if not isinstance(config, Config) or rev_count is None or profile.name == "generic":
        return
    amigo = "amigo" in profile.name
    # AROS does not report TicksMM; 128 ticks are 16 of RevCount's.
    ticks = config.ticks_mm or (_AMIGO_TICKS if amigo else _AROS_TICKS if profile.firmware.startswith("R") else 0)
    if amigo and abs(ticks / _AMIGO_TICKS - 1) > _TRACK:
        shown = f"TicksMM is {ticks:g}: that is {100 * (ticks / _AMIGO_TICKS - 1):+.0f} % of an AmigoBot's"
        cause = Cause(
            "setting-ticksmm", f"{shown} (30). Its distances are wrong by as much.", _TOOL, case.target.command()
        )
        yield Finding("configuration", Severity.WARNING, shown, (cause,), values={"ticks_mm": ticks})
        return
    if rev_count and not ticks:
        return
    expected = 1000 * profile.body.track
    tracks = [factor * rev_count / ticks / math.pi if ticks else 0.0 for factor in (1, _EIGHTH)]
    track = min(tracks, key=lambda track: abs(track - expected))
    tolerance = _SKID_TRACK if profile.body.wheelbase else _TRACK
    if abs(track - expected) <= tolerance * expected:
        return
    right = round(rev_count * expected / track) if track else 0
    what = f"that is {100 * (track / expected - 1):+.0f} % of this robot's" if track else "it is not set"
    shown = f"RevCount is {rev_count}{f' with TicksMM {config.ticks_mm}' if config.ticks_mm else ''}: {what}"
    port = shlex.quote(case.target.url)
    text = (
        f"{shown}{f' (about {right})' if right else ''}. The heading of the robot and its turns are wrong by as much."
    )
    command = f"amigobot calibrate --port {port}"
    cause = Cause("setting-revcount", text, "Measure it, or set it with the maintenance tool of the robot:", command)
    yield Finding("configuration", Severity.WARNING, shown, (cause,), values={"rev_count": rev_count})


def _slow_stops(case: Case, config: Parameters) -> Iterator[Finding]:
    commands, port = case.observation.after.commands, shlex.quote(case.target.url)
    for text in slow_stops(config, (commands.max_linear, commands.max_angular)):
        fixed = "echo '{trans_decel: 300, rot_decel: 50}' > fixed.yaml && amigobot config restore fixed.yaml"
        cause = Cause(
            "slow-stop", f"{text[0].upper()}{text[1:]}.", "Or until the connection ends:", f"{fixed} --port {port}"
        )
        yield Finding("configuration", Severity.ERROR, "the robot takes long to stop", (cause,))


def _names(case: Case, config: Parameters) -> Iterator[Finding]:
    """The limits, and the names in CONFIGpac and in the answer to SYNC2, agree."""
    again, who = case.target.command(), case.observation.after.identity
    reported = dict(config.values())
    for name, top in (("trans_vel_max", "trans_vel_top"), ("rot_vel_max", "rot_vel_top")):
        value, limit = reported.get(name), reported.get(top)
        if isinstance(value, int) and isinstance(limit, int) and 0 < limit < value:
            shown = f"{name} is {value}, above {top}, {limit}"
            cause = Cause("setting-top", f"{shown}: the robot cannot reach it.", _TOOL, again)
            yield Finding("configuration", Severity.WARNING, shown, (cause,))
    firmware, is_sh = case.observation.after.profile.firmware, "ticks_mm" in reported
    if isinstance(config, Config) and ((firmware == "S" and not is_sh) or (firmware == "A" and is_sh)):
        names = ("AmigOS", "AmigoSH")
        shown = f"the profile is for {names[firmware == 'S']}, and CONFIG is that of {names[is_sh]}"
        text = f"The subclass is not that of the robot: {shown}. Distances and velocities are wrong by a factor of 2."
        action = "Set Subtype with the maintenance tool of the robot, or choose the profile with --robot. Then:"
        yield Finding("configuration", Severity.WARNING, shown, (Cause("wrong-subclass", text, action, again),))
    damaged = {name: text for name, text in reported.items() if isinstance(text, str) and not _is_plain(text)}
    if damaged:
        shown = ", ".join(f"{name} is {text!r:.60}" for name, text in damaged.items())
        text = (
            f"A name has other characters than ASCII: {shown}. Its FLASH is damaged, or bytes are changed on the way."
        )
        cause = Cause("name-damaged", text, "Set it with the maintenance tool of the robot. Then:", again)
        yield Finding("configuration", Severity.WARNING, shown, (cause,))
    differ = [
        f"{name} is {first} in its answer to SYNC2, and {second} in CONFIG"
        for name, first in ((("subclass", who.subclass), ("name", who.name)) if who else ())
        if isinstance(second := reported.get(name), str) and first and second and first.lower() != second.lower()
    ]
    answers = {packet for packet in case.observation.packets if isinstance(packet, Parameters)}
    differ += ["its answers to CONFIG differ"] * (len(answers) > 1)
    if differ:
        text = f"The robot says two things: {differ[0]}. Its FLASH is damaged, or two robots are on the line."
        action = "Leave one robot on the line, or set the value with its maintenance tool. Then:"
        cause = Cause("two-identities", text, action, again)
        yield Finding("configuration", Severity.WARNING, differ[0], (cause,))


def _is_plain(text: str) -> bool:
    return text.isascii() and (text.isprintable() or not text)
