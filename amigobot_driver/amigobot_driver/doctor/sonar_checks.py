# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Measures of the sonars at rest: whether they give readings, whether these vary, and are echoes of their own pings."""

from __future__ import annotations

import math
import shlex
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from ..profiles import SonarPose
from ..wording import counted
from .evidence import Evidence
from .finding import Finding, Severity
from .history import History
from .table import Seen, measure

#: Least number of readings for a judgment of a sonar; a silent sonar misses this many while the others fire.
_ENOUGH = 8
#: Share of the readings of the others below which a sonar answers too rarely.
_RARE = 0.6
#: Share of the readings that are those of another sonar if both have one transducer.
_SAME_SHARE = 0.8
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
#: mm: besides its reach, a sonar without an echo gives these (docs/protocol E-33); by how much one may be off. Share
#: of the reach that no reading exceeds, if a robot has other units; m in a unit.
_NO_ECHO, _HIGHEST, _ROUNDING, _IMPOSSIBLE, _MILLIMETER = 6000, 6200, 20, 1.5, 0.001
#: Sonars of a ring, and the share of stuck ones from which it is the board that hangs.
_RING_SIZE, _ALL = 8, 0.7
#: s, for a running driver: age of a reading from which a sonar is silent, and since when they must be on.
_SILENT = 5

Ranges = Mapping[int, Sequence[float]]


