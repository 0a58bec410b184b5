"""Where the robot is, from the counters in its packets: whole counts, modular differences, no jump ever.

The firmware keeps X and Y in 15 bits and TH in 4096 steps, so only differences mean anything (PROTOCOL 5.2).
Here they are summed as whole counts, so neither the wrap nor ten thousand roundings move the pose.
"""

from __future__ import annotations

import math
import statistics
from collections import deque
from dataclasses import replace

from ...profiles import Profile
from ...protocol import Sip
from ..events import START_VARIANCE, Odometry

_COUNTER = 0x8000
_TURN = 4096

#: A difference beyond this many times what the robot can drive, plus a margin in m, is a counter that was set.
PLAUSIBLE, MARGIN = 3.0, 0.05
#: s between two SIPs at the robot; some arrive closer together because something held them up on the way.
_CYCLE = 0.1
#: Intervals that tell the robot's own cycle.
_INTERVALS = 31
#: Odometry error, standard deviations: m per root m, rad per root m, rad per root rad.
_ERROR_DISTANCE, _ERROR_DRIFT, _ERROR_TURN = 0.03, 0.05, 0.05
#: rad/s to one unit of the SIP's own rotation velocity (ARCOS), and how far that may be from what the wheels say, as a
#: share of it and in rad/s: what is further off is not what we take it for.
STATED_STEP = math.radians(0.1)
_AGREES, _AGREES_MARGIN = 0.5, 0.2
#: Beyond this a variance says nothing more; some filters refuse larger ones.
_MAX_VARIANCE = 1e4


class Odometer:
    """Adds up the counters of one robot's SIPs; goes on from where `before` was, if there was one."""

    def __init__(self, profile: Profile, before: Odometer | None = None) -> None:
        self.state: Odometry = before.state if before else Odometry()
        #: times a counter moved further than the robot could have
        self.jumps: int = before.jumps if before else 0
        self._intervals: deque[float] = deque(maxlen=_INTERVALS)  #: s between the stamps of SIPs
        self._units = profile.units
        self._track = profile.body.track
        self._wheel_radius = profile.body.wheel_diameter / 2
        self._top_speed = profile.limits.linear
        self._last: tuple[Sip, float] | None = None
        self._fixed = self.state
        self._anchor()

    def restart(self) -> None:
        """The counters may start anywhere at the next SIP; the pose goes on from where it is."""
        self._last = None

    def set(self, x: float, y: float, yaw: float) -> None:
        """The pose is this from now on (m, m, rad), and as sure as at the start. Wheel angles go on."""
        before = self.state
        self.state = Odometry(
            x,
            y,
            math.remainder(yaw, math.tau),
            left_angle=before.left_angle,
            right_angle=before.right_angle,
            travelled=before.travelled,
            turned=before.turned,
        )
        self._fixed = self.state
        self._anchor()

    def fix(self) -> None:
        """What `roll` tells from now on is measured from here."""
        self._fixed = self.state

    def roll(self, left: float, right: float, track: float, *, move: bool) -> Odometry:
        """The wheels have rolled so far (m) since the last time, as the encoders have it; returns the new state.

        `move`: the pose follows them, over this track (m), and the SIPs only carry it on from here; else the angles
        of the wheels alone do.
        """
        old = self._fixed
        self.state = replace(
            self.state,
            left_angle=old.left_angle + left / self._wheel_radius,
            right_angle=old.right_angle + right / self._wheel_radius,
        )
        if move:
            forward, turned = (left + right) / 2, (right - left) / track
            heading = old.yaw + turned / 2
            # The way was an arc; its chord leads from place to place.
            chord = forward * math.sin(turned / 2) / (turned / 2) if turned else forward
            step_x, step_y = chord * math.cos(heading), chord * math.sin(heading)
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
        self._fixed = self.state
        return self.state

    def update(self, sip: Sip, stamp: float) -> Odometry:
        """Take the SIP that was sent at `stamp` (s); returns the new state."""
        if self._last is None:
            self._last = sip, stamp
            self._anchor()
        before, then = self._last
        dt = max(stamp - then, 0.0)
        dx = difference(sip.x, before.x, _COUNTER)
        dy = difference(sip.y, before.y, _COUNTER)
        turn = difference(sip.heading, before.heading, _TURN)
        if math.hypot(dx, dy) * self._units.distance > PLAUSIBLE * self._top_speed * max(dt, _CYCLE) + MARGIN:
            self.jumps += 1
            self._anchor()
            dx = dy = turn = 0
        self._last = sip, stamp
        self._advance(sip, dx, dy, turn, dt)
        return self.state

    def _anchor(self) -> None:
        """Count from here: the pose so far becomes the origin of the counts to come."""
        self._origin = self.state
        self._x = self._y = self._turned = 0
        #: from the robot's own frame to the odometry frame, rad; known once a SIP tells the robot's heading
        self.rotation = self.state.yaw - (self._last[0].heading * self._units.angle if self._last else 0.0)

    def _span(self, dt: float) -> float:
        """s between two SIPs at the robot, which sends them in whole cycles; 0: nobody knows, they came in a bunch."""
        self._intervals.append(dt)
        if dt <= _CYCLE * 0.4:
            return 0.0
        usual = statistics.median(self._intervals)
        # What is far off was a loss, or one of a heap; the others' delays cancel each other.
        regular = [interval for interval in self._intervals if 0.4 * usual < interval < 1.6 * usual]
        cycle = statistics.fmean(regular or [usual])
        return max(1, round(dt / cycle)) * cycle if cycle > _CYCLE * 0.4 else dt

    def _advance(self, sip: Sip, dx: int, dy: int, turn: int, dt: float) -> None:
        units, old, origin = self._units, self.state, self._origin
        self._x += dx
        self._y += dy
        self._turned += turn
        cos, sin = math.cos(self.rotation) * units.distance, math.sin(self.rotation) * units.distance
        yaw = origin.yaw + self._turned * units.angle
        heading = old.yaw + turn * units.angle / 2
        step_x, step_y = cos * dx - sin * dy, sin * dx + cos * dy
        forward = step_x * math.cos(heading) + step_y * math.sin(heading)
        turned = turn * units.angle
        left, right = sip.left_velocity * units.velocity, sip.right_velocity * units.velocity
        by_wheels = (right - left) / self._track
        # Heading over time is right whatever the track width, but needs times that mean something.
        span = self._span(dt)
        angular = turned / span if span else by_wheels
        step = units.angle / (span or _CYCLE * 0.4) * math.sqrt(2)
        # A robot's own word needs none; it may be missing, and a firmware may leave it empty.
        stated = (sip.rotation_velocity or 0) * STATED_STEP
        if stated and abs(stated - by_wheels) <= _AGREES * abs(by_wheels) + _AGREES_MARGIN:
            angular, step = stated, STATED_STEP
        self.state = Odometry(
            x=origin.x + cos * self._x - sin * self._y,
            y=origin.y + sin * self._x + cos * self._y,
            yaw=math.remainder(yaw, math.tau),
            linear=(left + right) / 2,
            angular=angular,
            left_angle=old.left_angle + (forward - turned * self._track / 2) / self._wheel_radius,
            right_angle=old.right_angle + (forward + turned * self._track / 2) / self._wheel_radius,
            left_velocity=left,
            right_velocity=right,
            travelled=old.travelled + forward,
            turned=old.turned + turned,
            covariance=_grow(old.covariance, step_x, step_y, forward, turned),
            velocity_variance=(
                (units.velocity / 2) ** 2 + (_ERROR_DISTANCE * (left + right) / 2) ** 2 + START_VARIANCE,
                step**2 / 12 + (_ERROR_TURN * angular) ** 2 + START_VARIANCE,
            ),
        )


