# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Computes the pose from the counters in the robot's packets: whole counts, modular differences.

The firmware keeps X and Y in 15 bits and TH in 4096 units per turn, so only differences mean anything. They are summed
as whole counts: neither the wrap nor rounding moves the pose. docs/odometry.md, "When the robot's counters jump",
explains how the driver distinguishes a counter that was zeroed from motion.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, replace

from ...connection_policy import MAX_ROLL
from ...profiles import Profile
from ...protocol import Sip
from ..events import START_VARIANCE, UNKNOWN_VARIANCE, Odometry
from .odometry_state import OdometryState

_COUNTER = 0x8000
_TURN = 4096

#: A difference larger than this multiple of the maximum velocity, plus a margin in m, means that a counter was set.
PLAUSIBLE, MARGIN = 3.0, 0.05
#: The same margin for a turn, in rad.
_TURN_MARGIN = 0.1
#: Largest difference in rad between the turn of the counters and 1.5 times that of the wheel velocities.
_TURN_LEAP = 0.35
#: Rotational acceleration in rad/s^2 that is possible between two SIPs.
_ROTATION_ACCELERATION = 20.0
#: Weight in m of a heading error of 1 rad where motions are compared.
_LEVER = 0.3
#: s after a command that zeroes the counters in which a SIP may show the effect. OPEN does not wait in a queue, and the
#: robot may be driven soon after it.
ZEROED_BY_COMMAND, ZEROED_BY_OPEN = 1.5, 0.5
#: Number of times of such commands that are kept.
_ZEROS = 16
#: Largest motion as a multiple of what the velocities predict: the time between two SIPs is an estimate.
_LATE_SHARE = 1.1
#: s from sending such a command until the robot executes it, if no packet shows it better.
_LATENCY = 0.02
#: Time in s in which a robot rolls to a stop after its motors were switched off.
_COAST = 1.0
#: Motion in m that a robot makes after the last SIP before a reset, beyond that of its velocity: it was speeding up.
_SPEEDING_UP = 0.01
#: Longest time in s from the last SIP to a controller reset: one cycle, and another one if a SIP was lost.
_LATEST_RESET = 0.2
#: Most motion, in cycles, that a SIP may show if it arrived in one burst with the SIP before it.
_BURST_SHARE = 3.0
#: Longest time from the first to the last stamp of a burst of late SIPs, as a multiple of the gap before the first.
_BURST_LENGTH = 2.0
#: s between two SIPs of most robots.
CYCLE = 0.1
#: Odometry error, standard deviations: m per root m, rad per root m, rad per root rad.
_ERROR_DISTANCE, _ERROR_DRIFT, _ERROR_TURN = 0.03, 0.05, 0.05
#: Error of the turn rate, standard deviation as a share of it: the RevCount of a robot that is not calibrated.
_ERROR_RATE = 0.1
#: Largest variance that is published: some filters refuse larger ones.
_MAX_VARIANCE = 1e4


@dataclass(frozen=True, slots=True)
class _Step:
    """A motion in the frame of its start: m ahead, m to the left, rad counter-clockwise."""

    x: float = 0.0
    y: float = 0.0
    turn: float = 0.0

    def then(self, other: _Step) -> _Step:
        """Return this motion followed by another one."""
        x, y = rotated(other.x, other.y, self.turn)
        return _Step(self.x + x, self.y + y, self.turn + other.turn)

    def differs(self, other: _Step) -> float:
        """Return the distance between the ends of two motions, in m; a heading counts by `_LEVER`."""
        return math.hypot(self.x - other.x, self.y - other.y) + _LEVER * abs(self.turn - other.turn)

    def distance_to(self, length: float, turn: float, least: float = 0.0, most: float = 1.0) -> float:
        """Return the distance to the nearest part of an arc, in m; a heading counts by `_LEVER`.

        Args:
            length: Length of the arc, m; negative backwards.
            turn: Angle of the arc, rad.
            least: Smallest share of the arc to compare with.
            most: Largest share.
        """
        size = length**2 + (_LEVER * turn) ** 2
        ahead = self.x * math.cos(self.turn / 2) + self.y * math.sin(self.turn / 2)
        share = min(most, max(least, (ahead * length + _LEVER**2 * self.turn * turn) / size)) if size else 0.0
        return self.differs(arc(share * length, share * turn))


def rotated(x: float, y: float, angle: float) -> tuple[float, float]:
    """Return a vector turned counter-clockwise by an angle (rad)."""
    cos, sin = math.cos(angle), math.sin(angle)
    return cos * x - sin * y, sin * x + cos * y


