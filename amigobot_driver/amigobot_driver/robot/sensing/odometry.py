# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Computes the pose from the counters in the robot's packets, by modular differences.

The firmware keeps X and Y in 15 bits and TH in 4096 units per turn, so only differences mean anything.
docs/protocol/odometry.md, "When the robot's counters jump", says when counters count as zeroed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ...connection_policy import MAX_ROLL
from ...profiles import Profile
from ...protocol import Sip, signed
from ..events import LEAST_VARIANCE, UNKNOWN_VARIANCE, Odometry

#: Bits of the counters in a SIP: of X and Y, and of TH.
_POSITION_BITS, _HEADING_BITS = 15, 12
_TURN = 1 << _HEADING_BITS  # counts

_PLAUSIBLE = 2.0  # fastest possible motion / maximum velocity of the profile
MARGIN = 0.05  # m that a motion may be longer than that
_TURN_MARGIN = 0.1  # rad, likewise
_LEVER = 0.3  # m, weight of a heading error of 1 rad where motions are compared
_ZEROED_BY_OPEN = 0.5  # s after OPEN in which a SIP may show counters that it has zeroed
_LATE_SHARE = 1.1  # largest turn / turn that the velocities predict
#: s between two SIPs of most robots.
CYCLE = 0.1
_ERROR_DISTANCE = 0.03  # m / sqrt(m), stdev of a distance
_ERROR_DRIFT = 0.05  # rad / sqrt(m), stdev of the heading by a distance
_ERROR_TURN = 0.05  # rad / sqrt(rad), stdev of the heading by a turn
_ERROR_RATE = 0.1  # stdev / turn rate, for a RevCount that is not calibrated
_MAX_VARIANCE = 1e4  # m^2 or rad^2: some filters refuse larger ones


