# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Detects faulty sonars: silent, deaf, stuck, or disturbed by cross-talk.

No packet reports a broken transducer. The driver compares each sonar with the others and with the robot's motion:

- *silent*: it is in the firing sequence and gives no reading while others do.
- *deaf*: it was pointed in every direction and got no echo, while the others got many.
- *stuck*: its echo stayed the same while the robot turned, or drove to the place of the echo. Driving alone proves
  nothing for a sonar that points to the side: the distance to a parallel wall stays the same too.
- *cross-talk*: single readings far nearer than the one before and the one after, which agree with each other, while the
  robot hardly moved. The sound of another sonar can only arrive too early, and affects one ping, seldom two: so filters
  against it compare consecutive readings (Borenstein and Koren 1995, US patent 5239515).

If the wheels turn without moving the robot (on blocks, or slipping), all sonars report an unchanged world; then none is
reported as faulty.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ...profiles import Profile, SonarPose
from ..events import Ping, Report

#: Rounds of the ring without a reading after which a sonar is silent.
SILENT_ROUNDS = 10
#: Time in s, and number of SIPs, without any reading after which the whole ring is silent.
SILENT_RING, SILENT_SIPS = 5.0, 20

#: Largest difference in m between the readings of a stuck sonar.
STUCK_BAND = 0.02
#: Turn in rad, or distance in m, after which the robot would measure another range with a sound sonar.
STUCK_TURN, STUCK_DRIVE = math.radians(90), 1.0
#: Distance in m beside the robot within which an echo is in its path.
_CLEARANCE = 0.02
#: Least change in m of an echo while the robot really moves.
_STEADY_BAND = 0.1
#: Share of the motion of a stuck echo at which the others count as steady: the sonars do not fire at the same time.
_STEADY_SHARE = 0.8

#: Directions that a sonar was pointed at, and its pings without an echo meanwhile, before it counts as deaf.
_OCTANTS, DEAF_PINGS = 8, 50
#: Least share of echoes in the readings of the other sonars meanwhile.
DEAF_OTHERS = 0.3

#: Least distance in m by which a spike is nearer than the readings before and after it, and the largest difference
#: in m between these two.
SPIKE_DEPTH, SPIKE_AGREE = 0.3, 0.1
#: Least difference in m between two spikes: equal ones are an object at the edge of the beam, detected now and then.
_SPIKE_APART = 0.05
#: Largest motion between these readings (m driven, rad turned, in s) of a robot that counts as at rest.
_STILL_DRIVE, _STILL_TURN, _STILL_TIME = 0.1, math.radians(5), 3.0
#: Cross-talk: the time in s over which spikes are counted, their least number, and their least share of the readings.
WINDOW, SPIKES, SPIKE_SHARE = 60.0, 5, 0.1

#: Time in s between two SIPs beyond which the motion of the robot is unknown.
_MAX_STEP = 1.0


@dataclass(frozen=True, slots=True)
class Travel:
    """Travel of the robot, summed from its velocities: a reset of the odometry does not change it."""

    forward: float = 0.0  #: m, backwards counts negative
    driven: float = 0.0  #: m
    heading: float = 0.0  #: rad, unwrapped
    turned: float = 0.0  #: rad, in either direction

    def on(self, linear: float, angular: float, dt: float) -> Travel:
        """Return the travel after `dt` s more at this velocity (m/s, rad/s)."""
        forward, turn = linear * dt, angular * dt
        return Travel(self.forward + forward, self.driven + abs(forward), self.heading + turn, self.turned + abs(turn))


class Unchanged:
    """Travel of the robot while a reading stayed within a band (m)."""

    def __init__(self, band: float) -> None:
        self._band = band
        self._first = Travel()
        self._nearest = self._furthest = 0.0  #: m, nearest and furthest of the readings
        self._back = self._ahead = 0.0  #: m, of `Travel.forward`
        self._right = self._left = 0.0  #: rad, of `Travel.heading`
        self.clear()

    def clear(self) -> None:
        """Begin again with the next reading."""
        self._empty = True
        self.turned = 0.0  #: rad between the headings furthest apart
        self.advanced = 0.0  #: m between the furthest back and the furthest ahead
        self.driven = 0.0  #: m since the first of these readings

    def take(self, distance: float, travel: Travel) -> None:
        """Add a reading (m, not inf) that was made after this travel."""
        low, high = min(self._nearest, distance), max(self._furthest, distance)
        if self._empty or high - low > self._band:
            self.clear()
            self._empty = False
            self._first = travel
            self._nearest = self._furthest = distance
            self._back = self._ahead = travel.forward
            self._right = self._left = travel.heading
            return
        self._nearest, self._furthest = low, high
        self._back, self._ahead = min(self._back, travel.forward), max(self._ahead, travel.forward)
        self._right, self._left = min(self._right, travel.heading), max(self._left, travel.heading)
        self.advanced, self.turned = self._ahead - self._back, self._left - self._right
        self.driven = travel.driven - self._first.driven


