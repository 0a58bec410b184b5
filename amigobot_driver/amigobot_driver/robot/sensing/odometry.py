# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Computes the pose from the counters in the robot's packets, by modular differences.

The firmware keeps X and Y in 15 bits and TH in 4096 units per turn, so only differences mean anything
(docs/protocol 5.2). docs/protocol/odometry.md, "When the robot's counters jump", says when counters count as zeroed.

Each mechanism names its evidence: a chapter of docs/protocol, a fact of docs/reference/field.md, or the fault model,
which is "The faults it is made for" in docs/explanation/architecture.md.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from ...connection_policy import MAX_ROLL
from ...profiles import Profile
from ...protocol import Sip, signed
from ..events import LEAST_VARIANCE, UNKNOWN_VARIANCE, Odometry
from .motion_model import LEVER, Displacement, arc, propagated, rotated

_POSITION_BITS = 15  # of X and Y in a SIP
_HEADING_BITS = 12  # of TH in a SIP
_TURN = 1 << _HEADING_BITS  # counts in one turn
_PLAUSIBLE = 2.0  # fastest possible motion / maximum velocity of the profile
MARGIN = 0.05  # m that a possible motion may be longer than that
_TURN_MARGIN = 0.1  # rad that a possible turn may be larger than that
_ZEROED_BY_OPEN = 0.5  # s after OPEN in which a SIP may show counters that it has zeroed
_LATE_SHARE = 1.1  # largest turn between two SIPs / turn that their velocities predict
CYCLE = 0.1  # s between two SIPs of most robots
_ERROR_LINEAR = 0.03  # stdev / velocity, assumed
_ERROR_RATE = 0.1  # stdev / turn rate, assumed for a RevCount that is not calibrated


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
        """Set the velocity to unknown: the session has ended, and the next SIP comes after a gap.

        Evidence: fault model, the port goes and comes back.
        """
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
        """OPEN is sent `now` (s): an Erratic zeroes its counters then (docs/protocol 3.4)."""
        self._zero_by = now + _ZEROED_BY_OPEN

    def robot_reset(self) -> None:
        """Expect counters from zero: the robot has reported that its controller was reset.

        Evidence: docs/protocol 8.5, packet 0xFF; fault model, the robot restarts.
        """
        self._was_reset = True

    def set(self, x: float, y: float, yaw: float) -> None:
        """Set the pose (m, m, rad) and the covariance of the start. Velocities and wheel angles stay."""
        before, marked = self.state, self._marked
        yaw, covariance = math.remainder(yaw, math.tau), Odometry().covariance
        self.state = replace(before, x=x, y=y, yaw=yaw, covariance=covariance)
        # Between two ENCODERpacs the SIP has moved the robot already: the ticks go on from the last mark, moved alike.
        turn = yaw - before.yaw
        back_x, back_y = rotated(marked.x - before.x, marked.y - before.y, turn)
        self._marked = replace(
            marked,
            x=x + back_x,
            y=y + back_y,
            yaw=math.remainder(marked.yaw + turn, math.tau),
            covariance=covariance,
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
            self.state = replace(self.state, **_moved(old, arc(forward, turned), forward))
        self._marked = self.state
        return self.state

    def update(self, sip: Sip, stamp: float, cycle: float = CYCLE) -> Odometry:
        """Take the SIP of the time `stamp` (s) from a robot that sends one each `cycle` (s); returns the new state.

        Of a SIP whose counters no motion explains, nothing is used: it was damaged, and its checksum does not show it.
        If the next SIP confirms it, the counters have jumped: the pose goes on from there without a motion.

        Evidence: fault model, damaged bytes; field, "Session": after a quick reconnect ARCOS before 2.1 jumps.
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
        begun_anew: Displacement | None = None
        if self._were_zeroed(before, sip, dt, counted):
            # Within a session the velocities also show the motion up to the zero.
            begun_anew = self._since_zero(sip) if self.interrupted else self._by_velocities(before, sip, max(dt, cycle))
        elif self.interrupted and math.hypot(counted.x, counted.y) > self.reach(dt):
            begun_anew = Displacement()
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
        """Return the true distance ahead (m) and turn (rad) for reported ones (docs/how-to/calibrate.md).

        Evidence: field, "Units and odometry": robots drift, and their owners changed the factors.
        """
        calibration, track = self._calibration, self._track
        unequal = calibration.right_wheel - calibration.left_wheel
        return (
            calibration.scale * forward + unequal * track / 4 * turn,
            calibration.turn * turn + unequal / track * forward,
        )

    def _calibrated_step(self, step: Displacement) -> Displacement:
        """Return the true motion for one that the counters report; the shape of its path stays."""
        forward, turn = self._calibrated(step.forward, step.turn)
        scale, middle = self._calibration.scale, turn / 2
        x, y = rotated(scale * step.x, scale * step.y, middle - step.turn / 2)
        further = forward - scale * step.forward
        return Displacement(x + further * math.cos(middle), y + further * math.sin(middle), turn)

    def _velocity(self, sip: Sip) -> tuple[float, float]:
        """Return the velocity of the wheels (m/s, rad/s), limited as a damaged packet may contain any value."""
        top, unit = _PLAUSIBLE * self._limits.linear, self._units.velocity
        left = min(top, max(-top, sip.left_velocity * unit))
        right = min(top, max(-top, sip.right_velocity * unit))
        return (left + right) / 2, (right - left) / self._track

    def _by_velocities(self, before: Sip, sip: Sip, dt: float) -> Displacement:
        """Return the motion between two SIPs `dt` s apart by the mean of their velocities."""
        (v0, w0), (v1, w1) = self._velocity(before), self._velocity(sip)
        return arc((v0 + v1) / 2 * dt, (w0 + w1) / 2 * dt)

    def _motion(self, counts: tuple[int, int, int], heading: int) -> Displacement:
        """Return the motion for some counts (x, y, heading) that begins at a heading (counts)."""
        dx, dy, turn = counts
        angle, distance = heading * self._units.angle, self._units.distance
        cos, sin = math.cos(angle) * distance, math.sin(angle) * distance
        return Displacement(cos * dx + sin * dy, cos * dy - sin * dx, turn * self._units.angle)

    def _unwrapped(self, counts: tuple[int, int, int], before: Sip, sip: Sip, span: float) -> tuple[int, int, int]:
        """Return the counts with the turn that the velocities explain: while SIPs are lost it may exceed half a turn.

        The heading wraps: then it seems to turn the other way. That it turned by less than the velocities explain is no
        reason, as a SIP that is late looks like one after lost ones.

        Evidence: fault model, a silent line: a robot with 300 deg/s makes half a turn in 0.6 s.
        """
        turn = (self._velocity(before)[1] + self._velocity(sip)[1]) / 2 * span / self._units.angle
        whole = counts[2] + (_TURN if turn > 0 else -_TURN)
        wrapped = counts[2] * turn < 0 and abs(whole) <= _LATE_SHARE * abs(turn)
        return counts[0], counts[1], whole if wrapped else counts[2]

    def _between(self, before: Sip, sip: Sip) -> Displacement:
        """Return the motion between two SIPs."""
        return self._motion(counter_differences(sip, before), before.heading)

    def _since_zero(self, sip: Sip) -> Displacement:
        """Return the motion since the counters were zeroed, if they were."""
        return self._motion(counter_differences(sip, replace(sip, x=0, y=0, heading=0)), 0)

    def _were_zeroed(self, before: Sip, sip: Sip, dt: float, counted: Displacement) -> bool:
        """Return whether the robot zeroed its counters between two SIPs `dt` s apart: after OPEN or a reset only.

        It has if the counters since zero fit the last velocity better than their difference `counted`, and are the
        smaller motion: near the origin both may fit.

        Evidence: docs/protocol 3.4; fault model, the robot restarts.
        """
        if self._was_reset:
            return True
        if not self.interrupted and self.counters and self.counters[1] > self._zero_by:
            return False
        speed, rate = self._velocity(before)
        roll = min(dt, MAX_ROLL)
        resolution = math.sqrt(2) * self._units.distance + LEVER * self._units.angle
        since_zero = self._since_zero(sip)
        off, off_zero = (step.distance_to_arc(speed * roll, rate * roll) for step in (counted, since_zero))
        fits_better = off_zero <= MARGIN and off_zero + resolution < off
        return fits_better and since_zero.distance_to_arc(0.0, 0.0) < counted.distance_to_arc(0.0, 0.0)

    def _possible(self, step: Displacement, dt: float) -> bool:
        """Return whether the robot can make a motion in a time (s)."""
        far = math.hypot(step.x, step.y) > _PLAUSIBLE * self._limits.linear * dt + MARGIN
        return not far and abs(step.turn) <= _PLAUSIBLE * self._limits.angular * dt + _TURN_MARGIN

    def _widen(self, dt: float) -> None:
        """Add to the covariance what the robot can have moved in a time (s)."""
        xx, xy, xa, yy, ya, aa = self.state.covariance
        distance, turn = (self._limits.linear * dt) ** 2, (self._limits.angular * dt) ** 2
        self.state = replace(self.state, covariance=(xx + distance, xy, xa, yy + distance, ya, aa + turn))

    def reach(self, seconds: float) -> float:
        """Return the distance in m that the robot can have driven in a time (s) without a session.

        Evidence: the watchdog stops it (docs/protocol 3.6).
        """
        return self._limits.linear * min(seconds, MAX_ROLL) + MARGIN

    def _advance(self, sip: Sip, step: Displacement, cycles: int, cycle: float) -> None:
        """Take the pose that a motion led to in so many cycles (s each), and the velocities of the SIP behind it.

        The turn rate is that of the heading (docs/protocol E-36). Evidence that SIPs are late or lost: fault model.
        """
        units, old, forward, turned = self._units, self.state, step.forward, step.turn
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
            **_moved(old, step, forward),
            linear=(left + right) / 2,
            angular=angular,
            left_angle=old.left_angle + (forward - turned * self._track / 2) / self._wheel_radius,
            right_angle=old.right_angle + (forward + turned * self._track / 2) / self._wheel_radius,
            left_velocity=left,
            right_velocity=right,
            velocity_variance=(
                (units.velocity / 2) ** 2 + (_ERROR_LINEAR * (left + right) / 2) ** 2 + LEAST_VARIANCE,
                step_rate**2 / 12 + (_ERROR_RATE * angular) ** 2 + LEAST_VARIANCE,
            ),
        )


def _moved(start: Odometry, step: Displacement, forward: float) -> dict[str, Any]:
    """Return the pose, and what belongs to it, after a motion from a state; its path was `forward` (m) long."""
    x, y = rotated(step.x, step.y, start.yaw)
    return {
        "x": start.x + x,
        "y": start.y + y,
        "yaw": math.remainder(start.yaw + step.turn, math.tau),
        "travelled": start.travelled + forward,
        "turned": start.turned + step.turn,
        "covariance": propagated(start.covariance, x, y, forward, step.turn),
    }


def counter_differences(new: Sip, old: Sip) -> tuple[int, int, int]:
    """Return the shortest differences of X, Y and TH."""
    return (
        signed(new.x - old.x, _POSITION_BITS),
        signed(new.y - old.y, _POSITION_BITS),
        signed(new.heading - old.heading, _HEADING_BITS),
    )
