# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Latches or clears the emergency stop of every driver that can be discovered."""

from __future__ import annotations

import time
from collections.abc import Callable

from rclpy.client import Client
from rclpy.node import Node
from rclpy.task import Future
from std_srvs.srv import Trigger

from .temporary_node import TemporaryNode

_STOP, _CLEAR = "emergency_stop", "clear_emergency_stop"
#: s between two looks at the graph, and s after which a request without a response is made again: both requests may be
#: made twice, and the first one to a service that was just discovered can get lost.
_LOOK, _REPEAT = 0.1, 0.5


def stop_all(
    namespace: str | None, report: Callable[[str, bool, str], None], *, clear: bool = False, seconds: float = 5.0
) -> set[str]:
    """Call the service of every driver as soon as it is discovered.

    A driver is a node with both services, `emergency_stop` and `clear_emergency_stop`, of the type std_srvs/Trigger.

    Args:
        namespace: Only the driver in this namespace ("" for the root); None for all.
        report: Called with the namespace of each driver that responds, its success, and its message.
        clear: Clear the emergency stop instead.
        seconds: How long to look for drivers, and to wait for responses. With a namespace, ends with its response.

    Returns:
        The namespaces that were discovered and did not respond.
    """
    only = None if namespace is None else f"/{namespace.strip('/')}".rstrip("/") + "/"
    drivers: dict[str, _Driver] = {}
    with TemporaryNode("amigobot_stop") as temporary:
        node = temporary.node
        end = time.monotonic() + seconds
        while time.monotonic() < end and not (only in drivers and drivers[only].responded):
            for found in _drivers(node):
                if found not in drivers and only in (None, found):
                    client = node.create_client(Trigger, found + (_CLEAR if clear else _STOP))
                    drivers[found] = _Driver(client)
            for name, driver in drivers.items():
                if response := driver.ask():
                    report(name, response.success, response.message)
            temporary.executor.spin_once(timeout_sec=_LOOK)
    return {name for name, driver in drivers.items() if not driver.responded}


class _Driver:
    """The request to one driver, made until it responds."""

    def __init__(self, client: Client) -> None:
        self.responded = False
        self._client = client
        self._asked = float("-inf")
        self._futures: list[Future] = []

    def ask(self) -> Trigger.Response | None:
        """Ask if it is time to. Returns the response, once."""
        if self.responded:
            return None
        for future in self._futures:
            if future.done():
                self.responded = True
                return future.result()
        if self._client.service_is_ready() and time.monotonic() - self._asked > _REPEAT:
            self._asked = time.monotonic()
            self._futures.append(self._client.call_async(Trigger.Request()))
        return None


def _drivers(node: Node) -> set[str]:
    triggers = {name for name, types in node.get_service_names_and_types() if "std_srvs/srv/Trigger" in types}
    prefixes = {name.removesuffix(_CLEAR) for name in triggers if name.endswith(f"/{_CLEAR}")}
    return {prefix for prefix in prefixes if prefix + _STOP in triggers}
