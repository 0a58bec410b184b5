# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Figures of the sonars at rest: whether they give readings, whether these vary, and are echoes of their own pings."""

from __future__ import annotations

import itertools
import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from ..wording import counted
from .recorded_session import RING, Figures
from .table import listed

#: Least number of readings for a judgment of a sonar.
_ENOUGH = 8
#: Share of the readings of the others below which a sonar answers too rarely.
_RARE = 0.8
#: Share of the reach of the sonars within which both neighbors must detect a wall.
_NEAR = 0.7
_FAR = 0.3  #: m by which a false echo is shorter than the readings before and after it
_AGREE = 0.1  #: m within which two readings agree
_LEAPS = 0.1  #: share of the readings that do not agree with the usual one, from which a sonar jumps
_SOME = 3  #: readings that are no accident
_SPIKES = 5  #: number of false echoes, or of exchanges of two sonars, from which they are no accident
_SPIKE_SHARE = 0.03  #: share of the readings that are false echoes, from which they are pings of another robot
_RANDOM = 0.012  #: m of a step from ping to ping, above which it is no noise of a real sonar (1 mm)
_SPREAD = 0.03  #: m of the middle half of the readings, above which it is no noise of a real sonar
_FROZEN = 0.0005  #: m of the spread of the readings of a stuck sonar; that of a real echo is 1 mm
_BLOCKED = 0.25  #: m within which the one sonar that detects something all the time is blocked
_NO_ECHO = 6000  #: mm, the least reading of a sonar without an echo, besides its reach (docs/protocol E-33)
_HIGHEST = 6200  #: mm, the highest reading of a sonar without an echo
_ROUNDING = 20  #: mm by which a reading may exceed the reach
_IMPOSSIBLE = 1.5  #: share of the reach that no reading exceeds, if the robot does not report mm
_MILLIMETER = 0.001  #: m


@dataclass(frozen=True, slots=True)
class SonarRecord:
    """What one sonar gave."""

    number: int
    ranges: Sequence[float]  #: m; inf: no echo
    age: float  #: s since the last one, at the end
    reach: float  #: m

    @property
    def echoes(self) -> list[float]:
        """The ranges that are echoes."""
        return [one for one in self.ranges if math.isfinite(one)]

    @property
    def distance(self) -> float:
        """The usual range, m; inf: no echo."""
        return statistics.median(self.ranges) if self.ranges else math.inf

    @property
    def bounded(self) -> list[float]:
        """The ranges, m; its reach for no echo."""
        return [min(one, self.reach) for one in self.ranges]

    @property
    def stuck(self) -> bool:
        """Whether it gives the same range each time; one that detects nothing now and then is not stuck."""
        echoes = self.echoes
        return len(echoes) == len(self.ranges) >= _ENOUGH and max(echoes) - min(echoes) <= _FROZEN

    @property
    def jumps(self) -> float:
        """Share of the ranges that are far from the usual one."""
        usual = min(self.distance, self.reach)
        return sum(abs(one - usual) > _AGREE for one in self.bounded) / max(len(self.ranges), _ENOUGH)

    @property
    def is_wild(self) -> bool:
        """Whether three of four readings are far from the one before, or all spread without jumps: noise or a drift."""
        if len(self.ranges) < _ENOUGH:
            return False
        steps = [abs(late - early) for early, late in pairwise(self.bounded)]
        low, _, high = statistics.quantiles(self.bounded, n=4)
        return statistics.quantiles(steps, n=4)[0] > _RANDOM or (high - low > _SPREAD and self.jumps < _LEAPS)

    @property
    def spikes(self) -> list[float]:
        """Single readings that are far too short."""
        some = self.bounded
        trios = [some[at : at + 3] for at in range(len(some) - 2)]
        found = [one for a, one, b in trios if abs(a - b) < _AGREE and one < min(a, b) - _FAR]
        # Equal ones are an object at the edge of the beam.
        return found if len({round(one, 1) for one in found}) == len(found) else []


