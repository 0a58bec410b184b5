# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The robot's mechanics: two driven wheels under a body that walls stop. This is the truth, which no packet shows.

Each wheel is a gear motor whose speed follows its voltage with one time constant, minus friction. A body that would
enter a wall does not move, and the wheels that would have pushed it there stop.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from enum import Enum, auto

from ..profiles import Physics, Profile
from .faults import FaultInjector, Faults
from .fields import number, option
from .world import Footprint, Scene, Segment, Surroundings, WorldPose, blocked

#: m around the body in which walls are searched
_MARGIN = 0.5
#: m/s, below which a wheel is at rest
_AT_REST = 0.0005
#: bisection of a step, to find where the body meets a wall
_BISECTION = (1 / 2, 1 / 4, 1 / 8, 1 / 16)


class IdleMode(Enum):
    """State of a motor without voltage."""

    COAST = auto()  #: open circuit: the wheel coasts
    BRAKE = auto()  #: short circuit: the wheel brakes


@dataclass(frozen=True, slots=True, kw_only=True)
class Wear:
    """How the real wheels differ from the numbers in the firmware, so that odometry and truth diverge."""

    left_scale: float = option(1.0, "true rolling distance of the left wheel over the nominal", number(0.5, 2.0))
    right_scale: float = option(1.0, "true rolling distance of the right wheel over the nominal", number(0.5, 2.0))
    track_scale: float = option(1.0, "true distance between the wheels over the nominal", number(0.5, 2.0))
    slip: float = option(0.0, "standard deviation of the share of each step that a wheel slips", number(0.0, 1.0))
    #: the size at a real robot is not known (docs/reference/field.md)
    rest_velocity: float = option(
        0.0, "m/s, up to which the packets have a velocity at rest, at random", number(0.0, 0.1)
    )
    #: P3-DX 0.0015, AmigoBot-SH 0.005 (docs/explanation/recordings.md)
    velocity_noise: float = option(
        0.0, "m/s, standard deviation of a wheel's velocity in the packets", number(0.0, 0.1)
    )


class Wheel:
    """One motor and its wheel. `velocity` (m/s) and `travel` (m) are at the rim, as the encoder measures them."""

    def __init__(self, physics: Physics, free_speed: float) -> None:
        """Start at rest.

        Args:
            physics: Time constants, friction and decelerations.
            free_speed: Speed at full voltage without load, m/s.
        """
        self._physics = physics
        self._free_speed = free_speed
        self._power: float | None = None  # share of the full voltage; None without power
        self.velocity = 0.0
        self.travel = 0.0

    def accelerate(self, power: float | IdleMode, dt: float) -> None:
        """Apply a voltage for one time step.

        Args:
            power: Share of the full voltage, -1 to 1, or how the unpowered motor is connected.
            dt: Time step in s.
        """
        v, physics = self.velocity, self._physics
        if isinstance(power, IdleMode):
            self._power = None
            coast = physics.coast_deceleration + abs(v) / physics.coast_time
            loss = physics.brake_deceleration if power is IdleMode.BRAKE else coast
            self.velocity = math.copysign(max(0.0, abs(v) - loss * dt), v)
            return
        self._power = power
        no_load_speed = self._free_speed * power
        if v == 0.0 and abs(no_load_speed) <= physics.friction:
            return
        friction = math.copysign(physics.friction, v or no_load_speed)
        new = v + (no_load_speed - friction - v) * dt / physics.motor_time
        # Friction stops a wheel but never reverses it.
        self.velocity = 0.0 if new * v < 0.0 and abs(no_load_speed) <= physics.friction else new

    @property
    def load(self) -> float:
        """Motor current as a share of the one that a blocked motor draws at full voltage."""
        return 0.0 if self._power is None else abs(self._power - self.velocity / self._free_speed)


