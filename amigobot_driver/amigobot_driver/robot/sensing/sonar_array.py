# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The newest reading of each sonar relative to the current pose: the robot moves while the sonars fire in turn."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...profiles import Profile, SonarPose
from ..events import Odometry, Ping, Report
from .motion_model import arc, rotated

#: Firing cycles after which a reading is too old.
_ROUNDS = 2


@dataclass(frozen=True, slots=True)
class SonarPoint:
    """A ping, and the pose of its sonar when it fired, in the current base frame."""

    ping: Ping
    pose: SonarPose


class SonarArray:
    """Computes the sonar pose of each reading; with `keep`, the newest readings stay valid while the robot moves."""

    def __init__(self, *, keep: bool) -> None:
        self._keep = keep
        self._newest: dict[int, SonarPoint] = {}
        self._odometry: Odometry | None = None

    def update(self, report: Report, profile: Profile) -> tuple[SonarPoint, ...]:
        """Update from the report of a SIP.

        Returns:
            The readings of this report.
        """
        odometry, sonar = report.odometry, profile.sonar
        points = []
        for ping in report.pings:
            age = report.stamp - ping.stamp
            pose = pose_after_arc(sonar.poses[ping.number], odometry.linear * age, odometry.angular * age)
            points.append(SonarPoint(ping, pose))
        if not self._keep:
            return tuple(points)
        self._move(self._odometry or odometry, odometry)
        self._odometry = odometry
        self._newest.update({point.ping.number: point for point in points})
        oldest = report.stamp - _ROUNDS * len(sonar.poses) * sonar.cycle
        self._newest = {number: point for number, point in self._newest.items() if point.ping.stamp > oldest}
        return tuple(points)

    def newest(self) -> tuple[SonarPoint, ...]:
        """Return the last reading of each sonar that has fired recently; empty without `keep`."""
        return tuple(self._newest.values())

    def _move(self, before: Odometry, now: Odometry) -> None:
        """Move the readings by what the robot has driven: setting the odometry does not move it."""
        forward, turned = now.travelled - before.travelled, now.turned - before.turned
        self._newest = {
            number: replace(point, pose=pose_after_arc(point.pose, forward, turned))
            for number, point in self._newest.items()
        }


def pose_after_arc(pose: SonarPose, forward: float, turned: float) -> SonarPose:
    """Return a pose in the base frame after the robot has driven an arc.

    Args:
        pose: In the base frame before.
        forward: Length of the arc, m.
        turned: Angle of the arc, rad.
    """
    driven = arc(forward, turned)
    return SonarPose(*rotated(pose.x - driven.x, pose.y - driven.y, -turned), pose.heading - turned)
