# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Sends goals to Nav2, one after the other."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import rclpy
from action_msgs.msg import GoalStatus
from geometry_msgs.msg import PoseStamped, PoseWithCovarianceStamped, Quaternion
from lifecycle_msgs.srv import GetState
from nav2_msgs.action import NavigateToPose
from nav_msgs.msg import OccupancyGrid, Path
from rclpy.action import ActionClient
from rclpy.parameter import Parameter

from amigobot_driver.sim import WorldPose

from .office import Goal

_STATUS = {
    GoalStatus.STATUS_SUCCEEDED: "succeeded",
    GoalStatus.STATUS_ABORTED: "aborted",
    GoalStatus.STATUS_CANCELED: "cancelled",
}
_ACTIVE = 3
#: s of the wall clock for Nav2 to start, on a machine that may be busy.
_START = 300.0
#: Costmaps kept: the first of them is from before a recovery.
_EARLIER = 3


@dataclass(slots=True)
class Attempt:
    """One goal and what became of it. Times are those of /clock, s."""

    goal: Goal
    begin: float
    end: float = math.nan
    status: str = "refused"
    error: str = ""
    recoveries: int = 0
    touches: int = 0
    clearance: float = math.nan  #: m, the smallest on the way
    off: float = math.nan  #: m, from the goal, at the end, truly
    lost: float = math.nan  #: m, the largest distance between where Nav2 saw the robot and where it was
    path: list[tuple[float, float]] = field(default_factory=list)
    plan: list[tuple[float, float]] = field(default_factory=list)  #: the first one
    seen: list[tuple[float, float, float]] = field(default_factory=list, repr=False)  #: time, x and y, as Nav2 saw it

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {name: value for name, value in asdict(self).items() if name != "seen"}


def _quaternion(yaw: float) -> Quaternion:
    return Quaternion(z=math.sin(yaw / 2), w=math.cos(yaw / 2))


def _keep(grids: deque[OccupancyGrid], grid: OccupancyGrid) -> None:
    grids.append(grid)


@dataclass(frozen=True, slots=True)
class Costs:
    """A costmap of Nav2: costs by row and column from 0 to 100, 99 where the robot's middle cannot be, -1 unknown."""

    name: str
    rows: list[list[int]]
    resolution: float  #: m
    x: float  #: m, of the corner of the first cell
    y: float


class Client:
    """A node that waits for Nav2 and sends goals."""

    def __init__(self, on_trouble: Callable[[Attempt, list[Costs]], None]) -> None:
        """Args: on_trouble: called with the costmaps at each recovery and when a goal was not reached."""
        rclpy.init()
        self._on_trouble = on_trouble
        self.node = rclpy.create_node("nav_trial", parameter_overrides=[Parameter("use_sim_time", value=True)])
        self._start = self.node.create_publisher(PoseWithCovarianceStamped, "initialpose", 1)
        self._action = ActionClient(self.node, NavigateToPose, "navigate_to_pose")
        self._state = self.node.create_client(GetState, "bt_navigator/get_state")
        self._grids: dict[str, deque[OccupancyGrid]] = {}
        for name in ("local_costmap", "global_costmap"):
            grids = self._grids[name] = deque(maxlen=_EARLIER)
            self.node.create_subscription(OccupancyGrid, f"{name}/costmap", partial(_keep, grids), 1)
        self.node.create_subscription(Path, "plan", self._on_plan, 1)
        self._attempt: Attempt | None = None

    @property
    def now(self) -> float:
        """s of /clock."""
        return self.node.get_clock().now().nanoseconds * 1e-9

    def wait_for_nav2(self, start: WorldPose) -> None:
        """Tell where the robot stands until Nav2 is active. Raises TimeoutError."""
        message = PoseWithCovarianceStamped()
        message.header.frame_id = "map"
        message.pose.pose.position.x, message.pose.pose.position.y = start.x, start.y
        message.pose.pose.orientation = _quaternion(start.heading)
        covariance = [0.0] * 36
        covariance[0] = covariance[7] = 0.01
        covariance[35] = 0.01
        message.pose.covariance = covariance
        end = time.monotonic() + _START
        while time.monotonic() < end:
            self._start.publish(message)
            future = self._state.call_async(GetState.Request())
            if self._until(future.done, 3.0) and future.result().current_state.id == _ACTIVE:
                return
            self._state.remove_pending_request(future)
            self._until(lambda: False, 1.0)
        raise TimeoutError(f"Nav2 is not active after {_START:.0f} s")

    def go(self, goal: Goal, limit: float) -> Attempt:
        """Send one goal and wait for its end; after `limit` s of /clock it is cancelled."""
        attempt = self._attempt = Attempt(goal, self.now)
        request = NavigateToPose.Goal()
        request.pose = PoseStamped()
        request.pose.header.frame_id = "map"
        request.pose.pose.position.x, request.pose.pose.position.y = goal.x, goal.y
        request.pose.pose.orientation = _quaternion(goal.heading)
        self._action.wait_for_server(30.0)
        sending = self._action.send_goal_async(request, feedback_callback=self._on_feedback)
        if self._until(sending.done, 30.0) and sending.result().accepted:
            handle = sending.result()
            result = handle.get_result_async()
            seen = 0
            while not result.done() and self.now < attempt.begin + limit:
                self._spin()
                if attempt.recoveries > seen:
                    seen = attempt.recoveries
                    self._on_trouble(attempt, self._costs())
            if not result.done():
                handle.cancel_goal_async()
                self._until(result.done, 30.0)
            if result.done():
                attempt.status = _STATUS.get(result.result().status, str(result.result().status))
                attempt.error = str(getattr(result.result().result, "error_code", ""))
        attempt.end = self.now
        if attempt.status != "succeeded":
            self._on_trouble(attempt, self._costs())
        return attempt

    def close(self) -> None:
        """Leave ROS."""
        self.node.destroy_node()
        rclpy.try_shutdown()

    def _on_feedback(self, message: Any) -> None:
        attempt, feedback = self._attempt, message.feedback
        if attempt is not None:
            attempt.recoveries = max(attempt.recoveries, feedback.number_of_recoveries)
            where = feedback.current_pose
            if where.header.frame_id == "map":
                stamp, place = where.header.stamp, where.pose.position
                attempt.seen.append((stamp.sec + stamp.nanosec * 1e-9, place.x, place.y))

    def _on_plan(self, message: Path) -> None:
        if self._attempt is not None and not self._attempt.plan:
            places = [one.pose.position for one in message.poses]
            self._attempt.plan = [(round(place.x, 3), round(place.y, 3)) for place in places[::4]]

    def _costs(self) -> list[Costs]:
        """Each costmap as it was before the recovery, which may have cleared it."""
        found = []
        for name, grids in self._grids.items():
            if grids:
                info, data = grids[0].info, grids[0].data
                rows = [list(data[begin : begin + info.width]) for begin in range(0, len(data), info.width)]
                found.append(Costs(name, rows, info.resolution, info.origin.position.x, info.origin.position.y))
        return found

    def _spin(self) -> None:
        rclpy.spin_once(self.node, timeout_sec=0.1)

    def _until(self, condition: Callable[[], bool], seconds: float) -> bool:
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            self._spin()
        return True
