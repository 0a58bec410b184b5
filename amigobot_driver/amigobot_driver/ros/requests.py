"""Services that wait for the robot's answer without blocking the executor."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future as Request
from functools import partial
from typing import Any, TypeVar

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from ..robot import Outcome

T = TypeVar("T")


def service_factory(node: Node) -> Callable[..., Any]:
    """Return `node.create_service` for services that wait for the robot.

    The services get a reentrant callback group. In the node's default group one callback runs at a time, so a service
    that waits would block velocities and even the emergency stop.
    """
    return partial(node.create_service, callback_group=ReentrantCallbackGroup())


def fill_response(response: Any, outcome: Outcome) -> Any:
    """Copy the outcome of a request into `success` and `message` of a response.

    Args:
        response: A service response with the fields `success` and `message`.
        outcome: How the request ended.

    Returns:
        The same response.
    """
    response.success, response.message = outcome.success, outcome.message
    return response


def call_with_result(node: Node, request: Request[T], callback: Callable[[T], None]) -> None:
    """Call `callback` with the result of a request, from the node's executor.

    The thread that completes a request holds the robot's lock, so the callback must not run there.
    """

    def schedule(done: Request[T]) -> None:
        if executor := node.executor:
            executor.create_task(callback, done.result())

    request.add_done_callback(schedule)


async def await_result(node: Node, request: Request[T]) -> T:
    """Wait for the result of a request; the executor serves other callbacks meanwhile.

    Args:
        node: The node whose executor runs the calling coroutine.
        request: A future that the robot completes.
    """
    executor = node.executor
    future = Future(executor=executor)

    def complete(done: Request[T]) -> None:
        future.set_result(done.result())
        executor.wake()

    request.add_done_callback(complete)
    result: T = await future
    return result