class SimulatedBody:
    """The body on its wheels, and its pose in the world."""

    def __init__(self, profile: Profile, scene: Scene, wear: Wear, injector: FaultInjector, seed: str) -> None:
        """Put the robot at the start of the world.

        Args:
            profile: Dimensions and top speed.
            scene: Walls and start.
            wear: How the real wheels differ from the profile.
            injector: Faults of the sensors on this body.
            seed: Seed of the slip and of the noise.
        """
        self.profile, self.scene, self.injector, self.seed = profile, scene, injector, seed
        body = profile.body
        self.footprint = Footprint(body.front, body.rear, body.width / 2)
        free_speed = profile.physics.free_speed * profile.limits.linear
        self.left, self.right = (Wheel(profile.physics, free_speed) for _ in range(2))
        self.lifted = False  #: whether the wheels are off the floor: they turn, the body stays
        self._radius = body.radius
        self._surroundings = Surroundings(scene, self._radius + _MARGIN)
        self.pose = scene.world.start  #: may be set, as by a person who carries the robot
        self.turned = 0.0  #: rad that the body has turned on the floor, counter-clockwise, slip and walls included
        self.touching = False
        self.jammed = False  #: the fault `jam`: the wheels are blocked
        self._wear = wear
        self._track = body.track * wear.track_scale
        self._slip = random.Random(f"{seed}/slip")
        self._noise = random.Random(f"{seed}/velocity")
        self._jitter = [0.0, 0.0]  #: m/s of each wheel, in the last packet
        #: of each wheel in this step: distance on the floor over distance at the rim
        self._grips = wear.left_scale, wear.right_scale

    @property
    def faults(self) -> Faults:
        """The injected faults."""
        return self.injector.faults

    def outline_near(self, x: float, y: float, distance: float) -> list[Segment]:
        """Return the sides of the body if one of them may be within `distance` of a point (m)."""
        near = math.hypot(self.pose.x - x, self.pose.y - y) <= distance + self._radius
        return self.footprint.outline(self.pose) if near else []

    @property
    def turn_rate(self) -> float:
        """Turn rate in rad/s as the wheels turn, without slip; counter-clockwise."""
        return (self.right.velocity - self.left.velocity) / self._track

    @property
    def at_rest(self) -> bool:
        """Whether both wheels are slower than the rest threshold."""
        return max(abs(self.left.velocity), abs(self.right.velocity)) < _AT_REST

    def measure(self) -> tuple[float, float]:
        """Return the velocities of the left and the right wheel (m/s) for one packet, with their noise.

        It is the noise of a position that is differentiated: one packet's error has the opposite sign in the next.
        """
        wheels, noise, rest = (self.left, self.right), self._wear.velocity_noise, self._wear.rest_velocity
        if rest and self.at_rest:
            return self._noise.uniform(-rest, rest), self._noise.uniform(-rest, rest)
        if not noise:
            return self.left.velocity, self.right.velocity
        before = self._jitter
        self._jitter = [self._noise.gauss(0.0, noise / math.sqrt(2)) if wheel.velocity else 0.0 for wheel in wheels]
        left, right = (wheel.velocity + new - old for wheel, new, old in zip(wheels, self._jitter, before, strict=True))
        return left, right

    def step(self, powers: tuple[float | IdleMode, float | IdleMode], dt: float) -> None:
        """Let the motors act, and move as far as the walls allow.

        Args:
            powers: For the left and the right wheel, the share of the full voltage (-1 to 1) or the idle mode.
            dt: Time step in s.
        """
        wheels = self.left, self.right
        for wheel, power in zip(wheels, powers, strict=True):
            wheel.accelerate(power, dt)
            if self.jammed:
                wheel.velocity = 0.0
        allowed = distances = self.left.velocity * dt, self.right.velocity * dt
        if not self.lifted and distances != (0.0, 0.0):
            before = self.pose
            allowed, self.pose = self._push(*distances)
            self.turned += math.remainder(self.pose.heading - before.heading, math.tau)
        self.touching = allowed != distances
        for wheel, possible, distance in zip(wheels, allowed, distances, strict=True):
            wheel.travel += possible
            if possible != distance:
                wheel.velocity = 0.0

    def _push(self, left: float, right: float) -> tuple[tuple[float, float], WorldPose]:
        """Return the wheels' distances that the walls allow (to the contact, or one wheel pivots off), and the pose."""
        if self._wear.slip:
            self._grips = self._wear.left_scale * self._grip(), self._wear.right_scale * self._grip()
        if pose := self._free(left, right):
            return (left, right), pose
        share, reached = 0.0, self.pose
        for step in _BISECTION:
            if pose := self._free(left * (share + step), right * (share + step)):
                share, reached = share + step, pose
        if share:
            return (left * share, right * share), reached
        for pivot in (left, 0.0), (0.0, right):
            if pose := self._free(*pivot):
                return pivot, pose
        return (0.0, 0.0), reached

    def _free(self, left: float, right: float) -> WorldPose | None:
        """Return the pose after the wheels' distances if no wall is there, else None."""
        left *= self._grips[0]
        right *= self._grips[1]
        distance, turn = (left + right) / 2, (right - left) / self._track
        middle = self.pose.heading + turn / 2
        x, y = self.pose.x + distance * math.cos(middle), self.pose.y + distance * math.sin(middle)
        pose = WorldPose(x, y, math.remainder(self.pose.heading + turn, math.tau))
        return None if blocked(self.footprint, pose, self.walls_around()) else pose

    def _grip(self) -> float:
        return 1.0 - self._slip.gauss(0.0, self._wear.slip)

    def walls_around(self) -> list[Segment]:
        """Return the walls and other robots that the body can touch near its pose."""
        return self._surroundings.near(self.pose.x, self.pose.y)