class Spikes:
    """Counts single readings that only the sound of another sonar explains."""

    def __init__(self) -> None:
        self.total = 0
        self.recent = 0  #: in the last minute
        self._judged: deque[tuple[float, bool]] = deque()  #: stamp, and whether it was a spike
        self._recent: deque[tuple[Ping, Travel]] = deque(maxlen=3)
        self._last = math.nan  #: m, the newest spike

    def take(self, ping: Ping, travel: Travel) -> None:
        """Add a reading that was made after this travel."""
        self._recent.append((ping, travel))
        while self._judged and self._judged[0][0] < ping.stamp - WINDOW:
            self.recent -= self._judged.popleft()[1]
        if len(self._recent) < 3:
            return
        (before, start), (middle, _), (after, end) = self._recent
        still = end.driven - start.driven <= _STILL_DRIVE and end.turned - start.turned <= _STILL_TURN
        if not still or after.stamp - before.stamp > _STILL_TIME:
            return
        agree = before.range == after.range or abs(before.range - after.range) <= SPIKE_AGREE
        spike = agree and middle.range < min(before.range, after.range) - SPIKE_DEPTH
        if spike:
            spike, self._last = not abs(middle.range - self._last) <= _SPIKE_APART, middle.range
        self.total += spike
        self.recent += spike
        self._judged.append((ping.stamp, spike))

    def pause(self) -> None:
        """Begin again: readings are missing."""
        self._recent.clear()

    @property
    def share(self) -> float:
        """Share of the readings in the last minute that are spikes."""
        return self.recent / len(self._judged) if self._judged else 0.0


@dataclass(slots=True)
class SonarRecord:
    """The state of one sonar."""

    mount: SonarPose
    since: float  #: s, its last reading, or when it was first waited for
    last: Ping | None = None
    spikes: Spikes = field(default_factory=Spikes)
    same: Unchanged = field(default_factory=lambda: Unchanged(STUCK_BAND))
    steady: Unchanged = field(default_factory=lambda: Unchanged(_STEADY_BAND))
    waited: int = 0  #: readings of other sonars since its last one
    octants: set[int] = field(default_factory=set)  #: directions it was pointed at since its last echo
    without_echo: int = 0  #: its own pings since its last echo
    others: int = 0  #: pings of other sonars since its last echo
    others_with_echo: int = 0  #: how many of these had an echo

    def on_echo(self) -> None:
        """Begin to count anew the pings and directions without an echo."""
        self.octants.clear()
        self.without_echo = self.others = self.others_with_echo = 0

    def interrupted(self) -> None:
        """Begin again: later readings cannot be compared with earlier ones."""
        self.same.clear()
        self.steady.clear()
        self.spikes.pause()
        self.on_echo()


@dataclass(frozen=True, slots=True)
class SonarTrouble:
    """A fault of one sonar, or of all (`number` None), and what to do."""

    number: int | None  #: from 0; None: all
    kind: str  #: silent, deaf, stuck, cross-talk
    text: str  #: what is wrong, and what to do


