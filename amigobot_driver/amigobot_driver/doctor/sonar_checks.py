# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Measures of the sonars at rest: whether they give readings, whether these vary, and are echoes of their own pings."""

from __future__ import annotations

import math
import shlex
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..profiles import SonarPose
from ..wording import counted
from .evidence import Evidence
from .finding import Finding, Severity
from .history import History
from .table import Seen, measure

#: Least number of readings for a judgment of a sonar.
_ENOUGH = 8
#: Share of the readings of the others below which a sonar answers too rarely, and above which it answers for two.
_RARE, _OFTEN = 0.6, 1.7
#: Share of the readings that are those of another sonar if both have one transducer.
_SAME_SHARE = 0.8
#: Least share of the other sonars with an echo for the robot to count as surrounded by walls, and share of the reach of
#: the sonars within which both neighbors must detect an echo.
_ENCLOSED, _NEAR = 0.6, 0.7
#: Largest angle in rad between two sonars that point in the same direction.
_SAME = math.radians(10)
#: m by which a reading is far from the usual one; m within which the readings before and after a false echo agree.
_FAR, _AGREE = 0.3, 0.1
#: Number and share of false echoes that are pings of another robot; share of readings that are far from the usual one
#: if something may move before a sonar, and if the sonar is bad.
_SPIKES, _SPIKE_SHARE, _JUMPS, _OFTEN_FAR = 5, 0.03, 0.1, 0.25
#: m of the spread of the readings of a stuck sonar, and by which random readings change from ping to ping: the noise of
#: a real echo is some millimeters.
_FROZEN, _RANDOM = 0.0005, 0.03
#: mm: besides its reach, a sonar without an echo gives these (docs/protocol E-33); by how much one may be off. Share
#: of the reach that no reading exceeds, if a robot has other units; m in a unit.
_NO_ECHO, _HIGHEST, _ROUNDING, _IMPOSSIBLE, _MILLIMETER = 6000, 6200, 20, 1.5, 0.001
#: Sonars of a ring, and the share of stuck ones from which it is the board that hangs;
#: share with an echo below which too few are seen.
_RING_SIZE, _ALL, _SOME = 8, 0.7, 0.4
#: Bits of the flags that are set while sonars are on.
_SONAR_FLAGS = 0x1E
#: s, for a running driver: age of a reading from which a sonar is silent, and since when they must be on.
_SILENT = 5


