# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Infrared sensors that look down in front of the wheels, for steps (Erratic manual 5.6.3)."""

from __future__ import annotations

import math

from ..profiles import Profile
from .body import SimulatedBody
from .faults import FaultInjector
from .surroundings import Scene


class FloorSensors:
    """The floor sensors of the profile, in its order: left, right."""

    def __init__(self, profile: Profile, body: SimulatedBody, scene: Scene, fault_injector: FaultInjector) -> None:
        """Mount the sensors.

        Args:
            profile: Poses of the sensors.
            body: Pose of the robot.
            scene: Areas without a floor.
            fault_injector: Its fault `no_floor` hides the floor.
        """
        self._poses = profile.floor.poses
        self._body, self._scene, self._fault_injector = body, scene, fault_injector

    def detects_floor(self, number: int) -> bool:
        """Return whether there is floor under a sensor; always true for a sensor that the robot does not have.

        Args:
            number: Number of the sensor, from 0.
        """
        if number in self._fault_injector.faults.no_floor:
            return False
        if number >= len(self._poses):
            return True
        pose, sensor = self._body.pose, self._poses[number]
        c, s = math.cos(pose.heading), math.sin(pose.heading)
        return self._scene.world.has_floor(pose.x + c * sensor.x - s * sensor.y, pose.y + s * sensor.x + c * sensor.y)