class SonarFigures(Figures):
    """Figures of the sonars."""

    @cached_property
    def all(self) -> list[SonarRecord]:
        """The sonars that should be there."""
        pings = [(report.stamp, ping) for report in self.raw.reports for ping in report.pings]
        began, end = (self.raw.reports[0].stamp, self.raw.reports[-1].stamp) if self.raw.reports else (0.0, 0.0)
        sonars = []
        for number in range(self._fitted):
            own = [(stamp, ping.range) for stamp, ping in pings if ping.number == number]
            newest = own[-1][0] if own else began
            ranges, reach = [reading for _, reading in own], self.raw.profile.sonar.max_range
            sonars.append(SonarRecord(number, ranges, end - newest, reach))
        return sonars

    @property
    def _fitted(self) -> int:
        """Number of sonars: those of the profile, or of the front ring if the robot says that it has no other."""
        config, count = self.raw.now.config, len(self.raw.profile.sonar.poses)
        front, rear = (config.value("front_sonar"), config.value("rear_sonar")) if config else (None, None)
        highest = max((ping.number for report in self.raw.reports for ping in report.pings), default=-1)
        if front == 0 == rear and highest < 0:
            return 0
        return RING if count == 2 * RING and rear == 0 and highest < RING else count

    @property
    def firing(self) -> list[int]:
        """Numbers of the sonars that give readings."""
        return [sonar.number for sonar in self.all if sonar.ranges]

    @property
    def echoing(self) -> list[SonarRecord]:
        """The sonars that detect something."""
        return [sonar for sonar in self.all if sonar.echoes]

    @property
    def echoless(self) -> list[int]:
        """Numbers of the sonars that give readings and detect nothing."""
        return [sonar.number for sonar in self.all if sonar.ranges and not sonar.echoes]

    @property
    def farthest(self) -> float:
        """The farthest reading, m; inf: one has no echo."""
        return max((max(sonar.ranges, default=0.0) for sonar in self.all), default=0.0)

    @property
    def spread(self) -> float:
        """Difference of the usual ranges (m) of the sonars that detect something."""
        usual = [sonar.distance for sonar in self.echoing]
        return max(usual) - min(usual) if usual else 0.0

    @property
    def stuck(self) -> list[SonarRecord]:
        """The sonars that give the same range each time."""
        return [sonar for sonar in self.all if sonar.stuck]

    @property
    def turn(self) -> float:
        """Time (s) between two readings of a sonar that fires, if they come until the end; 0: they stop."""
        turn = len(self.firing) * self.raw.seconds / max(1, sum(len(one.ranges) for one in self.all))
        return turn if min((one.age for one in self.all), default=math.inf) < turn else 0.0

    @property
    def usual_count(self) -> float:
        """The usual number of readings of a sonar."""
        return statistics.median(len(sonar.ranges) for sonar in self.all) if self.all else 0.0

    @property
    def impossible(self) -> str:
        """Readings that are neither a distance within the reach nor one of those for "no echo"; "" for single ones."""
        unit = self.raw.profile.units.range
        reach, pings = self.raw.profile.sonar.max_range / unit, [one for sip in self.raw.decoded for one in sip.sonar]
        raw = {one.range for one in pings}
        if unit == _MILLIMETER:
            wrong = [value for value in raw if reach + _ROUNDING < value < _NO_ECHO or value > _HIGHEST or value == 0]
        else:
            wrong = [value for value in raw if value > _IMPOSSIBLE * reach or value == 0]
        found = [(one.number, one.range * unit) for one in pings if one.range in wrong]
        if len(found) < _SOME:
            return ""
        numbers, ranges = ({*column} for column in zip(*found, strict=True))
        what = f"{counted(len(found), 'reading')} of {listed(sorted(numbers), 'sonar')}"
        return f"{what} between {min(ranges):.2f} and {max(ranges):.2f} m"

    @property
    def out_of_turn(self) -> list[int]:
        """Sonars that do not fire in the order of their numbers: those of a ring do, if nothing else was requested."""
        wrong: set[int] = set()
        for ring in (0, 1):
            numbers = [one.number for sip in self.raw.decoded for one in sip.sonar if one.number // RING == ring]
            # A sonar that gives no reading lets the next one follow early; only an exchange goes back.
            back = Counter(pair for pair in pairwise(numbers) if (pair[1] - pair[0]) % RING > RING / 2)
            turns = len(numbers) / max(1, len({*numbers}))
            wrong |= {one for pair, count in back.items() if count >= max(_SPIKES, turns / 2) for one in pair}
        return sorted(wrong)

    @property
    def twins(self) -> list[list[int]]:
        """Pairs of sonars whose readings are the same, noise included."""
        varied = [one for one in self.echoing if max(Counter(one.echoes).values()) < 0.7 * len(one.echoes)]
        return [[a.number, b.number] for a, b in itertools.combinations(varied, 2) if _same(a.echoes, b.echoes)]

    @property
    def jumping(self) -> list[int]:
        """Sonars whose readings jump."""
        return [one.number for one in self.all if one.jumps >= _LEAPS]

    @property
    def wild(self) -> list[int]:
        """Sonars whose readings are random or drift; or jump, if most do."""
        if 2 * len(self.jumping) > len(self.firing):
            return self.jumping
        return [one.number for one in self.all if one.is_wild]

    @property
    def disturbed(self) -> list[int]:
        """Sonars that detect pings of another robot: single readings are too short, each by another distance."""
        count, total = sum(len(one.spikes) for one in self.all), sum(len(one.ranges) for one in self.all)
        enough = count >= max(_SPIKES, _SPIKE_SHARE * total)
        return [one.number for one in self.all if one.spikes] if enough else []

    @property
    def mute(self) -> list[int]:
        """The sonars that give no or too few readings, while others do."""
        rare = _RARE * self.usual_count if self.usual_count >= _ENOUGH else 0.0
        return [sonar.number for sonar in self.all if len(sonar.ranges) < rare or sonar.age > self.raw.SILENT]

    @property
    def deaf(self) -> list[SonarRecord]:
        """Sonars without any echo in a robot that is surrounded by walls."""
        return [one for one in self.all if not one.echoes and len(one.ranges) >= _ENOUGH / 2 and self._is_enclosed(one)]

    def _is_enclosed(self, sonar: SonarRecord) -> bool:
        """Whether both neighbors detect a near wall: one that they see far away may be out of reach here."""
        poses = self.raw.profile.sonar.poses
        ring = sorted((one for one in self.all if one.ranges), key=lambda one: poses[one.number].heading)
        at = ring.index(sonar)
        return all(one.distance < _NEAR * one.reach for one in (ring[at - 1], ring[(at + 1) % len(ring)]))

    @property
    def blocked(self) -> list[SonarRecord]:
        """The one sonar that detects something close all the time, while its neighbors do not."""
        near = [one for one in self.all if len(one.echoes) >= _ENOUGH and max(one.ranges) < _BLOCKED]
        others = min((one.distance for one in self.all if one.ranges and one not in near), default=0.0)
        return [one for one in near if len(near) == 1 and others > 2 * one.distance]

    def named(self, numbers: Iterable[int]) -> str:
        """Return the names of sonars, with where a single one points to: "sonar 2 (41 deg left)"."""
        some = [*numbers]
        degrees = math.degrees(self.raw.profile.sonar.poses[some[0]].heading)
        place = f"{abs(degrees):.0f} deg {'left' if degrees > 0 else 'right'}" if round(degrees) else "straight ahead"
        return listed(some, "sonar") + (f" ({place})" if len(some) == 1 else "")

    def without(self, numbers: Iterable[int]) -> str:
        """Return a firing sequence that leaves sonars out."""
        left_out = {*numbers}
        return " ".join(str(one) for one in range(len(self.raw.profile.sonar.poses)) if one not in left_out)


def _same(some: Sequence[float], others: Sequence[float]) -> bool:
    """Whether nearly all readings of two sonars are equal; one of them may have begun earlier."""
    pairs = (list(zip(some[a:], others[b:], strict=False)) for a, b in ((0, 0), (0, 1), (1, 0)))
    return any(len(some) > _ENOUGH and statistics.fmean(abs(x - y) < _FROZEN for x, y in some) > 0.9 for some in pairs)
