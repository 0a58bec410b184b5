"""Infrared sensors that look down in front of the wheels, for steps (Erratic manual 5.6.3)."""

from __future__ import annotations

import math

from ..profiles import Profile
from .body import Body
from .faults import FaultInjector
from .world import World


class FloorSensors:
    """The sensors of the profile, in its order: left, right."""

    def __init__(self, profile: Profile, body: Body, world: World, fault_injector: FaultInjector) -> None:
        self._poses = profile.floor.poses
        self._body, self._world, self._fault_injector = body, world, fault_injector

    def detects_floor(self, number: int) -> bool:
        """Whether there is floor under a sensor; a robot that has no such sensor sees floor everywhere."""
        if number in self._fault_injector.faults.no_floor:
            return False
        if number >= len(self._poses):
            return True
        pose, sensor = self._body.pose, self._poses[number]
        c, s = math.cos(pose.heading), math.sin(pose.heading)
        return self._world.has_floor(pose.x + c * sensor.x - s * sensor.y, pose.y + s * sensor.x + c * sensor.y)
