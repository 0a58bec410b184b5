# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What the parts of the node have in common: access to the robot, stamps, frames, and services that wait for the robot.

A part is a subclass of `Interface`. It has publishers and subscriptions (`topics`), handles events of the robot, and
serves the methods that it marks as services:

    class HornInterface(Interface):
        @robot_service(Honk, "honk")
        def _honk(self, robot: Robot, request: Honk.Request, now: float) -> Answer:
            return robot.sounds.play(request.number, now)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future as Pending
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from builtin_interfaces.msg import Time as TimeMsg
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import Header

from ..driver import Driver
from ..robot import Event, Outcome, RequestRefusedError, Robot, RobotSnapshot, take_snapshot
from . import stamps
from .conversions import message_of
from .log import LogThrottle
from .node_parameters import NodeParameters
from .topics import Topic, TopicPublisher

if TYPE_CHECKING:
    from ..replay import Replay

T = TypeVar("T")
Method = TypeVar("Method", bound=Callable[..., Any])
#: What a request to the robot returns: a future of the outcome, the outcome, or the message of a success.
Answer = Pending[Any] | Outcome | str


#: The type of every service of the node by its name, filled by @service and @robot_service. What they are for is in
#: docs/reference/services.yaml.
SERVICES: dict[str, Any] = {}


def service(kind: Any, name: str) -> Callable[[Method], Method]:
    """Make a method of an `Interface` the callback of a service, plain or async."""

    def mark(method: Method) -> Method:
        SERVICES[name] = kind
        method.ros_service = name  # type: ignore[attr-defined]
        return method

    return mark


def robot_service(kind: Any, name: str, **fields: str) -> Callable[[Callable[..., Answer]], Callable[..., Any]]:
    """Make a method of an `Interface` a service that makes one request to the robot.

    The method gets the robot, with its lock, the request of the service and the time (s). Its answer becomes the
    response, as `RequestRefusedError` and ValueError do.

    Args:
        kind: Type of the service.
        name: Its name.
        fields: More fields of the response, each with the attribute of the outcome that it gets, if there is one.
    """

    def mark(method: Callable[..., Answer]) -> Callable[..., Any]:
        async def callback(self: Interface, request: Any, response: Any) -> Any:
            outcome = await self.outcome(lambda robot, now: method(self, robot, request, now))
            for key, attribute in fields.items():
                setattr(response, key, getattr(outcome, attribute, getattr(response, key)))
            return fill_response(response, outcome)

        return service(kind, name)(callback)

    return mark


@dataclass(eq=False)
class NodeContext:
    """What the parts of the node share."""

    node: Node  #: has services, parameters and publishers
    driver: Driver | Replay  #: runs the robot
    parameters: NodeParameters  #: checked
    throttle: LogThrottle  #: of warnings about topics
    time: stamps.Stamps  #: converts times of the driver's clock
    #: the callback group of services that wait for the robot. In the node's default group one callback runs at a time,
    #: so a service that waits would block every other, even the emergency stop.
    waiting: ReentrantCallbackGroup = field(default_factory=ReentrantCallbackGroup)

    def __post_init__(self) -> None:
        self.base_frame = self.prefixed(str(self.parameters["base_frame"]))  #: its name, with its prefix

    def prefixed(self, frame: str) -> str:
        """Return the name of a frame of the robot description with frame_prefix."""
        return f"{self.parameters['frame_prefix']}{frame}"

    def ros_time(self, stamp: float) -> TimeMsg:
        """Return a time of the driver's clock (s) as a ROS stamp."""
        return stamps.message(self.time.of(stamp))

    def header(self, stamp: float) -> Header:
        """Return a header in the base frame for a time of the driver's clock (s)."""
        return Header(stamp=self.ros_time(stamp), frame_id=self.base_frame)

    def header_now(self) -> Header:
        """Return a header in the base frame for the present."""
        return Header(stamp=stamps.message(self.time.now()), frame_id=self.base_frame)

    def call(self, request: Callable[[Robot, float], T]) -> T:
        """Make a request to the robot, with its lock; the request gets the robot and the time (s)."""
        with self.driver.robot() as robot:
            return request(robot, self.driver.clock())

    def snapshot(self) -> RobotSnapshot:
        """Return the present state of the robot."""
        with self.driver.robot() as robot:
            return take_snapshot(robot)

    def warn(self, topic: str, text: str, key: str = "") -> None:
        """Log a warning about a topic, which has no response; the same text (or key) once a minute."""
        if self.throttle.due(f"{topic} {key or text}"):
            self.node.get_logger().warning(f"{topic} {text}")

    def warn_if_failed(self, pending: Pending[Any], name: str, key: str = "") -> None:
        """Log why a request fails whose result nothing waits for.

        The executor logs it: the thread that completes a request holds the robot's lock.

        Args:
            pending: The future outcome.
            name: The topic or parameter that has made the request.
            key: See `warn`.
        """

        def log(outcome: Outcome) -> None:
            if not outcome.success:
                self.warn(name, outcome.message, key)

        def schedule(done: Pending[Any]) -> None:
            if executor := self.node.executor:
                executor.create_task(log, done.result())

        pending.add_done_callback(schedule)