def arc(length: float, turn: float) -> _Step:
    """Return the motion along an arc of this length (m, negative backwards) and angle (rad)."""
    chord = length * math.sin(turn / 2) / (turn / 2) if turn else length
    return _Step(chord * math.cos(turn / 2), chord * math.sin(turn / 2), turn)


class Odometer:
    """Sums the counters of one robot's SIPs.

    Args:
        profile: Of the robot.
        before: The pose continues from the pose of this one.
        same_units: Its counters continue, too, unless the robot zeroed them meanwhile.
    """

    _origin: Odometry  #: the pose at which the counting began
    _x: int  #: counts of X since then
    _y: int  #: counts of Y since then
    _turned: int  #: counts of the heading since then
    rotation: float  #: from the robot's own frame to the odometry frame, rad; valid after the first SIP

    def __init__(self, profile: Profile, before: Odometer | None = None, *, same_units: bool = False) -> None:
        self.state: Odometry = before.state if before else Odometry()
        #: times the counters jumped during a session
        self.jumps: int = before.jumps if before else 0
        #: changes whenever the relation between counters and pose does
        self.frame: int = before.frame + 1 if before else 0
        self._regular = False  #: the last SIP was made one cycle after the one before
        #: cycles before the stamp of a late SIP that may belong to SIPs of the same burst; s, the end of such a burst
        self._unspent, self._burst_until = 0, -math.inf
        self._units = profile.units
        self._track = profile.body.track
        self._calibration = profile.calibration
        self._wheel_radius = profile.body.wheel_diameter / 2
        self._limits = profile.limits
        #: the last SIP and its stamp (s): the counters that the pose belongs to; None before the first one
        self.counters: tuple[Sip, float] | None = None
        self.interrupted = True  #: there is no session, so that the velocity is unknown; the next SIP comes after a gap
        self._reset_at: float | None = None  #: s, when the robot reported a reset
        self._zero_sent: deque[float] = deque(maxlen=_ZEROS)  #: s, when commands were sent that zero the counters
        self._zero_by = -math.inf  #: s, until when a SIP may show their effect
        self._marked = self.state
        self._anchor()
        if before and same_units:
            # As if there had been no interruption, to the last bit.
            self.counters, self._reset_at = before.counters, before._reset_at
            self._zero_sent, self._zero_by = before._zero_sent, before._zero_by
            self._origin, self.rotation = before._origin, before.rotation
            self._x, self._y, self._turned = before._x, before._y, before._turned

    def resume(self, saved: OdometryState, sip: Sip, stamp: float) -> tuple[bool, str]:
        """Continue from a stored state, if the counters of the first SIP fit it; call `update` with that SIP next.

        Args:
            saved: The stored state.
            sip: The first SIP.
            stamp: Time of the SIP in s.

        Returns:
            Whether they fit, and the reason.
        """
        before = self.state, self.counters
        self.state, self.counters, self.interrupted = saved.odometry, (saved.sip, saved.stamp), True
        dt = stamp - saved.stamp
        last = saved.sip
        counted, zero = self._motion(counter_differences(sip, last), last.heading), self._since_zero(sip)
        way = math.hypot(counted.x, counted.y)
        if self._jump_in_gap(sip, dt, counted) is None:
            outcome = True, f"the robot has moved {way:.3f} m since"
        elif saved.at_rest and zero.distance_to(0.0, 0.0) <= self._resolution(zero):
            outcome = True, "its counters were zeroed since, it was at rest"
        elif way > self.reach(dt):
            outcome = False, f"its counters differ by {way:.2f} m, more than it rolls in {dt:.0f} s without a driver"
        else:
            outcome = False, "its counters were zeroed while it was driving, how far it rolled is not known"
        if not outcome[0]:
            self.state, self.counters = before
        self._marked = self.state
        self.frame += 1
        self._anchor()
        return outcome

    def interrupt(self) -> None:
        """Set the velocity to unknown: the session has ended, and the next SIP comes after a gap."""
        self.interrupted = True
        self.state = replace(
            self.state,
            linear=0.0,
            angular=0.0,
            left_velocity=0.0,
            right_velocity=0.0,
            velocity_variance=(UNKNOWN_VARIANCE, UNKNOWN_VARIANCE),
        )

    def forget_counters(self) -> None:
        """Begin with the counters of the next SIP; the pose continues."""
        self.counters = None

    def expect_zero(self, now: float, within: float) -> None:
        """Expect the counters to be zeroed by a command that is sent `now` (s), `within` s."""
        self._zero_sent.append(now)
        self._zero_by = max(self._zero_by, now + within)

    def robot_reset(self, stamp: float) -> None:
        """Expect counters from zero: the robot has reported at `stamp` (s) that its controller was reset."""
        self._reset_at = stamp

    def set(self, x: float, y: float, yaw: float) -> None:
        """Set the pose (m, m, rad) and the covariance of the start. Wheel angles continue."""
        before, marked = self.state, self._marked
        self.state = Odometry(
            x,
            y,
            math.remainder(yaw, math.tau),
            left_angle=before.left_angle,
            right_angle=before.right_angle,
            travelled=before.travelled,
            turned=before.turned,
        )
        # Between two ENCODERpacs the SIP has moved the robot already: the ticks go on from the last mark, moved alike.
        turn = yaw - before.yaw
        back_x, back_y = rotated(marked.x - before.x, marked.y - before.y, turn)
        self._marked = replace(
            marked,
            x=x + back_x,
            y=y + back_y,
            yaw=math.remainder(marked.yaw + turn, math.tau),
            covariance=self.state.covariance,
        )
        self.frame += 1
        self._anchor()

    def mark(self) -> None:
        """Measure later calls of `apply_encoders` from here."""
        self._marked = self.state

    def apply_encoders(self, left: float, right: float, track: float, *, move: bool) -> Odometry:
        """Add the travel of the wheels since the last call, as the encoders report it.

        Args:
            left: m.
            right: m.
            track: Distance between the wheels, m.
            move: Move the pose, which later SIPs continue; otherwise only the angles of the wheels.

        Returns:
            The new state.
        """
        old = self._marked
        self.state = replace(
            self.state,
            left_angle=old.left_angle + left / self._wheel_radius,
            right_angle=old.right_angle + right / self._wheel_radius,
        )
        if move:
            forward, turned = self._calibrated((left + right) / 2, (right - left) / track)
            step = arc(forward, turned)
            step_x, step_y = rotated(step.x, step.y, old.yaw)
            self.state = replace(
                self.state,
                x=old.x + step_x,
                y=old.y + step_y,
                yaw=math.remainder(old.yaw + turned, math.tau),
                travelled=old.travelled + forward,
                turned=old.turned + turned,
                covariance=_grow(old.covariance, step_x, step_y, forward, turned),
            )
            self._anchor()
        self._marked = self.state
        return self.state

    def update(self, sip: Sip, stamp: float, cycle: float = CYCLE) -> Odometry:
        """Take the SIP of the time `stamp` (s) from a robot that sends one each `cycle` (s); returns the new state."""
        first = self.counters is None
        if self.counters is None:
            self.counters = sip, stamp
            self.frame += 1
            self._anchor()
        before, then = self.counters
        dt = max(stamp - then, 0.0)
        counts = counter_differences(sip, before)
        counted = self._motion(counts, before.heading)
        cycles, jump = 0, None
        if first:
            pass
        elif sip == before and not self.interrupted and (sip.left_velocity or sip.right_velocity):
            stamp = then  # a radio modem's copy: what the robot has moved since will be in the next SIP
        elif self.interrupted:
            jump = self._jump_in_gap(sip, dt, counted)
        else:
            cycles = round(dt / cycle)  # 0: it came in one burst with the one before
            # SIPs may be missing within a burst: each took one cycle, and any of them may have taken all that are left.
            left = self._unspent if stamp <= self._burst_until else 0
            self._unspent = max(left, cycles - 1) if cycles else max(left - 1, 0)
            if cycles > 1:
                self._burst_until = max(self._burst_until, stamp + _BURST_LENGTH * (cycles - 1) * cycle)
            self._regular = cycles == 1 and not self._unspent
            longest = (self._unspent + 1) * cycle
            if self._unspent:
                counts = self._unwrapped(counts, before, sip, longest)
                counted = self._motion(counts, before.heading)
            jump = self._jump(sip, stamp, cycles * cycle, longest, counted)
            if jump is not None:
                self.jumps += 1
                self._forget_zero(stamp)
        self.counters, self.interrupted, self._reset_at = (sip, stamp), False, None
        step = jump or (self._calibrated_step(counted) if self._calibration.corrects else None)
        if step:
            old = self.state
            x, y = rotated(step.x, step.y, old.yaw)
            # After a jump the step is an estimate: then the wheels tell the turn rate better.
            counted_cycles = 0 if jump else cycles
            self._advance(sip, old.x + x, old.y + y, old.yaw + step.turn, step, counted_cycles, cycle)
            # Count from each SIP again: the frame of the counters turns and grows against that of the odometry. After a
            # jump the anchor takes the heading of this SIP, in which the robot has driven, not that of the last one.
            self.frame += jump is not None
            self._anchor()
        else:
            self._x += counts[0]
            self._y += counts[1]
            self._turned += counts[2]
            units, origin = self._units, self._origin
            cos, sin = math.cos(self.rotation) * units.distance, math.sin(self.rotation) * units.distance
            x, y = origin.x + cos * self._x - sin * self._y, origin.y + sin * self._x + cos * self._y
            self._advance(sip, x, y, origin.yaw + self._turned * units.angle, counted, cycles, cycle)
        return self.state

    def _calibrated(self, forward: float, turn: float) -> tuple[float, float]:
        """Return the true distance ahead (m) and turn (rad) for reported ones (docs/how-to/calibrate.md)."""
        calibration, track = self._calibration, self._track
        unequal = calibration.right_wheel - calibration.left_wheel
        return (
            calibration.scale * forward + unequal * track / 4 * turn,
            calibration.turn * turn + unequal / track * forward,
        )

    def _calibrated_step(self, step: _Step) -> _Step:
        """Return the true motion for one that the counters report; the shape of its path stays."""
        chord = step.x * math.cos(step.turn / 2) + step.y * math.sin(step.turn / 2)
        forward, turn = self._calibrated(chord, step.turn)
        scale, middle = self._calibration.scale, turn / 2
        x, y = rotated(scale * step.x, scale * step.y, middle - step.turn / 2)
        further = forward - scale * chord
        return _Step(x + further * math.cos(middle), y + further * math.sin(middle), turn)

    def _velocity(self, sip: Sip) -> tuple[float, float]:
        """Return the velocity of the wheels (m/s, rad/s), limited as a damaged packet may contain any value."""
        top, unit = PLAUSIBLE * self._limits.linear, self._units.velocity
        left = min(top, max(-top, sip.left_velocity * unit))
        right = min(top, max(-top, sip.right_velocity * unit))
        return (left + right) / 2, (right - left) / self._track

    def _motion(self, counts: tuple[int, int, int], heading: int) -> _Step:
        """Return the motion for some counts (x, y, heading) that begins at a heading (counts)."""
        dx, dy, turn = counts
        angle, distance = heading * self._units.angle, self._units.distance
        cos, sin = math.cos(angle) * distance, math.sin(angle) * distance
        return _Step(cos * dx + sin * dy, cos * dy - sin * dx, turn * self._units.angle)

    def _unwrapped(self, counts: tuple[int, int, int], before: Sip, sip: Sip, span: float) -> tuple[int, int, int]:
        """Return the counts with the turn that the velocities explain: while SIPs are lost it may exceed half a turn.

        The heading wraps: then it seems to turn the other way. That it turned by less than the velocities explain is no
        reason, as a SIP that is late looks like one after lost ones.
        """
        turn = (self._velocity(before)[1] + self._velocity(sip)[1]) / 2 * span / self._units.angle
        whole = counts[2] + (_TURN if turn > 0 else -_TURN)
        wrapped = counts[2] * turn < 0 and abs(whole) <= _LATE_SHARE * abs(turn)
        return counts[0], counts[1], whole if wrapped else counts[2]

    def _since_zero(self, sip: Sip) -> _Step:
        """Return the motion since the counters were zeroed, if they were."""
        return self._motion(_counts(sip.x, sip.y, sip.heading), 0)

    def _resolution(self, counted: _Step, way: float = 0.0) -> float:
        """Return the distance (m) below which the counters cannot distinguish motions like this one of `way` m."""
        # A difference of two rounded counters is wrong by less than one count: one of 0 hides up to that of the way.
        unit = self._units.distance
        position = math.sqrt(2) * unit if counted.x or counted.y else min(abs(way), unit)
        return position + _LEVER * self._units.angle

    def _jump(self, sip: Sip, stamp: float, span: float, longest: float, counted: _Step) -> _Step | None:
        """Return the motion since the last SIP if the counters jumped; None if they counted it.

        Args:
            sip: The new SIP.
            stamp: Its time, s.
            span: Time since the last one by the stamps, in whole cycles, s; 0 in a burst.
            longest: The longest time that may have passed, s.
            counted: The difference of the counters.
        """
        assert self.counters
        before, then = self.counters
        dt = max(stamp - then, longest, CYCLE)
        leap_known, most = span >= longest, 0.0 if span else _BURST_SHARE
        span = span or CYCLE
        # A late SIP looks like one after a lost one: then the time is less reliable.
        shares = 0.9 if self._regular else 0.1, max(most, _LATE_SHARE * longest / span)
        (v0, w0), (v1, w1) = self._velocity(before), self._velocity(sip)
        way, turn = (v0 + v1) / 2 * span, (w0 + w1) / 2 * span
        change = (abs(v1 - v0) + _LEVER * abs(w1 - w0)) * span / 2
        resolution = self._resolution(counted, way)
        off, zeroed = counted.distance_to(way, turn, *shares), False
        since_zero = self._since_zero(sip)
        # Counters that fit the motion were not zeroed; whether those of a robot at the origin were makes no difference.
        if off > resolution and counted.differs(since_zero) > resolution:
            off_zero = since_zero.distance_to(way, turn)
            if stamp - longest <= self._zero_by:  # a late SIP may have been made that much sooner
                zeroed = off_zero + change / 4 + resolution < off
            else:
                doubt = (abs(way) + _LEVER * abs(turn)) / 2 + change + resolution
                zeroed = off_zero <= doubt < off - resolution
        leap = _TURN_LEAP + 1.5 * abs(turn) + abs(w1 - w0) * span / 2 + _ROTATION_ACCELERATION * span**2 / 4
        impossible = (
            math.hypot(counted.x, counted.y) > PLAUSIBLE * self._limits.linear * dt + MARGIN
            or abs(counted.turn) > PLAUSIBLE * self._limits.angular * dt + _TURN_MARGIN
            or (leap_known and abs(counted.turn - turn) > leap)
        )
        if zeroed and not self._regular:
            # A late SIP has too late a stamp, so the motion before the zero is computed from the time of the command.
            # Of several commands the first is used: too little motion is better than too much.
            sent = next((sent for sent in self._zero_sent if sent >= then), None)
            until = min(sent + _LATENCY - then, dt) if sent is not None else 0.0
            return arc(v0 * until, w0 * until).then(since_zero)
        return arc(way, turn) if zeroed or impossible else None

    def _jump_in_gap(self, sip: Sip, dt: float, counted: _Step) -> _Step | None:
        """Return the motion since the last SIP of the session before, `dt` s ago, if the counters jumped; else None."""
        assert self.counters
        before, then = self.counters
        speed, rate = self._velocity(before)
        since_zero = self._since_zero(sip)
        roll, coast = min(dt, MAX_ROLL), min(dt, _COAST)
        off = counted.distance_to(speed * roll, rate * roll)
        off_zero = since_zero.distance_to(speed * coast, rate * coast)
        doubt = (abs(speed) + _LEVER * abs(rate)) * coast / 3 + _SPEEDING_UP
        fits = off_zero <= doubt + self._resolution(since_zero)
        # Near the origin both may fit the velocity: then the smaller motion is the one that does less harm.
        smaller = since_zero.distance_to(0.0, 0.0) < counted.distance_to(0.0, 0.0)
        # A robot that spins may turn by more than half a turn: such a difference of its counters is no sign of a zero.
        turned = (counted.turn if rate > 0 else -counted.turn) % math.tau
        spins = (
            abs(rate) * coast > math.pi / 2
            and math.hypot(counted.x, counted.y) <= abs(speed) * roll + MARGIN
            and turned <= abs(rate) * roll + _TURN_LEAP
        )
        zeroed = fits and smaller and not spins and off_zero + self._resolution(counted) < off
        if self._reset_at is not None or zeroed:
            # After a longer silence the controller was restarting already; too little motion is better than too much.
            until = min(max((self._reset_at or then) - then, 0.0), _LATEST_RESET)
            return arc(speed * until, rate * until).then(since_zero)
        return None if math.hypot(counted.x, counted.y) <= self.reach(dt) else _Step()

    def _forget_zero(self, stamp: float) -> None:
        """The counters have jumped by `stamp` (s): the first command that may have zeroed them has no other effect."""
        left = [sent for sent in self._zero_sent if sent >= stamp - ZEROED_BY_COMMAND][1:]
        self._zero_sent = deque(left, maxlen=_ZEROS)
        if not left:
            self._zero_by = -math.inf

    def reach(self, seconds: float) -> float:
        """Return the distance in m that the robot can have driven in a time (s) without a session."""
        return self._limits.linear * min(seconds, MAX_ROLL) + MARGIN

    def _anchor(self) -> None:
        """Count from here: the current pose becomes the origin of later counts."""
        self._origin = self.state
        self._x = self._y = self._turned = 0
        self.rotation = self.state.yaw - (self.counters[0].heading * self._units.angle if self.counters else 0.0)

    def _advance(self, sip: Sip, x: float, y: float, yaw: float, step: _Step, cycles: int, cycle: float) -> None:
        """Take the pose that a motion led to in so many cycles (s each), and the velocities of the SIP behind it."""
        units, old = self._units, self.state
        turned = step.turn
        heading = old.yaw + turned / 2
        forward = step.x * math.cos(turned / 2) + step.y * math.sin(turned / 2)
        left = sip.left_velocity * units.velocity * self._calibration.left_wheel
        right = sip.right_velocity * units.velocity * self._calibration.right_wheel
        by_wheels = (right - left) / self._track
        # Heading over time does not depend on the track width, but needs a reliable time.
        angular, span = by_wheels, cycle * 0.4
        if cycles:
            # A SIP that is late looks like one after others that were lost, until the next ones come.
            mean = (by_wheels + (old.right_velocity - old.left_velocity) / self._track) / 2
            span = min([n * cycle for n in range(1, self._unspent + 2)], key=lambda s: abs(turned / s - mean))
            angular = turned / span
        step_rate = units.angle / span * math.sqrt(2)
        self.state = Odometry(
            x=x,
            y=y,
            yaw=math.remainder(yaw, math.tau),
            linear=(left + right) / 2,
            angular=angular,
            left_angle=old.left_angle + (forward - turned * self._track / 2) / self._wheel_radius,
            right_angle=old.right_angle + (forward + turned * self._track / 2) / self._wheel_radius,
            left_velocity=left,
            right_velocity=right,
            travelled=old.travelled + forward,
            turned=old.turned + turned,
            covariance=_grow(old.covariance, forward * math.cos(heading), forward * math.sin(heading), forward, turned),
            velocity_variance=(
                (units.velocity / 2) ** 2 + (_ERROR_DISTANCE * (left + right) / 2) ** 2 + START_VARIANCE,
                step_rate**2 / 12 + (_ERROR_RATE * angular) ** 2 + START_VARIANCE,
            ),
        )


