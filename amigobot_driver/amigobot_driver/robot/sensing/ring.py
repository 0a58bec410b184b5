"""What each sonar heard last, seen from where the robot is now: it moves while the ring goes round."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ...profiles import Profile, SonarPose
from ..events import Odometry, Ping, Report

#: rounds of the ring for which a ping is worth something
_ROUNDS = 2


@dataclass(frozen=True, slots=True)
class Sighting:
    """A ping, and where its sonar was and looked when it fired, in the base frame of now."""

    ping: Ping
    pose: SonarPose


class Ring:
    """Keeps the newest sighting of each sonar and carries it along as the robot moves."""

    def __init__(self) -> None:
        self._newest: dict[int, Sighting] = {}
        self._odometry: Odometry | None = None

    def hear(self, report: Report, profile: Profile) -> tuple[Sighting, ...]:
        """Take a report, which is the now from here on; returns the sightings that it brings."""
        odometry, sonar = report.odometry, profile.sonar
        self._carry_along(self._odometry or odometry, odometry, profile)
        self._odometry = odometry
        brought = tuple(
            Sighting(ping, left_behind(sonar.poses[ping.number], odometry.linear * age, odometry.angular * age))
            for ping in report.pings
            for age in (report.stamp - ping.stamp,)
        )
        self._newest.update({sighting.ping.number: sighting for sighting in brought})
        oldest = report.stamp - _ROUNDS * len(sonar.poses) * sonar.cycle
        self._newest = {number: seen for number, seen in self._newest.items() if seen.ping.stamp > oldest}
        return brought

    def newest(self) -> tuple[Sighting, ...]:
        """The last sighting of each sonar that has fired lately."""
        return tuple(self._newest.values())

    def _carry_along(self, before: Odometry, now: Odometry, profile: Profile) -> None:
        """By the wheels, which go on where the pose in the odometry frame is set anew."""
        radius = profile.body.wheel_diameter / 2
        left = (now.left_angle - before.left_angle) * radius
        right = (now.right_angle - before.right_angle) * radius
        forward, turned = (left + right) / 2, (right - left) / profile.body.track
        self._newest = {
            number: replace(seen, pose=left_behind(seen.pose, forward, turned)) for number, seen in self._newest.items()
        }


def left_behind(pose: SonarPose, forward: float, turned: float) -> SonarPose:
    """A pose in the base frame, seen after the robot has driven an arc of `forward` m while turning by `turned` rad."""
    chord = forward * math.sin(turned / 2) / (turned / 2) if turned else forward
    x, y = pose.x - chord * math.cos(turned / 2), pose.y - chord * math.sin(turned / 2)
    cos, sin = math.cos(turned), math.sin(turned)
    return SonarPose(cos * x + sin * y, cos * y - sin * x, pose.heading - turned)
