"""A recording as a port, replay://NAME: what is played below NAME is heard as if on the line."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from enum import Enum, auto
from typing import Any, get_args, get_type_hints

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.event_handler import QoSMessageLostInfo, SubscriptionEventCallbacks
from rclpy.exceptions import NameValidationException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile
from rclpy.task import Future
from rosbag2_interfaces.srv import IsPaused, Resume

from amigobot_msgs.msg import Packet, RobotConfig

from ..protocol import AmigoShTail, ArcosTail, Config, ErraticConfig, SyncReply
from ..protocol import Packet as RobotPacket
from ..replay import SCHEME, MissingPackets, Replay
from .diagnostics import OK, WARN, Finding
from .log import LogThrottle
from .parameters import BadParameter

#: Where recorded topics are expected unless the URL says otherwise.
_DEFAULT_NAME = "recorded"
#: Nothing is left out while there is room: a frame that is missing tells a lie.
_ALL = QoSProfile(history=HistoryPolicy.KEEP_ALL)
#: robot_config is recorded as a latched topic, and may be played before this node is there.
_LATCHED = QoSProfile(history=HistoryPolicy.KEEP_ALL, durability=DurabilityPolicy.TRANSIENT_LOCAL)
#: s between two looks for a player, and until a request that it has not answered is repeated.
_LOOK, _REPEAT = 0.1, 2.0
#: s without a message after which the recording has ended, or is paused.
_IDLE = 2.0


def is_recording(url: str) -> bool:
    return url.startswith(SCHEME)


class RecordingInput:
    """Feeds a `Replay` from the topics below the name in its URL. Raises BadParameter."""

    def __init__(self, node: Node, replay: Replay, throttle: LogThrottle) -> None:
        self._logger = node.get_logger()
        self._replay = replay
        self._throttle = throttle
        self._lost = 0  #: messages that found no room on their way, as far as DDS tells
        self._missing = MissingPackets()
        self._heard_at: float | None = None  #: s of the computer's clock; None: all that has come is told
        name = replay.url.removeprefix(SCHEME).strip("/") or _DEFAULT_NAME
        events = SubscriptionEventCallbacks(message_lost=self._lose)
        try:
            node.create_subscription(RobotConfig, f"{name}/robot_config", self._introduce, _LATCHED)
            packets = node.create_subscription(Packet, f"{name}/packets", self._hear, _ALL, event_callbacks=events)
        except NameValidationException:
            raise BadParameter(
                f"parameter port is {replay.url!r}, allowed: replay://NAME with the name below which the recorded "
                "packets are played, such as replay://recorded"
            ) from None
        self._topic = packets.topic_name
        # After the subscriptions: see PausedPlayer.
        self._player = PausedPlayer(node, name, self._topic)
        self._logger.info(f"waiting for a recording on {self._topic}")

    def look(self) -> None:
        """Call now and then: notices that nothing is played any more."""
        if self._heard_at is not None and time.monotonic() - self._heard_at > _IDLE:
            self._heard_at = None
            self._replay.settle()
            counts = self._replay.counts
            self._logger.info(
                f"the recording has ended, or is paused: {self._completeness()}; {counts.played} packets of the robot "
                f"in {counts.sessions} session(s), {counts.outside} outside; not played: {counts.to_robot} commands, "
                f"{counts.greetings} answers to a handshake; refused {counts.refused}"
            )

    def finding(self) -> Finding:
        """How the replay goes, for /diagnostics."""
        counts = dataclasses.asdict(self._replay.counts) | {
            "lost": self._packets_lost(),
            "missing_in_recording": self._missing.recorded,
            "before_recording": "unknown" if self._missing.before is None else self._missing.before,
            "topic": self._topic,
        }
        if self._packets_lost() or self._missing.recorded:
            return WARN, self._completeness(), counts
        if counts["refused"]:
            return WARN, f"{counts['refused']} recorded packets were refused, see the log", counts
        return OK, "a recording is played" if self._heard_at is not None else "waiting for a recording", counts

    def _packets_lost(self) -> int:
        """Packets that were played and did not arrive; DDS and the numbers of the packets may each know of more."""
        return max(self._lost, self._missing.played)

    def _completeness(self) -> str:
        """Whether all packets of the recorded driver have arrived, and which have not."""
        missing, found = self._missing, []
        if lost := self._packets_lost():
            found.append(f"{lost} packets were lost between the player and here: play the recording slower")
        if missing.recorded:
            found.append(f"{missing.recorded} packets are missing in it")
        if missing.before:
            found.append(f"it begins after {missing.before} packets that were not recorded")
        if self._replay.counts.joined:
            found.append("it begins in an open session, without the handshake")
        if missing.before is None:
            found.append("its packets have no numbers, so whether some are missing is unknown")
        if not self._replay.identified:
            found.append("nothing in it says which robot it is: give robot:=NAME")
        return "; ".join(found) or "it is complete"

    def _introduce(self, message: RobotConfig) -> None:
        for packet in _packets_of(message):
            self._replay.introduce(packet)
        self._logger.info(f"the recording is of {message.name or 'a robot without a name'}, {message.robot_subclass}")

    def _hear(self, message: Packet, info: dict[str, int | None]) -> None:
        self._heard_at = time.monotonic()
        self._missing.count(message.sequence, info.get("publication_sequence_number"))
        stamp = message.header.stamp
        try:
            self._replay.feed(bytes(message.data), stamp.sec * 10**9 + stamp.nanosec, to_robot=message.to_robot)
        except ValueError as error:
            if self._throttle.due("a recorded packet is refused"):
                self._logger.warning(f"a recorded packet is left out: {error}; more of them are only counted")

    def _lose(self, event: QoSMessageLostInfo) -> None:
        self._lost = event.total_count
        if self._throttle.due("recorded packets are lost"):
            self._logger.warning(f"at least {self._lost} recorded packets were lost: play the recording slower")


class _Stage(Enum):
    """How far a player is known."""

    ABSENT = auto()
    ASKED = auto()  #: whether it is paused
    KNOWN = auto()


class PausedPlayer:
    """Resumes a player that was started paused, as soon as it sends this node every packet.

    That this node sees the player's publisher is not enough: the player must know of the subscription. Both it and the
    client of the service are announced to the player over one channel that keeps their order. The subscription was made
    first, so a player that has answered a request knows of it.
    """

    def __init__(self, node: Node, name: str, topic: str) -> None:
        self._node = node
        self._topic = topic
        self._is_paused = node.create_client(IsPaused, f"{name}/rosbag2_player/is_paused")
        self._resume = node.create_client(Resume, f"{name}/rosbag2_player/resume")
        self._stage = _Stage.ABSENT
        self._asked_at = 0.0  #: s of the computer's clock
        # Not the node's clock: it is the player's, which is paused.
        node.create_timer(_LOOK, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _look(self) -> None:
        if not (self._is_paused.service_is_ready() and self._resume.service_is_ready()):
            self._stage = _Stage.ABSENT
            return
        silent = self._stage is _Stage.ASKED and time.monotonic() - self._asked_at > _REPEAT
        if (self._stage is _Stage.ABSENT or silent) and self._node.count_publishers(self._topic):
            self._stage, self._asked_at = _Stage.ASKED, time.monotonic()
            self._is_paused.call_async(IsPaused.Request()).add_done_callback(self._answered)

    def _answered(self, answer: Future) -> None:
        if self._stage is not _Stage.ASKED:
            return  # the answer to a request that was repeated
        if not answer.result().paused:
            self._stage = _Stage.KNOWN
            return
        self._asked_at = time.monotonic()
        self._resume.call_async(Resume.Request()).add_done_callback(self._resumed)

    def _resumed(self, _: Future) -> None:
        if self._stage is _Stage.ASKED:
            self._stage = _Stage.KNOWN
            self._node.get_logger().info("the player is ready, and so is this node: the recording is played now")


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
