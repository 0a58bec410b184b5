"""Services that wait for the robot's answer without holding up the executor."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future as Wish
from functools import partial
from typing import Any, TypeVar

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from ..robot import Outcome

T = TypeVar("T")


def offering(node: Node) -> Callable[..., Any]:
    """`node.create_service` for services that wait.

    Meanwhile velocities and the other services must go on: in the node's own group, where one callback at a time may
    be under way, even the emergency stop would wait.
    """
    return partial(node.create_service, callback_group=ReentrantCallbackGroup())


def answer(response: Any, outcome: Outcome) -> Any:
    """The response, with how the wish ended."""
    response.success, response.message = outcome.success, outcome.message
    return response


def afterwards(node: Node, request: Wish[T], then: Callable[[T], None]) -> None:
    """Call `then` with the result of a request, from the executor: the thread that ends it holds the robot's lock."""

    def tell(done: Wish[T]) -> None:
        if executor := node.executor:
            executor.create_task(then, done.result())

    request.add_done_callback(tell)


async def granted(node: Node, wish: Wish[T]) -> T:
    """The result of a wish; velocities and other services go on meanwhile."""
    executor = node.executor
    answer = Future(executor=executor)

    def tell(done: Wish[T]) -> None:
        answer.set_result(done.result())
        executor.wake()

    wish.add_done_callback(tell)
    result: T = await answer
    return result
