"""The actions turn and move: the firmware's own movements, with feedback each SIP; a cancel stops the robot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from amigobot_msgs.action import Move, Turn

from ..driver import Driver
from ..robot import Event, Manoeuvre, Refused, Report, Robot
from .wish import granted


class ManoeuvreActions:
    """Offers both actions. A new goal, or any velocity, ends the one that runs, as it does in the firmware."""

    def __init__(self, node: Node, driver: Driver) -> None:
        self._node = node
        self._driver = driver
        self._current: tuple[ServerGoalHandle, Manoeuvre] | None = None
        group = ReentrantCallbackGroup()
        for kind, name, execute in ((Turn, "turn", self._turn), (Move, "move", self._move)):
            ActionServer(
                node,
                kind,
                name,
                execute,
                callback_group=group,
                goal_callback=lambda goal: GoalResponse.ACCEPT,
                cancel_callback=lambda goal: CancelResponse.ACCEPT,
            )

    def hear(self, event: Event) -> None:
        """Each SIP is a feedback; a goal that is to be cancelled stops the robot, which ends the movement."""
        if not isinstance(event, Report) or self._current is None:
            return
        handle, manoeuvre = self._current
        if manoeuvre.ended.done():
            return
        if handle.is_cancel_requested:
            with self._driver.robot() as robot:
                robot.stop()
            return
        feedback = Turn.Feedback if isinstance(handle.request, Turn.Goal) else Move.Feedback
        handle.publish_feedback(feedback(remaining=manoeuvre.remaining))

    async def _turn(self, handle: ServerGoalHandle) -> Turn.Result:
        result = Turn.Result()
        goal = handle.request
        await self._perform(handle, result, lambda robot, now: robot.turn(goal.angle, now, absolute=goal.absolute))
        with self._driver.robot() as robot:
            result.yaw = robot.senses.odometer.state.yaw
        return result

    async def _move(self, handle: ServerGoalHandle) -> Move.Result:
        result = Move.Result()
        manoeuvre = await self._perform(handle, result, lambda robot, now: robot.move(handle.request.distance, now))
        if manoeuvre:
            result.travelled = handle.request.distance - manoeuvre.remaining
        return result

    async def _perform(
        self, handle: ServerGoalHandle, result: Any, start: Callable[[Robot, float], Manoeuvre]
    ) -> Manoeuvre | None:
        try:
            with self._driver.robot() as robot:
                manoeuvre = start(robot, self._driver.clock())
        except Refused as reason:
            result.message = f"refused: {reason}"
            handle.abort()
            return None
        self._current = handle, manoeuvre
        outcome = await granted(self._node, manoeuvre.ended)
        result.success, result.message = outcome.success, outcome.message
        if outcome.success:
            handle.succeed()
        elif handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        return manoeuvre