class SonarHealth:
    """Monitors the sonars of one robot."""

    def __init__(self, profile: Profile) -> None:
        self.records: dict[int, SonarRecord] = {}  #: by number; the sonars that have given a reading
        self.on = False
        self._sonar = profile.sonar
        self._half_width = profile.body.width / 2
        self._sequence: tuple[int, ...] | None = None
        self._travel = Travel()
        self._now = math.nan  #: s, time of the last SIP
        self._last_reading = math.nan  #: s, time of the last reading, or when the sonars were switched on
        self._sips = 0  #: number of SIPs since `_last_reading`

    def update(self, report: Report, sequence: tuple[int, ...] | None = None) -> None:
        """Update from a SIP.

        Args:
            report: The SIP in SI units.
            sequence: The requested firing sequence; None: the sonars that have fired count.
        """
        dt = report.stamp - self._now
        gap = not 0.0 <= dt <= _MAX_STEP
        self._now = report.stamp
        if gap or report.left_stalled or report.right_stalled:
            # The travel meanwhile is unknown; and slipping wheels do not show the motion of the robot.
            dt = 0.0
            for record in self.records.values():
                record.interrupted()
        odometry = report.odometry
        self._travel = self._travel.on(odometry.linear, odometry.angular, dt)
        if report.sonar_enabled != self.on or sequence != self._sequence:
            self.on, self._sequence = report.sonar_enabled, sequence
            self._restart(report.stamp)
        self._sips += 1
        if self.on:
            for ping in report.pings:
                self._on_ping(ping)

    def troubles(self) -> list[SonarTrouble]:
        """Return the current faults; none while the sonars are off."""
        return list(self._judge()) if self.on else []

    def age(self, record: SonarRecord) -> float:
        """Return s since the last reading of a sonar."""
        return self._now - record.since

    # -- inside -----------------------------------------------------------------------------------------------

    def _restart(self, now: float) -> None:
        """Begin again: the sonars were switched, or fire in another order."""
        self._last_reading, self._sips = now, 0
        for number in self._sequence or ():
            self._record(number, now)
        for record in self.records.values():
            record.interrupted()
            record.since, record.waited = now, 0

    def _record(self, number: int, now: float) -> SonarRecord:
        if number not in self.records:
            self.records[number] = SonarRecord(self._sonar.poses[number], now)
        return self.records[number]

    def _on_ping(self, ping: Ping) -> None:
        record, travel, echo = self.records.get(ping.number), self._travel, math.isfinite(ping.range)
        if record is None:
            record = self._record(ping.number, ping.stamp)
        self._last_reading, self._sips = self._now, 0
        record.last, record.since, record.waited = ping, ping.stamp, 0
        record.spikes.take(ping, travel)
        if echo:
            record.same.take(ping.range, travel)
            record.steady.take(ping.range, travel)
            record.on_echo()
        else:
            if not record.without_echo:
                record.same.clear()
                record.steady.clear()
            record.without_echo += 1
            record.octants.add(math.floor((travel.heading + record.mount.heading) / math.tau * _OCTANTS) % _OCTANTS)
        for other in self.records.values():
            if other is not record:
                other.waited += 1
                other.others += 1
                other.others_with_echo += echo

    def _expected(self) -> tuple[int, ...]:
        return self._sequence if self._sequence is not None else tuple(self.records)

    def _judge(self) -> Iterator[SonarTrouble]:
        if not self._sonar.poses:
            return
        quiet = self._now - self._last_reading
        if quiet > SILENT_RING and self._sips > SILENT_SIPS:
            yield SonarTrouble(
                None,
                "silent",
                f"no sonar has given a reading for {quiet:.0f} s although they are on: "
                "switch them off and on with enable_sonar, then check the cable of the sonar board",
            )
            return
        expected = self._expected()
        moves = self._really_moves(self.records[number] for number in set(expected))
        for number in sorted(set(expected)):
            record = self.records[number]
            if record.waited > SILENT_ROUNDS * len(expected):
                yield SonarTrouble(number, "silent", f"sonar {number} {self._silent_text(record)}")
            elif moves and self._stuck(record):
                yield SonarTrouble(number, "stuck", f"sonar {number} {_stuck_text(record)}")
            elif moves and self._deaf(record):
                yield SonarTrouble(number, "deaf", f"sonar {number} {_DEAF_TEXT}")
            elif record.spikes.recent >= SPIKES and record.spikes.share >= SPIKE_SHARE:
                yield SonarTrouble(number, "cross-talk", f"sonar {number} {_cross_talk_text(record)}")

    def _silent_text(self, record: SonarRecord) -> str:
        return (
            f"has given no reading for {self.age(record):.0f} s while others do: check its cable, "
            "or leave it out with set_sonar_sequence"
        )

    @staticmethod
    def _really_moves(records: Iterable[SonarRecord]) -> bool:
        """Return whether most echoes change with the odometry."""
        echoing = [record for record in records if record.last and math.isfinite(record.last.range)]
        turn, drive = _STEADY_SHARE * STUCK_TURN, _STEADY_SHARE * STUCK_DRIVE
        steady = sum(record.steady.turned >= turn or record.steady.advanced >= drive for record in echoing)
        return 2 * steady <= len(echoing)

    def _stuck(self, record: SonarRecord) -> bool:
        if record.same.turned >= STUCK_TURN:
            return True
        if record.same.advanced < STUCK_DRIVE or record.last is None:
            return False
        return self._in_the_way(record.mount, record.last.range)

    def _in_the_way(self, mount: SonarPose, distance: float) -> bool:
        """Return whether the whole beam ends in front of the robot or behind it, where no parallel wall can be."""
        half = self._sonar.field_of_view / 2
        sides = (mount.y + distance * math.sin(mount.heading + edge) for edge in (-half, half))
        return max(map(abs, sides)) <= self._half_width + _CLEARANCE

    @staticmethod
    def _deaf(record: SonarRecord) -> bool:
        echoes = record.others_with_echo >= DEAF_OTHERS * record.others > 0
        return len(record.octants) == _OCTANTS and record.without_echo >= DEAF_PINGS and echoes


_DEAF_TEXT = (
    "has got no echo all around, where the others got many: check its cable and that nothing covers it, "
    "or leave it out with set_sonar_sequence"
)


def _stuck_text(record: SonarRecord) -> str:
    motion = f"{record.same.driven:.1f} m driven and {math.degrees(record.same.turned):.0f} deg turned"
    distance = record.last.range if record.last else math.nan
    return (
        f"has reported {distance:.2f} m over the last {motion}: is something in front of it? "
        "If not, leave it out with set_sonar_sequence"
    )


def _cross_talk_text(record: SonarRecord) -> str:
    return (
        f"had {record.spikes.recent} false echoes in the last minute: is another robot's sonar near? "
        "Switch those off, or let fewer fire with set_sonar_sequence"
    )
