"""The actions `turn` and `move`: movements that the firmware controls, with feedback at each SIP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from amigobot_msgs.action import Move, Turn

from ..driver import Driver
from ..robot import Event, MotionGoal, Refused, Report, Robot
from .requests import await_result


class MotionActions:
    """Serves both actions. A new goal or any velocity ends the active goal, as it does in the firmware.

    The result follows when the robot is at rest, or at once if another movement has replaced the goal.
    """

    events = (Report,)

    def __init__(self, node: Node, driver: Driver) -> None:
        self._node = node
        self._driver = driver
        self._running: list[tuple[ServerGoalHandle, MotionGoal]] = []
        group = ReentrantCallbackGroup()
        for kind, name, execute in ((Turn, "turn", self._turn), (Move, "move", self._move)):
            ActionServer(
                node,
                kind,
                name,
                execute,
                callback_group=group,
                goal_callback=lambda goal: GoalResponse.ACCEPT,
                cancel_callback=self._cancel,
            )

    def on_event(self, event: Event) -> None:
        """Publish feedback of the active goals at each SIP."""
        if not isinstance(event, Report):
            return
        for handle, goal in tuple(self._running):
            if goal.ended.done():
                continue
            feedback = Turn.Feedback if isinstance(handle.request, Turn.Goal) else Move.Feedback
            handle.publish_feedback(feedback(remaining=goal.remaining))

    def _cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        """Stop the robot if it performs this goal; the result follows when it is at rest."""
        for running, goal in tuple(self._running):
            if running.goal_id == handle.goal_id:
                with self._driver.robot() as robot:
                    robot.cancel(goal)
        return CancelResponse.ACCEPT

    async def _turn(self, handle: ServerGoalHandle) -> Turn.Result:
        result = Turn.Result()
        goal = handle.request
        await self._perform(handle, result, lambda robot, now: robot.turn(goal.angle, now, absolute=goal.absolute))
        with self._driver.robot() as robot:
            result.yaw = robot.estimator.odometer.state.yaw
        return result

    async def _move(self, handle: ServerGoalHandle) -> Move.Result:
        result = Move.Result()
        goal = await self._perform(handle, result, lambda robot, now: robot.move(handle.request.distance, now))
        if goal:
            result.travelled = goal.covered
        return result

    async def _perform(
        self, handle: ServerGoalHandle, result: Any, start: Callable[[Robot, float], MotionGoal]
    ) -> MotionGoal | None:
        if handle.is_cancel_requested:
            result.message = "canceled before it started"
            handle.canceled()
            return None
        try:
            with self._driver.robot() as robot:
                goal = start(robot, self._driver.clock())
        except Refused as reason:
            result.message = f"refused: {reason}"
            handle.abort()
            return None
        running = handle, goal
        self._running.append(running)
        try:
            outcome = await await_result(self._node, goal.ended)
        finally:
            self._running.remove(running)
        result.success, result.message = outcome.success, outcome.message
        if outcome.success:
            handle.succeed()
        elif handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        return goal
