"""Asks a running node, from a program that is no node itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor

from amigobot_msgs.msg import RobotConfig
from amigobot_msgs.srv import GetRobotConfig, SetRobotConfig

_TRIES = 2


class NoAnswer(Exception):
    """The service is not there or does not answer; one line that says which and what to do."""


def call(kind: Any, name: str, request: Any, *, timeout: float = 10.0) -> Any:
    """The response of one service call, which may be made again: only for services that bear that. Raises NoAnswer.

    The first answer to a program that has only just been discovered may get lost on its way.
    """
    context = rclpy.Context()
    rclpy.init(context=context, args=[])
    node = rclpy.create_node("amigobot_command", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    try:
        client = node.create_client(kind, name)
        if not client.wait_for_service(timeout_sec=timeout):
            raise NoAnswer(f"there is no service {name}: does amigobot_node run, in this namespace and ROS_DOMAIN_ID?")
        for _ in range(_TRIES):
            future = client.call_async(request)
            executor.spin_until_future_complete(future, timeout_sec=timeout / _TRIES)
            if future.done():
                return future.result()
        raise NoAnswer(f"{name} does not answer within {timeout:g} s")
    finally:
        node.destroy_node()
        rclpy.shutdown(context=context)


def configuration(namespace: str, values: Mapping[str, int] | None = None) -> tuple[str, RobotConfig]:
    """What the robot reports now, after setting `values` (of CONFIGpac) where given, and a complaint or "".

    Raises NoAnswer.
    """
    prefix = f"/{namespace.strip('/')}/" if namespace.strip("/") else "/"
    if values is None:
        response = call(GetRobotConfig, f"{prefix}get_robot_config", GetRobotConfig.Request())
    else:
        request = SetRobotConfig.Request(names=list(values), values=list(values.values()))
        response = call(SetRobotConfig, f"{prefix}set_robot_config", request)
    return "" if response.success else response.message, response.config
