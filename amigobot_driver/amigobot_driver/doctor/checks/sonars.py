# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Each sonar at rest: whether it gives readings, whether they vary, and whether they are echoes of its own pings."""

from __future__ import annotations

import math
import shlex
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...profiles import Profile, SonarPose
from ...wording import counted
from ..check import Case, Row, Stage, check, wrong
from ..finding import Cause, Finding, Severity

#: Least number of readings for a judgment of a sonar; a silent sonar misses this many while the others fire.
_ENOUGH = 8
#: Least share of the other sonars with an echo for the robot to count as surrounded by walls.
_ENCLOSED = 0.6
#: Share of the reach of the sonars within which both neighbors must detect an echo.
_NEAR = 0.7
#: Largest angle in rad between two sonars that point in the same direction.
_SAME = math.radians(10)
#: Least distance in m by which a false echo (a ping of another robot) is nearer than the readings before and after it,
#: and the largest difference in m between these two.
_SPIKE_DEPTH, _SPIKE_AGREE = 0.3, 0.1
#: Least difference in m between two false echoes: equal ones are an object at the edge of the beam.
_SPIKE_APART = 0.05
#: Least number, and least share, of such readings that count as cross-talk.
_SPIKES, _SPIKE_SHARE = 5, 0.03
#: Largest spread in m of the readings of a stuck sonar: the noise of a real echo is some millimeters.
_FROZEN = 0.0005
#: SIPs in which a ring gives a reading.
_FEW_REPORTS = 5
#: Share of the reach that no reading exceeds: those without an echo are up to 6.1 m, with a reach of 5 m.
_IMPOSSIBLE = 1.5
#: Sonars of a ring, and the share of stuck ones from which it is the board that hangs.
_RING_SIZE, _ALL = 8, 0.7


@check("sonars", Stage.CONNECTED)
def sonars(case: Case) -> Iterator[Finding]:
    """Each sonar gives readings like those of a working one."""
    observation = case.observation
    profile = observation.after.profile
    count = _fitted(case)
    if not count:
        yield Finding("sonars", Severity.NOTE, f"the profile {profile.name} has no sonars")
        return
    if not observation.reports:
        return
    if case.line_fault:
        return  # what the line loses would look like a silent sonar
    ranges = _ranges(case)
    values = {"readings": {number: len(ranges[number]) for number in range(count)}}
    if not _ranges(case, late=True):
        yield _silent_ring(case, count)
        return
    if found := list(wrong("sonars", _RING, case, first=True)):
        yield from found
        return
    faults = dict(_faults(profile, ranges, _ranges(case, late=True), count))
    disturbed = _disturbed(profile, ranges)
    if disturbed:
        yield _cross_talk(case, disturbed)
    elif not faults:
        echoing = sum(any(map(math.isfinite, ranges[number])) for number in range(count))
        text = f"all {count} give readings, {echoing} with an echo"
        yield Finding("sonars", Severity.OK, text, values=values)
    alike: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, fault in sorted(faults.items()):
        alike[fault].append(number)
    for (kind, text), numbers in alike.items():
        yield _finding(case, profile, numbers, kind, text, faults)
    yield from _far(profile, ranges, faults)


def _fitted(case: Case) -> int:
    """Number of sonars: those of the profile, or of the front ring if the robot says that it has no other."""
    config, count = case.observation.after.config, len(case.observation.after.profile.sonar.poses)
    front_only = count == 2 * _RING_SIZE and config is not None and config.value("rear_sonar") == 0
    return _RING_SIZE if front_only else count


def _unknown_numbers(case: Case) -> str:
    observation = case.observation
    if not (refused := observation.after.bad_pings - observation.before.bad_pings):
        return ""
    profile = observation.after.profile
    last = len(profile.sonar.poses) - 1
    return f"sonars with higher numbers than {last} answer, the last one of the profile {profile.name} ({refused})"