@dataclass(frozen=True, slots=True)
class _Step:
    """A motion in the frame of its start: m ahead, m to the left, rad counter-clockwise."""

    x: float = 0.0
    y: float = 0.0
    turn: float = 0.0

    def distance_to(self, length: float, turn: float) -> float:
        """Return the distance to the nearest part of an arc, in m; a heading counts by `_LEVER`, whole turns by 0.

        Args:
            length: Length of the arc, m; negative backwards.
            turn: Angle of the arc, rad.
        """
        size = length**2 + (_LEVER * turn) ** 2
        ahead = self.x * math.cos(self.turn / 2) + self.y * math.sin(self.turn / 2)
        distances = []
        for turned in (self.turn, self.turn + math.copysign(math.tau, turn)):
            share = min(1.0, max(0.0, (ahead * length + _LEVER**2 * turned * turn) / size)) if size else 0.0
            part = arc(share * length, share * turn)
            distances.append(math.hypot(self.x - part.x, self.y - part.y) + _LEVER * abs(turned - part.turn))
        return min(distances)


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
        before: The pose continues from the pose of this one, which was of another profile.
    """

    def __init__(self, profile: Profile, before: Odometer | None = None) -> None:
        self.state: Odometry = before.state if before else Odometry()
        #: times the counters jumped during a session
        self.jumps: int = before.jumps if before else 0
        #: changes whenever the relation between counters and pose does
        self.frame: int = before.frame + 1 if before else 0
        self._units = profile.units
        self._track = profile.body.track
        self._calibration = profile.calibration
        self._wheel_radius = profile.body.wheel_diameter / 2
        self._limits = profile.limits
        #: the last SIP and its stamp (s): the counters that the pose belongs to; None before the first one
        self.counters: tuple[Sip, float] | None = None
        self._doubtful: tuple[Sip, float] | None = None  #: the newest SIP and its stamp (s), if no motion leads there
        self.interrupted = True  #: there is no session, so that the velocity is unknown; the next SIP comes after a gap
        self._was_reset = False  #: the robot has reported a reset since the last SIP
        self._zero_by = -math.inf  #: s, until when a SIP may show counters that OPEN has zeroed
        self._marked = self.state

    @property
    def rotation(self) -> float:
        """Angle from the robot's own frame to the odometry frame, rad; valid after the first SIP."""
        return self.state.yaw - (self.counters[0].heading * self._units.angle if self.counters else 0.0)

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

    def opened(self, now: float) -> None:
        """OPEN is sent `now` (s): some robots zero their counters then (docs/protocol 3.4)."""
        self._zero_by = now + _ZEROED_BY_OPEN

    def robot_reset(self) -> None:
        """Expect counters from zero: the robot has reported that its controller was reset."""
        self._was_reset = True

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
        self._marked = self.state
        return self.state

    def update(self, sip: Sip, stamp: float, cycle: float = CYCLE) -> Odometry:
        """Take the SIP of the time `stamp` (s) from a robot that sends one each `cycle` (s); returns the new state.

        Of a SIP whose counters no motion explains, nothing is used: it was damaged, and its checksum does not show it.
        If the next SIP confirms it, the counters have jumped: the pose goes on from there without a motion.
        """
        if self.counters is None:
            self.counters = sip, stamp
            self.frame += 1
        before, then = self.counters
        dt = max(stamp - then, 0.0)
        cycles = 0 if self.interrupted else round(dt / cycle)  # 0: it came in one burst with the one before
        counts = counter_differences(sip, before)
        if cycles > 1:
            counts = self._unwrapped(counts, before, sip, dt)
        counted = self._motion(counts, before.heading)
        begun_anew: _Step | None = None
        if self._were_zeroed(before, sip, dt, counted):
            # Within a session the velocities also show the motion up to the zero.
            begun_anew = self._since_zero(sip) if self.interrupted else self._by_velocities(before, sip, max(dt, cycle))
        elif self.interrupted and math.hypot(counted.x, counted.y) > self.reach(dt):
            begun_anew = _Step()
        elif not self.interrupted and not self._possible(counted, max(dt, cycle)):
            doubtful, self._doubtful = self._doubtful, (sip, stamp)
            if doubtful is None or not self._possible(self._between(doubtful[0], sip), max(stamp - doubtful[1], cycle)):
                return self.state
            begun_anew = self._between(doubtful[0], sip)
            self.jumps += 1
            self._widen(dt)
        self.counters, self._doubtful, self.interrupted, self._was_reset = (sip, stamp), None, False, False
        if begun_anew is None:
            self._advance(sip, self._calibrated_step(counted), cycles, cycle)
        else:
            self.frame += 1
            self._advance(sip, begun_anew, 0, cycle)
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
        top, unit = _PLAUSIBLE * self._limits.linear, self._units.velocity
        left = min(top, max(-top, sip.left_velocity * unit))
        right = min(top, max(-top, sip.right_velocity * unit))
        return (left + right) / 2, (right - left) / self._track

    def _by_velocities(self, before: Sip, sip: Sip, dt: float) -> _Step:
        """Return the motion between two SIPs `dt` s apart by the mean of their velocities."""
        (v0, w0), (v1, w1) = self._velocity(before), self._velocity(sip)
        return arc((v0 + v1) / 2 * dt, (w0 + w1) / 2 * dt)

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

    def _between(self, before: Sip, sip: Sip) -> _Step:
        """Return the motion between two SIPs."""
        return self._motion(counter_differences(sip, before), before.heading)

    def _since_zero(self, sip: Sip) -> _Step:
        """Return the motion since the counters were zeroed, if they were."""
        return self._motion(counter_differences(sip, replace(sip, x=0, y=0, heading=0)), 0)

    def _were_zeroed(self, before: Sip, sip: Sip, dt: float, counted: _Step) -> bool:
        """Return whether the robot zeroed its counters between two SIPs `dt` s apart: after OPEN or a reset only.

        It has if the counters since zero fit the last velocity better than their difference `counted`, and are the
        smaller motion: near the origin both may fit.
        """
        if self._was_reset:
            return True
        if not self.interrupted and self.counters and self.counters[1] > self._zero_by:
            return False
        speed, rate = self._velocity(before)
        roll = min(dt, MAX_ROLL)
        resolution = math.sqrt(2) * self._units.distance + _LEVER * self._units.angle
        since_zero = self._since_zero(sip)
        off, off_zero = (step.distance_to(speed * roll, rate * roll) for step in (counted, since_zero))
        fits_better = off_zero <= MARGIN and off_zero + resolution < off
        return fits_better and since_zero.distance_to(0.0, 0.0) < counted.distance_to(0.0, 0.0)

    def _possible(self, step: _Step, dt: float) -> bool:
        """Return whether the robot can make a motion in a time (s)."""
        far = math.hypot(step.x, step.y) > _PLAUSIBLE * self._limits.linear * dt + MARGIN
        return not far and abs(step.turn) <= _PLAUSIBLE * self._limits.angular * dt + _TURN_MARGIN

    def _widen(self, dt: float) -> None:
        """Add to the covariance what the robot can have moved in a time (s)."""
        xx, xy, xa, yy, ya, aa = self.state.covariance
        distance, turn = (self._limits.linear * dt) ** 2, (self._limits.angular * dt) ** 2
        self.state = replace(self.state, covariance=(xx + distance, xy, xa, yy + distance, ya, aa + turn))

    def reach(self, seconds: float) -> float:
        """Return the distance in m that the robot can have driven in a time (s) without a session."""
        return self._limits.linear * min(seconds, MAX_ROLL) + MARGIN

    def _advance(self, sip: Sip, step: _Step, cycles: int, cycle: float) -> None:
        """Take the pose that a motion led to in so many cycles (s each), and the velocities of the SIP behind it."""
        units, old, turned = self._units, self.state, step.turn
        x, y = rotated(step.x, step.y, old.yaw)
        heading = old.yaw + turned / 2
        forward = step.x * math.cos(turned / 2) + step.y * math.sin(turned / 2)
        left = sip.left_velocity * units.velocity * self._calibration.left_wheel
        right = sip.right_velocity * units.velocity * self._calibration.right_wheel
        by_wheels = (right - left) / self._track
        # Heading over time does not depend on the track width, but needs a reliable time.
        angular, span = by_wheels, cycle * 0.4
        if cycles:
            # A SIP that is late looks like one after others that were lost.
            mean = (by_wheels + (old.right_velocity - old.left_velocity) / self._track) / 2
            span = min([n * cycle for n in range(1, cycles + 1)], key=lambda s: abs(turned / s - mean))
            angular = turned / span
        step_rate = units.angle / span * math.sqrt(2)
        self.state = Odometry(
            x=old.x + x,
            y=old.y + y,
            yaw=math.remainder(old.yaw + turned, math.tau),
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
                (units.velocity / 2) ** 2 + (_ERROR_DISTANCE * (left + right) / 2) ** 2 + LEAST_VARIANCE,
                step_rate**2 / 12 + (_ERROR_RATE * angular) ** 2 + LEAST_VARIANCE,
            ),
        )


def counter_differences(new: Sip, old: Sip) -> tuple[int, int, int]:
    """Return the shortest differences of X, Y and TH."""
    return (
        signed(new.x - old.x, _POSITION_BITS),
        signed(new.y - old.y, _POSITION_BITS),
        signed(new.heading - old.heading, _HEADING_BITS),
    )


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
