# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The actions `turn` and `move`: movements that the firmware controls, with feedback at each SIP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle

from amigobot_msgs.action import Move, Turn

from ..robot import MotionGoal, Report, RequestRefusedError, Robot
from .interface import Interface, NodeContext, await_result

#: The type of each action by its name. What they are for is in docs/reference/services.yaml.
ACTIONS: dict[str, Any] = {"turn": Turn, "move": Move}


class MotionActions(Interface):
    """Serves both actions. A new goal or any velocity ends the active goal, as it does in the firmware.

    The result follows when the robot is at rest, or at once if another movement has replaced the goal.
    """

    def __init__(self, context: NodeContext) -> None:
        super().__init__(context)
        self.handlers = {Report: self._publish_feedback}
        self._running: list[tuple[ServerGoalHandle, MotionGoal]] = []
        for (name, kind), execute in zip(ACTIONS.items(), (self._turn, self._move), strict=True):
            ActionServer(
                self._node,
                kind,
                name,
                execute,
                callback_group=context.waiting,
                goal_callback=lambda goal: GoalResponse.ACCEPT,
                cancel_callback=self._cancel,
            )

    def _publish_feedback(self, report: Report) -> None:
        for handle, motion_goal in tuple(self._running):
            if motion_goal.ended.done():
                continue
            feedback = Turn.Feedback if isinstance(handle.request, Turn.Goal) else Move.Feedback
            handle.publish_feedback(feedback(remaining=motion_goal.remaining))

    def _cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        """Stop the robot if it performs this goal; the result follows when it is at rest."""
        for running_handle, motion_goal in tuple(self._running):
            if running_handle.goal_id == handle.goal_id:
                with self._context.driver.robot() as robot:
                    robot.motion.cancel(motion_goal)
        return CancelResponse.ACCEPT

    async def _turn(self, handle: ServerGoalHandle) -> Turn.Result:
        result, goal = Turn.Result(), handle.request
        await self._perform(handle, result, lambda robot, now: robot.turn(goal.angle, now, absolute=goal.absolute))
        result.yaw = self._context.snapshot().odometry.yaw
        return result

    async def _move(self, handle: ServerGoalHandle) -> Move.Result:
        result = Move.Result()
        motion_goal = await self._perform(handle, result, lambda robot, now: robot.move(handle.request.distance, now))
        if motion_goal:
            result.travelled = motion_goal.covered
        return result

    async def _perform(
        self, handle: ServerGoalHandle, result: Any, start: Callable[[Robot, float], MotionGoal]
    ) -> MotionGoal | None:
        if handle.is_cancel_requested:
            result.message = "canceled before it started"
            handle.canceled()
            return None
        try:
            motion_goal = self._context.call(start)
        except RequestRefusedError as reason:
            result.message = f"refused: {reason}"
            handle.abort()
            return None
        running = handle, motion_goal
        self._running.append(running)
        try:
            outcome = await await_result(self._node, motion_goal.ended)
        finally:
            self._running.remove(running)
        result.success, result.message = outcome.success, outcome.message
        if outcome.success:
            handle.succeed()
        elif handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        return motion_goal
