"""A recording as a port, replay://NAME: what is played below NAME is heard as if on the line."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

from rclpy.event_handler import QoSMessageLostInfo, SubscriptionEventCallbacks
from rclpy.exceptions import NameValidationException
from rclpy.node import Node
from rclpy.qos import HistoryPolicy, QoSProfile

from amigobot_msgs.msg import Packet, RobotConfig

from ..protocol import AmigoShTail, ArcosTail, Config, ErraticConfig, SyncReply
from ..protocol import Packet as RobotPacket
from ..replay import SCHEME, Replay
from .diagnostics import OK, WARN, Finding
from .log import Once
from .parameters import BadParameter

#: Where recorded topics are expected unless the URL says otherwise.
_DEFAULT_NAME = "recorded"
#: Nothing is left out while there is room: a frame that is missing tells a lie.
_ALL = QoSProfile(history=HistoryPolicy.KEEP_ALL)
#: s without a message after which the recording has ended, or is paused.
_IDLE = 2.0


def is_recording(url: str) -> bool:
    return url.startswith(SCHEME)


class Recording:
    """Feeds a `Replay` from the topics below the name in its URL. Raises BadParameter."""

    def __init__(self, node: Node, replay: Replay, once: Once) -> None:
        self._logger = node.get_logger()
        self._replay = replay
        self._once = once
        self._lost = 0  #: messages that found no room on their way, as far as DDS tells
        self._heard_at: float | None = None  #: s of the computer's clock; None: all that has come is told
        name = replay.url.removeprefix(SCHEME).strip("/") or _DEFAULT_NAME
        events = SubscriptionEventCallbacks(message_lost=self._lose)
        try:
            node.create_subscription(RobotConfig, f"{name}/robot_config", self._introduce, _ALL)
            packets = node.create_subscription(Packet, f"{name}/packets", self._hear, _ALL, event_callbacks=events)
        except NameValidationException:
            raise BadParameter(
                f"parameter port is {replay.url!r}, allowed: replay://NAME with the name below which the recorded "
                "packets are played, such as replay://recorded"
            ) from None
        self._topic = packets.topic_name
        self._logger.info(f"waiting for a recording on {self._topic}")

    def look(self) -> None:
        """Call now and then: notices that nothing is played any more."""
        if self._heard_at is not None and time.monotonic() - self._heard_at > _IDLE:
            self._heard_at = None
            self._replay.settle()
            counts = self._replay.counts
            self._logger.info(
                f"the recording has ended, or is paused: {counts.played} packets of the robot in {counts.sessions} "
                f"session(s), {counts.outside} outside; not played: {counts.to_robot} commands, {counts.greetings} "
                f"answers to a handshake; refused {counts.refused}; lost at least {self._lost}"
            )

    def finding(self) -> Finding:
        """How the replay goes, for /diagnostics."""
        counts = dataclasses.asdict(self._replay.counts) | {"lost": self._lost, "topic": self._topic}
        if self._lost:
            return WARN, f"at least {self._lost} recorded packets were lost: play the recording slower", counts
        if counts["refused"]:
            return WARN, f"{counts['refused']} recorded packets were refused, see the log", counts
        return OK, "a recording is played" if self._heard_at is not None else "waiting for a recording", counts

    def _introduce(self, message: RobotConfig) -> None:
        for packet in _packets_of(message):
            self._replay.introduce(packet)
        self._logger.info(f"the recording is of {message.name or 'a robot without a name'}, {message.robot_subclass}")

    def _hear(self, message: Packet) -> None:
        self._heard_at = time.monotonic()
        stamp = message.header.stamp
        try:
            self._replay.feed(bytes(message.data), stamp.sec * 10**9 + stamp.nanosec, to_robot=message.to_robot)
        except ValueError as error:
            if self._once.due("a recorded packet is refused"):
                self._logger.warning(f"a recorded packet is left out: {error}; more of them are only counted")

    def _lose(self, event: QoSMessageLostInfo) -> None:
        self._lost = event.total_count
        if self._once.due("recorded packets are lost"):
            self._logger.warning(f"at least {self._lost} recorded packets were lost: play the recording slower")


def _packets_of(message: RobotConfig) -> Iterator[RobotPacket]:
    """The packets from which a driver made this message; those of a robot that did not answer are left out."""
    if message.name or message.robot_class:
        yield SyncReply(name=message.name, robot_class=message.robot_class, subclass=message.robot_subclass)
    values = dict(zip(message.raw_names, message.raw_values, strict=False))
    if not message.received:
        return
    try:
        if "parameter_version" in values:
            yield ErraticConfig(**_fields(ErraticConfig, values))
            return
        own = _fields(Config, values)
        rest = values.keys() - own.keys()
        tail = AmigoShTail if "version_minor" in rest else ArcosTail
        yield Config(**own, tail=tail(**_fields(tail, values)) if rest else None)
    except (TypeError, ValueError):
        return  # another driver's version; the recorded packets will do


def _fields(kind: type, values: dict[str, str]) -> dict[str, Any]:
    """The values of these fields, in their types."""
    hints = get_type_hints(kind)
    texts = {name for name, hint in hints.items() if str in (hint, *get_args(hint))}
    return {
        field.name: values[field.name] if field.name in texts else int(values[field.name])
        for field in dataclasses.fields(kind)
        if field.name in values
    }
