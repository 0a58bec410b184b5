"""Waits for the robot's answer inside a service without holding up the executor."""

from __future__ import annotations

from concurrent.futures import Future as Wish
from typing import TypeVar

from rclpy.node import Node
from rclpy.task import Future

T = TypeVar("T")


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