def difference(new: int, old: int, modulus: int) -> int:
    """The shortest way from old to new on a circle of `modulus` counts."""
    half = modulus // 2
    return (new - old + half) % modulus - half


def _grow(covariance: tuple[float, ...], dx: float, dy: float, forward: float, turned: float) -> tuple[float, ...]:
    """Propagate the pose's covariance over one step of a differential drive: F P F' + Q, finite for ever."""
    xx, xy, xa, yy, ya, aa = covariance
    # F is the identity but for d(x, y)/dyaw = (-dy, dx).
    xy += dx * xa - dy * ya - dx * dy * aa
    xx += dy * (dy * aa - 2 * xa)
    yy += dx * (dx * aa + 2 * ya)
    xa, ya = xa - dy * aa, ya + dx * aa
    noise = _ERROR_DISTANCE**2 * abs(forward)
    xx, yy = xx + noise, yy + noise
    aa += _ERROR_DRIFT**2 * abs(forward) + _ERROR_TURN**2 * abs(turned)
    return _bounded(xx, xy, xa, yy, ya, aa)


def _bounded(xx: float, xy: float, xa: float, yy: float, ya: float, aa: float) -> tuple[float, ...]:
    """Scale rows and columns whose variance has outgrown all meaning; correlations stay as they are."""
    sx, sy, sa = (math.sqrt(min(1.0, _MAX_VARIANCE / variance)) for variance in (xx, yy, aa))
    return sx * sx * xx, sx * sy * xy, sx * sa * xa, sy * sy * yy, sy * sa * ya, sa * sa * aa
