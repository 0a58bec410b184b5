# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Reference model of driving: which motion the caller's commands allow, and what the robot may still do of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Allowance:
    """The velocities that a command allows, each from, to: m/s and rad/s."""

    linear: Range = (0.0, 0.0)
    angular: Range = (0.0, 0.0)

    @staticmethod
    def of(linear: float, angular: float) -> Allowance:
        """Velocities up to these."""
        return Allowance(_with_zero(linear), _with_zero(angular))

    def __or__(self, other: Allowance) -> Allowance:
        return Allowance(_both(self.linear, other.linear), _both(self.angular, other.angular))

    def __bool__(self) -> bool:
        """Whether any motion is allowed."""
        return self != REST

    def clamped(self, linear: float, angular: float) -> Allowance:
        """The same within limits (m/s, rad/s)."""
        return Allowance(_clamp(self.linear, linear), _clamp(self.angular, angular))


REST = Allowance()


class Allowances:
    """The allowances over time. The newest command replaces what was allowed before, and may end by itself."""

    def __init__(self) -> None:
        self._entries: list[tuple[float, Allowance]] = [(-math.inf, REST)]
        self._disturbed: list[tuple[float, float]] = []  #: from, to: commands may have got lost on their way

    def allow(self, allowance: Allowance, now: float, until: float = math.inf) -> None:
        """Allow this from `now` on, and rest from `until` on."""
        self._entries = [entry for entry in self._entries if entry[0] <= now]
        self._entries.append((now, allowance))
        if until < math.inf:
            self._entries.append((max(now, until), REST))

    def limit(self, linear: float, angular: float, now: float) -> None:
        """What is allowed now and later is within these limits (m/s, rad/s) from now on."""
        later = [entry for entry in self._entries if entry[0] > now]
        self.allow(self.at(now).clamped(linear, angular), now)
        self._entries += later

    def disturb(self, start: float, end: float) -> None:
        """Commands may not have arrived in this time (s)."""
        self._disturbed.append((start, end))

    def at(self, time: float) -> Allowance:
        """What the caller allows at a time that is not before the last horizon."""
        return next(allowance for start, allowance in reversed(self._entries) if start <= time)

    def since(self, start: float, end: float) -> Allowance:
        """Everything that was allowed at some time from `start` to `end`."""
        union = REST
        for allowance in self._counting(start, end):
            union |= allowance
        return union

    def kinds(self, start: float, end: float) -> tuple[set[bool], set[bool]]:
        """Whether the commands that count at some time from `start` to `end` allow to drive, and to turn."""
        counting = self._counting(start, end)
        return {any(one.linear) for one in counting}, {any(one.angular) for one in counting}

    def _counting(self, start: float, end: float) -> list[Allowance]:
        ends = [*(begin for begin, _ in self._entries[1:]), math.inf]
        return [
            allowance
            for (begin, allowance), finish in zip(self._entries, ends, strict=True)
            if begin <= end and finish >= start
        ]

    def horizon(self, time: float, reaction: float, repair: float) -> float:
        """Commands older than this have been replaced at the robot by newer ones.

        `reaction` is s from a command to its effect, `repair` s from the end of a disturbance until what was lost
        has been sent again.
        """
        horizon = time - reaction
        for start, end in sorted(self._disturbed, reverse=True):
            if start <= time and end + repair >= horizon:
                horizon = min(horizon, start - reaction)
        return horizon

    def forget(self, before: float) -> None:
        """Nothing asks for times before this any more."""
        while len(self._entries) > 1 and self._entries[1][0] <= before:
            del self._entries[0]
        self._disturbed = [(start, end) for start, end in self._disturbed if end >= before]


class Reach:
    """The velocities that the robot may have: those that are allowed, and on its way down to them from what it had."""

    def __init__(self) -> None:
        self.linear: Range = (0.0, 0.0)
        self.angular: Range = (0.0, 0.0)

    def step(self, allowance: Allowance, deceleration: tuple[float, float], dt: float) -> None:
        """One step of `dt` s towards an allowance, with these decelerations (m/s^2, rad/s^2)."""
        self.linear = _towards(self.linear, allowance.linear, deceleration[0] * dt)
        self.angular = _towards(self.angular, allowance.angular, deceleration[1] * dt)


def _with_zero(value: float) -> Range:
    return min(0.0, value), max(0.0, value)


def _both(one: Range, other: Range) -> Range:
    return min(one[0], other[0]), max(one[1], other[1])


def _clamp(span: Range, limit: float) -> Range:
    return max(span[0], -limit), min(span[1], limit)


def _towards(reach: Range, allowed: Range, step: float) -> Range:
    return min(allowed[0], reach[0] + step), max(allowed[1], reach[1] - step)