def _missing_ring(case: Case) -> str:
    """Whole rings of eight that give nothing, though the robot reports them."""
    ranges, profile = _ranges(case), case.observation.after.profile
    count = len(profile.sonar.poses)
    rings = [range(at, min(at + _RING_SIZE, count)) for at in range(0, count, _RING_SIZE)]
    silent = [ring for ring in rings if not any(ranges[number] for number in ring)]
    config = case.observation.after.config
    declared = [config.value("front_sonar"), config.value("rear_sonar")] if config else [None, None]
    if len(rings) > 1 and silent and declared[rings.index(silent[0]) % 2] != 0:
        return f"sonars {silent[0][0]} to {silent[-1][-1]} of {count} give nothing"
    return ""


def _few(case: Case) -> str:
    ranges, count = _ranges(case), _fitted(case)
    firing = [number for number in range(count) if ranges[number]]
    if len(firing) > count / 2:
        return ""
    return f"only {_listed(firing)} of {count} give readings"


def _all_stuck(case: Case) -> str:
    readings = {number: values for number, values in _ranges(case).items() if any(map(math.isfinite, values))}
    stuck = [number for number, values in readings.items() if len(values) >= _ENOUGH and not _varies(values)]
    if len(stuck) < 2 or len(stuck) < _ALL * len(readings):
        return ""
    values = {readings[number][0] for number in stuck}
    same = f", all of them {values.pop():.3f} m" if len(values) == 1 else ""
    return f"no sonar varies: {len(stuck)} give the same range each time{same}"


def _random(case: Case) -> str:
    """Sonars whose readings change at random from ping to ping; the sonars of another robot disturb single ones."""
    wild, reach = [], case.observation.after.profile.sonar.max_range
    for number, readings in _ranges(case).items():
        steps = [abs(min(late, reach) - min(early, reach)) for early, late in pairwise(readings)]
        if len(steps) >= _ENOUGH and statistics.quantiles(steps, n=4)[0] > _SPIKE_AGREE:
            wild.append(number)
    if len(wild) <= len(_ranges(case)) / 2 and _disturbed(case.observation.after.profile, _ranges(case)):
        return ""
    return f"readings of {_listed(sorted(wild))} change by more than {_SPIKE_AGREE} m each time" if wild else ""


def _too_far(case: Case) -> str:
    """Readings that no sonar can give: no echo is 5000 or 6100 mm."""
    profile = case.observation.after.profile
    far = [reading.range * profile.units.range for packet in case.traffic.decoded for reading in packet.sonar]
    wrong = [distance for distance in far if distance > _IMPOSSIBLE * profile.sonar.max_range]
    return f"{counted(len(wrong), 'reading')} of up to {max(wrong):.1f} m" if len(wrong) > 2 else ""


def _no_echo(case: Case) -> str:
    ranges, reach = _ranges(case), case.observation.after.profile.sonar.max_range
    nothing = len(ranges) >= _RING_SIZE and not any(math.isfinite(one) for some in ranges.values() for one in some)
    return f"none of {len(ranges)} sonars detects an echo within {reach:g} m" if nothing else ""


_RING = (
    Row(
        "sonar-numbers",
        Severity.WARNING,
        _unknown_numbers,
        "{}: it is another robot than its subclass says, or the profile is that of another one.",
        "Choose the profile of the robot with --robot, or set Subclass with its maintenance tool. Then:",
    ),
    Row(
        "sonar-ring",
        Severity.WARNING,
        _missing_ring,
        "{}: this ring is not there (another robot than its subclass says), switched off, or its cable is loose.",
        "Check the cable of the ring, RearSonar and FrontSonar in its FLASH, and the subclass. Then:",
    ),
    Row(
        "sonar-range",
        Severity.WARNING,
        _too_far,
        "{}: no sonar of this robot reaches as far; its board or its packets are damaged, or the profile is wrong.",
        "Switch the robot off and on; choose its profile with --robot. Then:",
    ),
    Row(
        "sonar-deaf",
        Severity.WARNING,
        _no_echo,
        "{}: it stands in the open, or the sonar board does not work.",
        "Put it near a wall, or hold a hand 30 cm in front of a sonar. Then:",
    ),
    Row(
        "sonar-sequence",
        Severity.WARNING,
        _few,
        "{}: the firing sequence in its FLASH leaves the others out, their board is off, or it is another robot.",
        "Set the sequence (parameter sonar_sequence), and check the cable of the sonar board. Then:",
    ),
    Row(
        "sonar-random",
        Severity.WARNING,
        _random,
        "{}, with the robot at rest: something moves before it, the sonars are disturbed, or their board is broken.",
        "Let nothing move around the robot, switch other robots off, and check the sonar board. Then:",
    ),
    Row(
        "sonar-stuck",
        Severity.WARNING,
        _all_stuck,
        "{}, without the noise of a real echo: the sonar board hangs. (A simulator without noise does that, too.)",
        "Switch the robot off and on, and check the cable of the sonar board. Then:",
    ),
)