def counter_differences(new: Sip, old: Sip) -> tuple[int, int, int]:
    """Return the shortest differences of X, Y and TH."""
    return _counts(new.x - old.x, new.y - old.y, new.heading - old.heading)


def _counts(dx: int, dy: int, turn: int) -> tuple[int, int, int]:
    """Return the shortest differences of the three counters of a SIP, which wrap."""
    x = (dx + _COUNTER // 2) % _COUNTER - _COUNTER // 2
    y = (dy + _COUNTER // 2) % _COUNTER - _COUNTER // 2
    return x, y, (turn + _TURN // 2) % _TURN - _TURN // 2


def difference(new: int, old: int, modulus: int) -> int:
    """Return the shortest difference of a counter that wraps at `modulus`."""
    half = modulus // 2
    return (new - old + half) % modulus - half


def _grow(covariance: tuple[float, ...], dx: float, dy: float, forward: float, turned: float) -> tuple[float, ...]:
    """Propagate the covariance of the pose over one step of a differential drive: F P F' + Q, bounded."""
    xx, xy, xa, yy, ya, aa = covariance
    # F is the identity but for d(x, y)/dyaw = (-dy, dx).
    xy += dx * xa - dy * ya - dx * dy * aa
    xx += dy * (dy * aa - 2 * xa)
    yy += dx * (dx * aa + 2 * ya)
    xa, ya = xa - dy * aa, ya + dx * aa
    noise = _ERROR_DISTANCE**2 * abs(forward)
    xx, yy = xx + noise, yy + noise
    aa += _ERROR_DRIFT**2 * abs(forward) + _ERROR_TURN**2 * abs(turned)
    if max(xx, yy, aa) <= _MAX_VARIANCE:
        return xx, xy, xa, yy, ya, aa
    # Scale rows and columns with a variance beyond the maximum; correlations stay.
    sx, sy, sa = (math.sqrt(min(1.0, _MAX_VARIANCE / variance)) for variance in (xx, yy, aa))
    return sx * sx * xx, sx * sy * xy, sx * sa * xa, sy * sy * yy, sy * sa * ya, sa * sa * aa
