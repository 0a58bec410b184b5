"""Calls services of a running driver node from a command-line program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor

from amigobot_msgs.msg import RobotConfig
from amigobot_msgs.srv import GetRobotConfig, SetRobotConfig

_TRIES = 2


class NoResponse(Exception):
    """The service does not exist or does not respond. The message is one line: which service, and what to do."""


def call(kind: Any, name: str, request: Any, *, timeout: float = 10.0) -> Any:
    """Call a service once or twice, so only use it for services that may be called twice.

    The first response to a program that was discovered a moment ago can get lost.

    Args:
        kind: Service type.
        name: Service name with its namespace.
        request: The request.
        timeout: Seconds for discovery, and again for the response.

    Returns:
        The response.

    Raises:
        NoResponse: The service does not exist or does not respond.
    """
    context = rclpy.Context()
    rclpy.init(context=context, args=[])
    node = rclpy.create_node("amigobot_command", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    try:
        client = node.create_client(kind, name)
        if not client.wait_for_service(timeout_sec=timeout):
            raise NoResponse(f"no service {name}: is amigobot_node running in this namespace and ROS_DOMAIN_ID?")
        for _ in range(_TRIES):
            future = client.call_async(request)
            executor.spin_until_future_complete(future, timeout_sec=timeout / _TRIES)
            if future.done():
                return future.result()
        raise NoResponse(f"{name} does not respond within {timeout:g} s")
    finally:
        node.destroy_node()
        rclpy.shutdown(context=context)


def configuration(namespace: str, values: Mapping[str, int] | None = None) -> tuple[str, RobotConfig]:
    """Set working values and read the configuration of the robot.

    Args:
        namespace: Namespace of the node; "" for the root.
        values: Values to set first, by CONFIG field; None sets nothing.

    Returns:
        An error message ("" on success), and the configuration that the robot reports.

    Raises:
        NoResponse: The node does not respond.
    """
    prefix = f"/{namespace.strip('/')}/" if namespace.strip("/") else "/"
    if values is None:
        response = call(GetRobotConfig, f"{prefix}get_robot_config", GetRobotConfig.Request())
    else:
        request = SetRobotConfig.Request(names=list(values), values=list(values.values()))
        response = call(SetRobotConfig, f"{prefix}set_robot_config", request)
    return "" if response.success else response.message, response.config