def _ranges(evidence: Evidence, *, late: bool = False) -> dict[int, list[float]]:
    """Ranges in m by the numbers of the sonars; `late` for the second half of the observation only."""
    ranges: dict[int, list[float]] = defaultdict(list)
    for report in evidence.reports[len(evidence.reports) // 2 if late else 0 :]:
        for ping in report.pings:
            ranges[ping.number].append(ping.range)
    return ranges


def _echoes(evidence: Evidence) -> dict[int, list[float]]:
    """The ranges that are echoes, of the sonars that detect any."""
    finite = {number: [one for one in some if math.isfinite(one)] for number, some in _ranges(evidence).items()}
    return {number: some for number, some in sorted(finite.items()) if some}


def _fitted(evidence: Evidence) -> int:
    """Number of sonars: those of the profile, or of the front ring if the robot says that it has no other."""
    config, count = evidence.after.config, len(evidence.after.profile.sonar.poses)
    front, rear = (config.value("front_sonar"), config.value("rear_sonar")) if config else (None, None)
    if front == 0 == rear and not _ranges(evidence):
        return 0
    front_only = count == 2 * _RING_SIZE and rear == 0
    return _RING_SIZE if front_only and max(_ranges(evidence), default=0) < _RING_SIZE else count


def sonars_shown(evidence: Evidence) -> str:
    """Return how many sonars give readings; "" if they were not seen."""
    if not evidence.after.profile.sonar.poses:
        return f"the profile {evidence.after.profile.name} has no sonars"
    count = _fitted(evidence)
    if not count:
        return "none fires, and the robot reports that it has none"
    return f"all {count} give readings, {len(_echoes(evidence))} with an echo" if _ranges(evidence) else ""


# -- the ring ---------------------------------------------------------------------------------------------------------


@measure("sonars-switched")
def _switched(evidence: Evidence) -> int:
    """How often the flags say that the sonars go off: the doctor has switched them on."""
    states = [bool(sip.flags & _SONAR_FLAGS) for sip in evidence.decoded]
    return sum(early and not late for early, late in pairwise(states))


@measure("sonars-silent")
def _all_silent(evidence: Evidence) -> str:
    count = _fitted(evidence)
    if not count or not evidence.reports or evidence.after.sonar.problem or _ranges(evidence, late=True):
        return ""
    stop = "they stop: the last readings are old" if _ranges(evidence) else "none gives a reading"
    return f"The sonars are on, but {stop} (there should be {count})"


@measure("sonar-numbers")
def _unknown_numbers(evidence: Evidence) -> int:
    """Number of readings of sonars that the profile does not have."""
    return evidence.after.bad_pings - evidence.before.bad_pings


@measure("sonar-range")
def _impossible(evidence: Evidence) -> str:
    """Raw readings that are neither a distance within the reach nor one of those for "no echo"."""
    profile = evidence.after.profile
    raw = [reading.range for packet in evidence.decoded for reading in packet.sonar]
    unit, reach = profile.units.range, profile.sonar.max_range / profile.units.range
    if unit == _MILLIMETER:
        wrong = [value for value in raw if reach + _ROUNDING < value < _NO_ECHO or value > _HIGHEST or value == 0]
    else:
        wrong = [value for value in raw if value > _IMPOSSIBLE * reach or value == 0]
    if len(wrong) <= 2:
        return ""
    return f"{counted(len(wrong), 'reading')} between {min(wrong) * unit:.2f} and {max(wrong) * unit:.2f} m"


@measure("sonar-sequence")
def _few(evidence: Evidence) -> str:
    """Half of the sonars or more give nothing: a ring, or a sequence that leaves them out."""
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
    counts = {number: len(some) for number, some in _ranges(evidence).items()}
    usual = statistics.median(counts.values()) if counts else 0
    often = [number for number, count in sorted(counts.items()) if count > _OFTEN * usual >= _ENOUGH]
    if wrong:
        return f"{_listed(sorted(wrong)).capitalize()} fire out of turn"
    return f"{_listed(often).capitalize()} answer for others" if often and len(counts) < _fitted(evidence) else ""


@measure("sonar-random")
def _random(evidence: Evidence) -> str:
    """Sonars whose readings change from ping to ping; the sonars of another robot disturb single ones."""
    if _false_echoes(evidence):
        return ""
    wild, reach = [], evidence.after.profile.sonar.max_range
    for number, readings in sorted(_ranges(evidence).items()):
        steps = [abs(min(late, reach) - min(early, reach)) for early, late in pairwise(readings)]
        if len(steps) >= _ENOUGH and statistics.quantiles(steps, n=4)[0] > _RANDOM:
            wild.append(number)
    jumping = _jumping(evidence, _JUMPS)
    wild += _jumping(evidence, _OFTEN_FAR) if len(jumping) <= len(_ranges(evidence)) / 2 else jumping
    wild = sorted(set(wild))
    return f"Readings of {_listed(wild)} change from ping to ping" if wild else ""


@measure("sonars-stuck")
def _all_stuck(evidence: Evidence) -> str:
    stuck = _frozen(evidence)
    if len(stuck) < 2 or len(stuck) < _ALL * len(_echoes(evidence)):
        return ""
    same = f", all of them {min(stuck.values()):.3f} m" if len(set(stuck.values())) == 1 else ""
    return f"No sonar varies: {len(stuck)} give the same range each time{same}"


@measure("sonars-deaf")
def _no_echo(evidence: Evidence) -> str:
    """Most sonars detect nothing: then nothing is known of them."""
    count, echoing, reach = len(_ranges(evidence)), len(_echoes(evidence)), evidence.after.profile.sonar.max_range
    nothing = count >= _RING_SIZE and echoing < _SOME * count
    return f"{count - echoing} of {count} sonars detect no echo within {reach:g} m" if nothing else ""


# -- single sonars ----------------------------------------------------------------------------------------------------


@measure("sonar-silent")
def _silent(history: History | Evidence) -> Iterator[Seen]:
    if isinstance(history, Evidence):
        yield from _rare(history)
        return
    now, before = history.now, history.before(_SILENT)
    if not (now.sonar_on and before.sonar_on and before.link.running and now.link.running) or now is before:
        return
    silent = [sonar.number for sonar in now.sonars if not sonar.age < _SILENT]
    if silent and len(silent) == len(now.sonars):
        yield Seen(f"No sonar has given a reading for {_SILENT} s, although they are on")
    elif silent:
        yield Seen(f"{_listed(silent).capitalize()} gave no reading for {_SILENT} s, while others do")


def _rare(evidence: Evidence) -> Iterator[Seen]:
    ranges = _ranges(evidence, late=True)
    counts = {number: len(ranges[number]) for number in range(_fitted(evidence))}
    usual = statistics.median(counts.values()) if counts else 0
    if 2 * usual < _ENOUGH:
        return
    silent = [number for number, count in counts.items() if count <= 1]
    yield from _named(evidence, silent, "gave no readings, while others did")
    for number, count in counts.items():
        if 1 < count < _RARE * usual:
            yield from _named(evidence, [number], f"gave {count} readings where others gave {usual:.0f}")


@measure("sonar-cross-talk")
def _cross_talk(evidence: Evidence) -> str:
    return _listed(_false_echoes(evidence)) if _false_echoes(evidence) else ""


@measure("sonar-stuck")
def _stuck(evidence: Evidence) -> Iterator[Seen]:
    for number, distance in _frozen(evidence).items():
        yield from _named(evidence, [number], f"gave {distance:.3f} m each time")


@measure("sonar-double")
def _double(evidence: Evidence) -> str:
    """Two sonars whose newest readings are the same all the time."""
    newest: dict[int, float] = {}
    same: Counter[tuple[int, int]] = Counter()
    for ping in (ping for report in evidence.reports for ping in report.pings):
        newest[ping.number] = ping.range
        if math.isfinite(ping.range):
            same.update((other, ping.number) for other, last in newest.items() if last == ping.range)
    ranges = _ranges(evidence)
    for (one, other), count in same.items():
        if one != other and count >= max(_ENOUGH, _SAME_SHARE * len(ranges[other])):
            return f"{_listed(sorted((one, other))).capitalize()} give the same readings"
    return ""


@measure("sonar-deaf")
def _deaf(evidence: Evidence) -> Iterator[Seen]:
    for number, some in sorted(_ranges(evidence).items()):
        if number not in _echoes(evidence) and len(some) >= _ENOUGH / 2 and _enclosed(evidence, number):
            yield from _named(evidence, [number], "")


def not_examined(evidence: Evidence) -> Iterator[Finding]:
    """Yield the sonars without an echo, which may look into the distance, and those whose readings jump."""
    quiet = sorted(_ranges(evidence).keys() - _echoes(evidence).keys())
    if quiet and _echoes(evidence):
        text = (
            f"no echo at {_listed(quiet)}: nothing is within {evidence.after.profile.sonar.max_range:g} m there, or "
            "the wall is slanted; to be sure, hold a hand in front of it and check again"
        )
        yield Finding("sonars", Severity.NOTE, text, values={"not_examined": f"{_listed(quiet)} (no echo)"})
    if jumping := _jumping(evidence, _JUMPS):
        text = f"readings of {_listed(jumping)} jump: something moves there, it is at an edge, or the sonar is broken"
        yield Finding("sonars", Severity.NOTE, text, values={"not_examined": f"{_listed(jumping)} (readings jump)"})


# -- inside -----------------------------------------------------------------------------------------------------------


def _frozen(evidence: Evidence) -> dict[int, float]:
    """Sonars that give the same range each time, and this range; one that detects nothing now and then is not stuck."""
    ranges = _ranges(evidence)
    return {
        number: some[0]
        for number, some in _echoes(evidence).items()
        if len(some) == len(ranges[number]) >= _ENOUGH and max(some) - min(some) <= _FROZEN
    }


def _jumping(evidence: Evidence, least: float) -> list[int]:
    """Sonars of which several echoes are far from the usual one: something moves there, or they are wrong."""
    away = {
        number: sum(abs(echo - statistics.median(echoes)) > _FAR for echo in echoes) / max(len(echoes), _ENOUGH)
        for number, echoes in _echoes(evidence).items()
    }
    return [number for number, share in away.items() if share >= least]


def _false_echoes(evidence: Evidence) -> list[int]:
    """Sonars that detect pings of another robot: single readings are too short, each by another distance."""
    found: dict[int, list[float]] = {}
    ranges, reach = _ranges(evidence), evidence.after.profile.sonar.max_range
    for number, readings in ranges.items():
        finite = [min(reading, reach) for reading in readings]
        found[number] = [
            reading
            for before, reading, after in zip(finite, finite[1:], finite[2:], strict=False)
            if abs(before - after) < _AGREE and reading < min(before, after) - _FAR
        ]
    # Equal ones are an object at the edge of the beam.
    found = {number: some for number, some in found.items() if len({round(one, 1) for one in some}) == len(some) > 0}
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


def _enclosed(evidence: Evidence, number: int) -> bool:
    """Whether most others and both neighbors detect an echo: there are walls all around, except for doors."""
    sonar, echoes = evidence.after.profile.sonar, _echoes(evidence)
    others = [other for other in _ranges(evidence) if other != number]
    if len(echoes) < _ENCLOSED * len(others):
        return False
    turns = {
        other: math.remainder(sonar.poses[other].heading - sonar.poses[number].heading, math.tau) for other in others
    }
    if any(abs(turn) < _SAME and other not in echoes for other, turn in turns.items()):
        return False  # a second sonar beside it detects nothing, either
    left = min((other for other in others if turns[other] >= _SAME), key=lambda other: turns[other], default=None)
    right = max((other for other in others if turns[other] <= -_SAME), key=lambda other: turns[other], default=None)
    # A wall that the neighbors see far away may be out of reach here.
    return all(
        other in echoes and statistics.median(_ranges(evidence)[other]) < _NEAR * sonar.max_range
        for other in (left, right)
        if other is not None
    )


def _place(pose: SonarPose) -> str:
    """Where a sonar points to: "41 deg left"."""
    degrees = math.degrees(pose.heading)
    return f"{abs(degrees):.0f} deg {'left' if degrees > 0 else 'right'}" if round(degrees) else "straight ahead"


def _listed(numbers: Sequence[int]) -> str:
    return f"sonar{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