def _ranges(evidence: Evidence, *, late: bool = False) -> dict[int, list[float]]:
    """Ranges in m by the numbers of the sonars; `late` for the last quarter of the observation only."""
    ranges: dict[int, list[float]] = defaultdict(list)
    reports = evidence.reports
    for report in reports[-max(_FEW_REPORTS, len(reports) // 4) if late else 0 :]:
        for ping in report.pings:
            ranges[ping.number].append(ping.range)
    return ranges


def _fitted(evidence: Evidence) -> int:
    """Number of sonars: those of the profile, or of the front ring if the robot says that it has no other."""
    config, count = evidence.after.config, len(evidence.after.profile.sonar.poses)
    if config is not None and config.value("front_sonar") == 0 == config.value("rear_sonar") and not _ranges(evidence):
        return 0
    front_only = count == 2 * _RING_SIZE and config is not None and config.value("rear_sonar") == 0
    return _RING_SIZE if front_only and max(_ranges(evidence), default=0) < _RING_SIZE else count


def sonars_shown(evidence: Evidence) -> str:
    """Return how many sonars give readings; "" if they were not seen."""
    if not evidence.after.profile.sonar.poses:
        return f"the profile {evidence.after.profile.name} has no sonars"
    ranges, count = _ranges(evidence), _fitted(evidence)
    if not count:
        return "none fires, and the robot reports that it has none"
    echoing = sum(any(map(math.isfinite, values)) for values in ranges.values())
    return f"all {count} give readings, {echoing} with an echo" if ranges else ""


@measure("sonar-silent")
def _silent(history: History | Evidence) -> Iterator[Seen]:
    if isinstance(history, Evidence):
        yield from _silent_at_rest(history)
        return
    now, before = history.now, history.before(_SILENT)
    if not (now.sonar_on and before.sonar_on and before.link.running and now.link.running) or now is before:
        return
    silent = [sonar.number for sonar in now.sonars if not sonar.age < _SILENT]
    if silent and len(silent) == len(now.sonars):
        yield Seen(f"No sonar has given a reading for {_SILENT} s, although they are on")
    elif silent:
        yield Seen(f"{_listed(silent).capitalize()} gave no reading for {_SILENT} s, while others do")


def _silent_at_rest(evidence: Evidence) -> Iterator[Seen]:
    ranges, late = _ranges(evidence), _ranges(evidence, late=True)
    most = max(map(len, late.values()), default=0)
    if max(map(len, ranges.values()), default=0) >= _ENOUGH:
        silent = [number for number in range(_fitted(evidence)) if len(late[number]) <= most // _ENOUGH]
        yield from _named(evidence, silent, "gave no readings, while others did")


@measure("sonars-silent")
def _all_silent(evidence: Evidence) -> str:
    count = _fitted(evidence)
    if not count or not evidence.reports or evidence.after.sonar.problem or _ranges(evidence, late=True):
        return ""
    stop = "they stop: the last readings are old" if _ranges(evidence) else "none gives a reading"
    return f"The sonars are on, but {stop} (there should be {count})"


@measure("sonar-numbers")
def _unknown_numbers(evidence: Evidence) -> str:
    if not (refused := evidence.after.bad_pings - evidence.before.bad_pings):
        return ""
    profile = evidence.after.profile
    last = len(profile.sonar.poses) - 1
    return f"Sonars with higher numbers than {last} answer, the last one of the profile {profile.name} ({refused})"


@measure("sonar-ring")
def _missing_ring(evidence: Evidence) -> str:
    """Whole rings of eight that give nothing, though the robot reports them."""
    ranges, count = _ranges(evidence), _fitted(evidence)
    rings = [range(at, min(at + _RING_SIZE, count)) for at in range(0, count, _RING_SIZE)]
    silent = [ring for ring in rings if not any(ranges[number] for number in ring)]
    config = evidence.after.config
    declared = [config.value("front_sonar"), config.value("rear_sonar")] if config else [None, None]
    if len(rings) > 1 and silent and declared[rings.index(silent[0]) % 2] != 0:
        return f"Sonars {silent[0][0]} to {silent[-1][-1]} of {count} give nothing"
    return ""


@measure("sonar-range")
def _impossible(evidence: Evidence) -> str:
    """Raw readings that are neither a distance within the reach nor one of those for "no echo"."""
    profile = evidence.after.profile
    raw = [reading.range for packet in evidence.decoded for reading in packet.sonar]
    unit, reach = profile.units.range, profile.sonar.max_range / profile.units.range
    if unit == _MILLIMETER:
        wrong = [value for value in raw if reach + _ROUNDING < value < _NO_ECHO or value > _HIGHEST]
    else:
        wrong = [value for value in raw if value > _IMPOSSIBLE * reach]
    zeros = [value for value in raw if value == 0]
    found = wrong if len(wrong) > 2 else zeros if len(zeros) > 2 else []
    between = f"between {min(found) * unit:.2f} and {max(found) * unit:.2f} m" if found else ""
    return f"{counted(len(found), 'reading')} {between}" if found else ""


@measure("sonar-sequence")
def _few(evidence: Evidence) -> str:
    ranges, count = _ranges(evidence), _fitted(evidence)
    firing = [number for number in range(count) if ranges[number]]
    if not evidence.reports or not firing or len(firing) > count / 2:
        return ""
    return f"Only {_listed(firing)} of {count} give readings"


@measure("sonar-order")
def _order(evidence: Evidence) -> str:
    """The sonars of a ring fire in the order of their numbers, if nothing else was requested."""
    wrong: set[int] = set()
    for ring in (0, 1):
        numbers = [one.number for sip in evidence.decoded for one in sip.sonar if one.number // _RING_SIZE == ring]
        follow = Counter(pairwise(numbers))
        turns = len(numbers) / max(1, len(set(numbers)))
        # A sonar that gives no reading lets the next one follow early; only an exchange goes back.
        back = {pair for pair in follow if (pair[1] - pair[0]) % _RING_SIZE > _RING_SIZE / 2}
        wrong |= {number for pair in back if follow[pair] >= max(_SPIKES, turns / 2) for number in pair}
    return f"{_listed(sorted(wrong)).capitalize()} fire out of turn" if wrong else ""


@measure("sonar-random")
def _random(evidence: Evidence) -> str:
    """Sonars whose readings change at random from ping to ping; the sonars of another robot disturb single ones."""
    wild, reach = [], evidence.after.profile.sonar.max_range
    for number, readings in _ranges(evidence).items():
        steps = [abs(min(late, reach) - min(early, reach)) for early, late in pairwise(readings)]
        if len(steps) >= _ENOUGH and statistics.quantiles(steps, n=4)[0] > _SPIKE_AGREE:
            wild.append(number)
    if len(wild) <= len(_ranges(evidence)) / 2 and _disturbed(evidence):
        return ""
    return f"Readings of {_listed(sorted(wild))} change by more than {_SPIKE_AGREE} m each time" if wild else ""


def _frozen(evidence: Evidence) -> dict[int, float]:
    """Sonars that give the same range each time, and this range; one that detects nothing now and then is not stuck."""
    return {
        number: some[0]
        for number, some in sorted(_ranges(evidence).items())
        if len(some) >= _ENOUGH and all(map(math.isfinite, some)) and not _varies(some)
    }


@measure("sonars-stuck")
def _all_stuck(evidence: Evidence) -> str:
    stuck = _frozen(evidence)
    echoing = sum(any(map(math.isfinite, some)) for some in _ranges(evidence).values())
    if len(stuck) < 2 or len(stuck) < _ALL * echoing:
        return ""
    same = f", all of them {min(stuck.values()):.3f} m" if len(set(stuck.values())) == 1 else ""
    return f"No sonar varies: {len(stuck)} give the same range each time{same}"


@measure("sonar-stuck")
def _stuck(evidence: Evidence) -> Iterator[Seen]:
    for number, distance in _frozen(evidence).items():
        yield from _named(evidence, [number], f"gave {distance:.3f} m each time")


@measure("sonars-deaf")
def _no_echo(evidence: Evidence) -> str:
    ranges, reach = _ranges(evidence), evidence.after.profile.sonar.max_range
    nothing = len(ranges) >= _RING_SIZE and not any(math.isfinite(one) for some in ranges.values() for one in some)
    return f"None of {len(ranges)} sonars detects an echo within {reach:g} m" if nothing else ""


@measure("sonar-cross-talk")
def _cross_talk(evidence: Evidence) -> str:
    return _listed(_disturbed(evidence)) if _disturbed(evidence) else ""


@measure("sonar-double")
def _double(evidence: Evidence) -> str:
    """Two sonars whose newest readings are the same all the time."""
    newest: dict[int, float] = {}
    same: Counter[tuple[int, int]] = Counter()
    fired: Counter[int] = Counter()
    for ping in (ping for report in evidence.reports for ping in report.pings):
        newest[ping.number] = ping.range
        fired[ping.number] += 1
        if math.isfinite(ping.range):
            same.update((other, ping.number) for other, last in newest.items() if last == ping.range)
    double = [
        pair
        for pair, count in same.items()
        if pair[0] != pair[1] and count >= max(_ENOUGH, _SAME_SHARE * fired[pair[1]])
    ]
    return f"{_listed(sorted(set(double[0]))).capitalize()} give the same readings" if double else ""


@measure("sonar-rare")
def _rare(evidence: Evidence) -> Iterator[Seen]:
    counts = {number: len(some) for number, some in _ranges(evidence).items()}
    usual = statistics.median(counts.values()) if counts else 0
    for number, count in sorted(counts.items()):
        if usual >= _ENOUGH and count < _RARE * usual:
            yield from _named(evidence, [number], f"gave {count} readings where others gave {usual:.0f}")


@measure("sonar-deaf")
def _deaf(evidence: Evidence) -> Iterator[Seen]:
    ranges = _ranges(evidence)
    deaf = [number for number, some in sorted(ranges.items()) if not any(map(math.isfinite, some))]
    found = [number for number in deaf if len(ranges[number]) >= _ENOUGH / 2 and _enclosed(evidence, ranges, number)]
    for number in found:
        yield from _named(evidence, [number], "")


def far(evidence: Evidence) -> Iterator[Finding]:
    """Yield the sonars without an echo that may look into the distance."""
    ranges = _ranges(evidence)
    quiet = [number for number, some in sorted(ranges.items()) if some and not any(map(math.isfinite, some))]
    if quiet and len(quiet) < len(ranges):
        text = (
            f"no echo at {_listed(quiet)}: nothing is within {evidence.after.profile.sonar.max_range:g} m there, or "
            "the wall is slanted; to be sure, hold a hand in front of it and check again"
        )
        yield Finding("sonars", Severity.NOTE, text, values={"not_examined": f"{_listed(quiet)} (no echo)"})


def _disturbed(evidence: Evidence) -> list[int]:
    """Sonars that detect pings of another robot: single readings are too short."""
    found: dict[int, list[float]] = {}
    ranges = _ranges(evidence)
    for number, readings in ranges.items():
        finite = [min(reading, evidence.after.profile.sonar.max_range) for reading in readings]
        spikes = [
            reading
            for before, reading, after in zip(finite, finite[1:], finite[2:], strict=False)
            if abs(before - after) < _SPIKE_AGREE and reading < min(before, after) - _SPIKE_DEPTH
        ]
        if len(spikes) == 1 or (spikes and max(spikes) - min(spikes) > _SPIKE_APART):
            found[number] = spikes
    count, total = sum(map(len, found.values())), sum(map(len, ranges.values()))
    return sorted(found) if count >= max(_SPIKES, _SPIKE_SHARE * total) else []


def _named(evidence: Evidence, numbers: Sequence[int], text: str) -> Iterator[Seen]:
    """Yield one finding for some sonars, with where a single one points to, and the command that leaves them out."""
    if not numbers:
        return
    poses = evidence.after.profile.sonar.poses
    where = f" ({_place(poses[numbers[0]])})" if len(numbers) == 1 else ""
    good = " ".join(str(number) for number in range(len(poses)) if number not in numbers)
    node = f"ros2 run amigobot_driver amigobot_node --ros-args -p port:={shlex.quote(evidence.target.url)}"
    command = f"{node} -p 'sonar_sequence:=\"{good}\"'"
    yield Seen(f"{_listed(numbers).capitalize()}{where} {text}".rstrip(), command, {"sonars": list(numbers)})


def _varies(readings: Sequence[float]) -> bool:
    echoes = [reading for reading in readings if math.isfinite(reading)]
    return len(echoes) > 1 and max(echoes) - min(echoes) > _FROZEN


def _enclosed(evidence: Evidence, ranges: Ranges, number: int) -> bool:
    """Whether most others and both neighbors detect an echo: there are walls all around, except for doors."""
    sonar = evidence.after.profile.sonar
    others = [other for other in ranges if other != number]
    echoing = [other for other in others if any(map(math.isfinite, ranges[other]))]
    if len(echoing) < _ENCLOSED * len(others):
        return False
    turns = {
        other: math.remainder(sonar.poses[other].heading - sonar.poses[number].heading, math.tau) for other in others
    }
    if any(abs(turn) < _SAME and other not in echoing for other, turn in turns.items()):
        return False  # a second sonar beside it detects nothing, either
    left = min((other for other in others if turns[other] >= _SAME), key=lambda other: turns[other], default=None)
    right = max((other for other in others if turns[other] <= -_SAME), key=lambda other: turns[other], default=None)
    # A wall that the neighbors see far away may be out of reach here.
    return all(
        other in echoing and statistics.median(ranges[other]) < _NEAR * sonar.max_range
        for other in (left, right)
        if other is not None
    )


def _place(pose: SonarPose) -> str:
    """Where a sonar points to: "41 deg left"."""
    degrees = math.degrees(pose.heading)
    return f"{abs(degrees):.0f} deg {'left' if degrees > 0 else 'right'}" if round(degrees) else "straight ahead"


def _listed(numbers: Sequence[int]) -> str:
    return f"sonar{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
