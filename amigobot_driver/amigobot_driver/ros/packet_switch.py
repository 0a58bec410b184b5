"""The executable `packet_switch`: keeps the driver's parameter publish_packets on while somebody records `packets`.

It may start before the driver, sees a driver that is started again, and at its end undoes what it has done.
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
#: s between two looks at the driver, and until a request that has no answer is given up.
_PERIOD, _PATIENCE = 1.0, 3.0


class PacketSwitch(Node):
    """Looks at the node `amigobot` in its own namespace, once a second."""

    def __init__(self) -> None:
        super().__init__("packet_switch")
        self._driver = AsyncParameterClient(self, "amigobot")
        self._switched_on = False
        self._unanswered = 0.0  # s that a request has been waiting for its answer
        self._request: Future | None = None
        self.create_timer(_PERIOD, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self.get_logger().info(f"waiting for the driver {self.resolve_service_name('amigobot')} and for a recorder")

    def switch_off(self) -> Future | None:
        """Undo what this node has done; None if there is nothing to undo."""
        if not (self._switched_on and self._driver.services_are_ready()):
            return None
        return self._driver.set_parameters([Parameter(_NAME, value=False)])

    def _look(self) -> None:
        if not self._driver.services_are_ready():
            self._switched_on = False  # the next driver has a value of its own
            self._request = None
        elif self._request and not self._request.done() and self._unanswered < _PATIENCE:
            self._unanswered += _PERIOD
        elif self.count_subscribers("packets"):
            # Not before the recorder is there, which would miss the first packets.
            self._ask(self._driver.get_parameters([_NAME]), self._on_value)

    def _ask(self, request: Future, on_answer: Any) -> None:
        self._request, self._unanswered = request, 0.0
        request.add_done_callback(on_answer)

    def _on_value(self, answer: Future) -> None:
        (value,) = answer.result().values
        if not value.bool_value:
            self._ask(self._driver.set_parameters([Parameter(_NAME, value=True)]), self._on_switched)

    def _on_switched(self, answer: Future) -> None:
        (result,) = answer.result().results
        if result.successful:
            self._switched_on = True
            self.get_logger().info(f"{_NAME} is on while this recording lasts")
        else:
            self.get_logger().warning(f"the driver refuses {_NAME}: {result.reason}")


def main() -> int:
    """Run until SIGINT or SIGTERM, then switch off again."""
    # rclpy's own handlers would end ROS before the last request is sent.
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
        executor.spin_until_future_complete(request, timeout_sec=_PATIENCE)
        undone = "off again" if request.done() else "still on: the driver did not answer"
        node.get_logger().info(f"{_NAME} is {undone}")
    node.destroy_node()
    rclpy.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
