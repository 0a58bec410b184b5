# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Continues the odometry of an earlier driver, if the first SIP of the robot fits its counters."""

from __future__ import annotations

from ...protocol import Sip, SyncReply
from ..events import Notice
from .odometry import Odometer
from .odometry_state import OdometryState


class OdometryContinuation:
    """Holds the state of an earlier driver until the first SIP, and makes the state for the next driver."""

    def __init__(self) -> None:
        self._stored: OdometryState | None = None
        self._max_age = 0.0  #: s

    @property
    def pending(self) -> bool:
        """Whether a stored state waits for the first SIP."""
        return self._stored is not None

    def store(self, state: OdometryState, max_age: float) -> None:
        """Continue from a state with the next SIP, unless the state is older than `max_age` (s) then."""
        self._stored, self._max_age = state, max_age

    def discard(self) -> None:
        """Forget the stored state."""
        self._stored = None

    def apply(self, odometer: Odometer, sip: Sip, stamp: float, identity: SyncReply, profile: str) -> Notice:
        """Let the odometer continue from the stored state, if the first SIP fits it.

        Args:
            odometer: Of the robot; its `update` with the SIP comes next.
            sip: The first SIP.
            stamp: When the robot took its values, s.
            identity: The robot's answer to SYNC2.
            profile: Name of the profile that converts its counters.

        Returns:
            What happened and why, for the operator.
        """
        stored, self._stored = self._stored, None
        assert stored is not None
        age = stamp - stored.stamp
        if (stored.name, stored.robot_class, stored.subclass) != (
            identity.name,
            identity.robot_class,
            identity.subclass,
        ):
            fits, why = False, f"the stored pose is that of another robot, {stored.name!r} ({stored.subclass})"
        elif stored.profile != profile:
            fits, why = False, f"the stored pose was measured with the profile {stored.profile}"
        elif not 0.0 <= age <= self._max_age:
            fits, why = False, f"the stored pose is {age:.0f} s old, allowed: 0 to {self._max_age:g} s"
        else:
            fits, why = odometer.resume(stored, sip, stamp)
        if fits:
            text = f"odometry continues at x {stored.x:.2f} m, y {stored.y:.2f} m of {age:.1f} s ago: {why}"
        else:
            text = f"odometry starts at zero: {why}"
        return Notice(text, trouble=not fits)

    def state(self, odometer: Odometer, identity: SyncReply | None, profile: str) -> OdometryState | None:
        """Return the state for the next driver; None while no SIP has arrived or a stored state is pending."""
        if odometer.counters is None or identity is None or self._stored is not None:
            return None
        pose, (sip, stamp) = odometer.state, odometer.counters
        return OdometryState(
            name=identity.name,
            robot_class=identity.robot_class,
            subclass=identity.subclass,
            profile=profile,
            stamp=stamp,
            x=pose.x,
            y=pose.y,
            yaw=pose.yaw,
            left_angle=pose.left_angle,
            right_angle=pose.right_angle,
            covariance=pose.covariance,
            counter_x=sip.x,
            counter_y=sip.y,
            counter_heading=sip.heading,
            left_velocity=sip.left_velocity,
            right_velocity=sip.right_velocity,
        )
