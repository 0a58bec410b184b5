# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The executable `packet_switch`: sets the driver's parameter publish_packets while `packets` has a subscriber.

It may start before the driver, notices a restart of the driver, and restores the parameter when it ends.
"""

from __future__ import annotations

import signal
import sys
import threading
from typing import Any

import rclpy
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.parameter_client import AsyncParameterClient
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future

_NAME = "publish_packets"
#: Seconds between two checks of the driver, and until a request without a response is abandoned.
_PERIOD, _TIMEOUT = 1.0, 3.0


class PacketSwitch(Node):
    """Checks the node `amigobot` in its own namespace once a second."""

    def __init__(self) -> None:
        super().__init__("packet_switch")
        self._driver = AsyncParameterClient(self, "amigobot")
        self._switched_on = False  # also while the driver has not answered this request
        self._unanswered = 0.0  # s since the request was sent
        self._request: Future | None = None
        self._timer = self.create_timer(_PERIOD, self._check, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self.get_logger().info(f"waiting for the driver {self.resolve_service_name('amigobot')} and for a recorder")

    def switch_off(self) -> Future | None:
        """Reset the parameter if this node has set it; None if there is nothing to reset."""
        self._timer.cancel()
        self._request = None
        if not (self._switched_on and self._driver.services_are_ready()):
            return None
        return self._driver.set_parameters([Parameter(_NAME, value=False)])

    def _check(self) -> None:
        if not self._driver.services_are_ready():
            self._switched_on = False  # a restarted driver has its own value
            self._request = None
        elif self._request and not self._request.done() and self._unanswered < _TIMEOUT:
            self._unanswered += _PERIOD
        elif self.count_subscribers("packets"):
            # Only once the recorder has subscribed, or it would miss the first packets.
            self._ask(self._driver.get_parameters([_NAME]), self._on_value)

    def _ask(self, request: Future, on_response: Any) -> None:
        self._request, self._unanswered = request, 0.0
        request.add_done_callback(on_response)

    def _on_value(self, response: Future) -> None:
        (value,) = response.result().values
        if response is self._request and not value.bool_value:
            self._switched_on = True
            self._ask(self._driver.set_parameters([Parameter(_NAME, value=True)]), self._on_switched)

    def _on_switched(self, response: Future) -> None:
        (result,) = response.result().results
        if result.successful:
            self.get_logger().info(f"{_NAME} is on during this recording")
        else:
            self._switched_on = False
            self.get_logger().warning(f"the driver refuses {_NAME}: {result.reason}; this recording has no packets")


def main() -> int:
    """Run until SIGINT, SIGTERM or SIGHUP, then reset the parameter."""
    # The signal handlers of rclpy would shut ROS down before the last request is sent.
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: ended.set())
    node = PacketSwitch()
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    while not ended.is_set():
        executor.spin_once(timeout_sec=0.1)
    if request := node.switch_off():
        executor.spin_until_future_complete(request, timeout_sec=_TIMEOUT)
        undone = "off again" if request.done() else "still on: the driver did not respond; set it to false yourself"
        node.get_logger().info(f"{_NAME} is {undone}")
    node.destroy_node()
    rclpy.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