class Interface:
    """A part of the node."""

    #: what handles each type of events; called by the driver's threads, one at a time
    handlers: Mapping[type[Event], Callable[[Any], None]] = {}

    def __init__(self, context: NodeContext) -> None:
        """Create the services of this part."""
        self._context = context
        self._node = context.node
        for cls in type(self).__mro__:
            for name, method in vars(cls).items():
                if served := getattr(method, "ros_service", ""):
                    callback = getattr(self, name)
                    self._node.create_service(SERVICES[served], served, callback, callback_group=context.waiting)

    def publishing(
        self, topic: Topic, convert: Callable[[Any, Header], Any] | None = None, frame: str = ""
    ) -> Callable[[Any], None]:
        """Return a handler of events that publishes each one while its topic has a subscriber.

        The publisher is created at the first event: a robot without the device has no such topic.

        Args:
            topic: The topic.
            convert: Makes the message from an event that has a `stamp`, and its header; None: fields of equal names.
            frame: Frame of the message, with its prefix; "" for the base frame.
        """
        publisher: TopicPublisher | None = None

        def publish(event: Any) -> None:
            nonlocal publisher
            publisher = publisher or topic.publisher(self._node)
            if publisher.subscribed(event.stamp):
                header = self._context.header(event.stamp)
                header.frame_id = frame or header.frame_id
                message = convert(event, header) if convert else message_of(topic.kind, event, header=header)
                publisher.publish(message)

        return publish

    async def outcome(self, request: Callable[[Robot, float], Answer]) -> Any:
        """Make a request to the robot and return its outcome.

        Args:
            request: Gets the robot, with its lock, and the time (s). It may raise RequestRefusedError or ValueError.
        """
        try:
            result = self._context.call(request)
        except (RequestRefusedError, ValueError) as reason:
            return Outcome(False, str(reason))
        if isinstance(result, str):
            return Outcome(True, result)
        return await await_result(self._node, result) if isinstance(result, Pending) else result


def fill_response(response: Any, outcome: Outcome) -> Any:
    """Copy the outcome of a request into `success` and `message` of a response, and return the response."""
    response.success, response.message = outcome.success, outcome.message
    return response


def refuse(response: Any, message: str) -> Any:
    """Return the response of a service that does nothing, with the reason."""
    return fill_response(response, Outcome(False, message))


async def await_result(node: Node, pending: Pending[T]) -> T:
    """Wait for the result of a request; the executor serves other callbacks meanwhile.

    Args:
        node: The node whose executor runs the calling coroutine.
        pending: A future that the robot completes.
    """
    executor = node.executor
    future = Future(executor=executor)

    def complete(done: Pending[T]) -> None:
        future.set_result(done.result())
        executor.wake()

    pending.add_done_callback(complete)
    result: T = await future
    return result