def _ranges(case: Case, *, late: bool = False) -> dict[int, list[float]]:
    """Ranges in m by the numbers of the sonars; `late` for the last quarter of the observation only."""
    ranges: dict[int, list[float]] = defaultdict(list)
    reports = case.observation.reports
    for report in reports[-max(_FEW_REPORTS, len(reports) // 4) if late else 0 :]:
        for ping in report.pings:
            ranges[ping.number].append(ping.range)
    return ranges


def _faults(
    profile: Profile, ranges: dict[int, list[float]], late: dict[int, list[float]], count: int
) -> Iterator[tuple[int, tuple[str, str]]]:
    """Number of each faulty sonar, kind of the fault, and what it does."""
    numbers = range(count)
    most, most_late = (max(map(len, some.values())) for some in (ranges, late))
    if most < _ENOUGH:
        return
    varying = [number for number in numbers if _varies(ranges[number])]
    for number in numbers:
        readings = ranges[number]
        if len(late[number]) <= most_late // _ENOUGH:
            yield number, ("silent", f"gave {len(late[number])} readings where others gave {most_late}")
        elif all(map(math.isfinite, readings)) and not _varies(readings) and varying and len(readings) >= _ENOUGH:
            yield number, ("stuck", f"gave {readings[0]:.3f} m each time, without the noise of a real echo")
        elif not any(map(math.isfinite, readings)) and _enclosed(profile, ranges, number):
            yield number, ("deaf", "detected no echo, but the neighbors did: defective, covered, or facing a door")


def _far(profile: Profile, ranges: dict[int, list[float]], faults: dict[int, tuple[str, str]]) -> Iterator[Finding]:
    """Sonars without an echo that may look into the distance."""
    far = [
        number
        for number in range(len(profile.sonar.poses))
        if number not in faults and ranges[number] and not any(map(math.isfinite, ranges[number]))
    ]
    reach = f"{profile.sonar.max_range:g} m"
    if far:
        text = (
            f"no echo at {_listed(far)}: nothing is within {reach} there, or the wall is slanted; to be sure, hold a "
            "hand in front of it and check again"
        )
        yield Finding("sonars", Severity.NOTE, text, values={"not_examined": f"{_listed(far)} (no echo)"})


def _disturbed(profile: Profile, ranges: dict[int, list[float]]) -> list[int]:
    """Sonars that detect pings of another robot: single readings are too short."""
    found: dict[int, list[float]] = {}
    for number, readings in ranges.items():
        finite = [min(reading, profile.sonar.max_range) for reading in readings]
        spikes = [
            reading
            for before, reading, after in zip(finite, finite[1:], finite[2:], strict=False)
            if abs(before - after) < _SPIKE_AGREE and reading < min(before, after) - _SPIKE_DEPTH
        ]
        if len(spikes) == 1 or (spikes and max(spikes) - min(spikes) > _SPIKE_APART):
            found[number] = spikes
    count, total = sum(map(len, found.values())), sum(map(len, ranges.values()))
    return sorted(found) if count >= max(_SPIKES, _SPIKE_SHARE * total) else []


def _cross_talk(case: Case, numbers: Sequence[int]) -> Finding:
    text = f"the sonars of another robot disturb {_listed(numbers)}"
    action = "Switch the sonars of the other robot off, or move it away. Then:"
    reason = f"T{text[1:]}: single readings are far too short."
    cause = Cause("sonar-cross-talk", reason, action, case.target.command())
    return Finding("sonars", Severity.WARNING, text, (cause,), values={"sonars": list(numbers), "fault": "cross-talk"})


def _finding(
    case: Case, profile: Profile, numbers: list[int], kind: str, text: str, faults: dict[int, tuple[str, str]]
) -> Finding:
    where = _listed(numbers) if len(numbers) > 1 else f"sonar {numbers[0]} ({_place(profile, numbers[0])})"
    good = " ".join(str(other) for other in range(len(profile.sonar.poses)) if other not in faults)
    port = shlex.quote(case.target.url)
    command = f"ros2 run amigobot_driver amigobot_node --ros-args -p port:={port} -p 'sonar_sequence:=\"{good}\"'"
    if kind == "deaf":
        action = "Hold a hand 30 cm in front of it and check again. If it still detects nothing, leave it out:"
    else:
        it, is_repaired = ("them", "they are repaired") if len(numbers) > 1 else ("it", "it is repaired")
        action = f"Check that nothing touches {it}, and check the cable. Until {is_repaired}, leave {it} out:"
    return Finding(
        "sonars",
        Severity.WARNING,
        f"{where} {text}",
        (Cause(f"sonar-{kind}", f"S{where[1:]} {text}.", action, command),),
        values={"sonars": numbers, "fault": kind},
    )


def _silent_ring(case: Case, count: int) -> Finding:
    config = case.observation.after.config
    if config is not None and config.value("front_sonar") == 0 == config.value("rear_sonar"):
        return Finding("sonars", Severity.NOTE, "none fires, and the robot reports that it has none")
    stop = "they stop: the last ones are old" if _ranges(case) else "none gives a reading"
    text = f"The sonars are on, but {stop} (there should be {count})."
    cause = Cause("sonar-silent", text, "Check the cable of the sonar board. Then:", case.target.command())
    return Finding("sonars", Severity.WARNING, "no sonar gives a reading", (cause,))


def _varies(readings: Sequence[float]) -> bool:
    echoes = [reading for reading in readings if math.isfinite(reading)]
    return len(echoes) > 1 and max(echoes) - min(echoes) > _FROZEN


def _enclosed(profile: Profile, ranges: dict[int, list[float]], number: int) -> bool:
    """Whether most others and both neighbors detect an echo: there are walls all around, except for doors."""
    poses = profile.sonar.poses
    others = [other for other in range(len(poses)) if other != number]
    echoing = [other for other in others if any(map(math.isfinite, ranges[other]))]
    if len(echoing) < _ENCLOSED * len(others):
        return False
    turns = {other: _turn(poses[number], poses[other]) for other in others}
    if any(abs(turn) < _SAME and other not in echoing for other, turn in turns.items()):
        return False  # a second sonar beside it detects nothing, either
    left = min((other for other in others if turns[other] >= _SAME), key=lambda other: turns[other], default=None)
    right = max((other for other in others if turns[other] <= -_SAME), key=lambda other: turns[other], default=None)
    # A wall that the neighbors see far away may be out of reach here.
    return all(
        other in echoing and statistics.median(ranges[other]) < _NEAR * profile.sonar.max_range
        for other in (left, right)
        if other is not None
    )


def _turn(pose: SonarPose, other: SonarPose) -> float:
    """Angle in rad from one sonar to another, counter-clockwise positive, not more than half a turn."""
    return math.remainder(other.heading - pose.heading, math.tau)


def _place(profile: Profile, number: int) -> str:
    """Where a sonar points to: "41 deg left"."""
    degrees = math.degrees(profile.sonar.poses[number].heading)
    return f"{abs(degrees):.0f} deg {'left' if degrees > 0 else 'right'}" if round(degrees) else "straight ahead"


def _listed(numbers: Sequence[int]) -> str:
    return f"sonar{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
