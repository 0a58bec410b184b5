# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A recording as a port, replay://NAME: packets played on topics below NAME are processed as if they came by cable."""

from __future__ import annotations

import dataclasses
import time

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.event_handler import QoSMessageLostInfo, SubscriptionEventCallbacks
from rclpy.exceptions import NameValidationException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile
from rclpy.task import Future
from rosbag2_interfaces.srv import IsPaused, Resume

from amigobot_msgs.msg import Packet, RobotConfig

from ..doctor import Finding, Severity
from ..protocol import SyncReply
from ..replay import MissingPackets, Replay
from ..wording import counted
from .log import LogThrottle
from .node_parameters import REPLAY_SCHEME, BadParameterError

#: Default of NAME in the URL.
_DEFAULT_NAME = "recorded"
#: Keep all: a missing frame would falsify the replay.
_ALL = QoSProfile(history=HistoryPolicy.KEEP_ALL)
#: robot_config is recorded as a latched topic, and may be played before this node starts.
_LATCHED = QoSProfile(history=HistoryPolicy.KEEP_ALL, durability=DurabilityPolicy.TRANSIENT_LOCAL)
_CHECK_PERIOD = 0.1  #: s between two checks for a player
#: s between two requests to a player. In this time the subscribers are discovered, then it is resumed.
_DISCOVERY = 2.0
_IDLE = 2.0  #: s without a message after which the recording counts as ended or paused


def _packets(number: int, kind: str = "") -> str:
    """Return the beginning of a sentence on packets: "1 packet was", "2 recorded packets were"."""
    return f"{counted(number, f'{kind} packet'.strip())} {'was' if number == 1 else 'were'}"


class RecordedTime:
    """Stamps of the recording that is replayed."""

    def __init__(self, replay: Replay) -> None:
        self.of = replay.recorded
        self._clock = replay.clock

    def now(self) -> int:
        """Return the stamp (ns) of the present."""
        return self.of(self._clock())


class RecordingInput:
    """Feeds a `Replay` from the topics below the name in its URL.

    Raises:
        BadParameterError: The name in the URL is not a valid topic name.
    """

    def __init__(self, node: Node, replay: Replay, throttle: LogThrottle) -> None:
        self._logger = node.get_logger()
        self._replay = replay
        self._throttle = throttle
        self._lost = 0  #: messages that DDS reports as lost
        self._missing = MissingPackets()
        self._received_at: float | None = None  #: s of the monotonic clock; None while nothing is played
        name = replay.url.removeprefix(REPLAY_SCHEME).strip("/") or _DEFAULT_NAME
        events = SubscriptionEventCallbacks(message_lost=self._on_lost)
        try:
            node.create_subscription(RobotConfig, f"{name}/robot_config", self._on_config, _LATCHED)
            packets = node.create_subscription(Packet, f"{name}/packets", self._on_packet, _ALL, event_callbacks=events)
        except NameValidationException:
            raise BadParameterError(
                f"parameter port is {replay.url!r}, allowed: replay://NAME with the name below which the recorded "
                "packets are played, such as replay://recorded"
            ) from None
        self._topic = packets.topic_name
        # After the subscriptions, see PausedPlayer.
        self._player = PausedPlayer(node, name, self._topic)
        self._logger.info(f"waiting for a recording on {self._topic}")

    def check(self) -> None:
        """Detect the end of the recording; call this about once a second."""
        if self._received_at is not None and time.monotonic() - self._received_at > _IDLE:
            self._received_at = None
            self._replay.settle()
            counts = self._replay.counts
            self._logger.info(
                f"the recording has ended or is paused: {self._completeness()}; "
                f"{counted(counts.played, 'packet')} of the robot in {counted(counts.sessions, 'session')}, "
                f"{counts.outside} outside; not played: {counted(counts.to_robot, 'command')}, "
                f"{counted(counts.greetings, 'handshake reply', 'handshake replies')}; refused: {counts.refused}"
            )

    def finding(self) -> Finding:
        """Return the diagnostics status of the replay."""
        counts = dataclasses.asdict(self._replay.counts) | {
            "lost": self._lost,
            "missing_in_recording": self._missing.recorded,
            "before_recording": "unknown" if self._missing.before is None else self._missing.before,
            "topic": self._topic,
        }
        if self._lost or self._missing.recorded:
            return Finding("replay", Severity.WARNING, self._completeness(), values=counts)
        if counts["refused"]:
            refused = f"{_packets(counts['refused'], 'recorded')} refused, see the log"
            return Finding("replay", Severity.WARNING, refused, values=counts)
        playing = "playing a recording" if self._received_at is not None else "waiting for a recording"
        return Finding("replay", Severity.OK, playing, values=counts)

    def _completeness(self) -> str:
        """Describe whether all packets of the recorded driver have arrived up to now; how many follow is unknown."""
        missing, found = self._missing, []
        if self._lost:
            found.append(f"{_packets(self._lost)} lost between the player and this node: play the recording slower")
        if missing.recorded:
            found.append(f"{_packets(missing.recorded)} lost while it was recorded")
        if missing.before:
            found.append(f"before it {_packets(missing.before)} not recorded")
        if self._replay.counts.joined:
            found.append("it begins in an open session, without the handshake")
        if missing.before is None:
            found.append("its packets have no numbers, so missing packets cannot be detected")
        if not self._replay.identified:
            found.append("it does not name the robot: give robot:=NAME")
        return "; ".join(found) or "it is complete so far"

    def _on_config(self, message: RobotConfig) -> None:
        name, model = message.name, message.robot_subclass
        if name or message.robot_class:  # else the robot has not replied yet
            self._replay.identify(SyncReply(name=name, robot_class=message.robot_class, subclass=model))
        self._logger.info(f"the recording is of {name or 'a robot without a name'}, {model}")

    def _on_packet(self, message: Packet) -> None:
        self._received_at = time.monotonic()
        self._missing.count(message.sequence)
        stamp = message.header.stamp
        try:
            self._replay.feed(bytes(message.data), stamp.sec * 10**9 + stamp.nanosec, to_robot=message.to_robot)
        except ValueError as error:
            if self._throttle.due("a recorded packet is refused"):
                self._logger.warning(f"a recorded packet is ignored: {error}; further ones are only counted")

    def _on_lost(self, event: QoSMessageLostInfo) -> None:
        self._lost = event.total_count
        if self._throttle.due("recorded packets are lost"):
            self._logger.warning(f"at least {_packets(self._lost, 'recorded')} lost: play the recording slower")


class PausedPlayer:
    """Resumes a paused player as soon as this node receives every packet, and the subscribers receive every result.

    For the packets it is not enough that this node has discovered the publisher: the player must have discovered the
    subscription. DDS announces the subscription and the service client over one ordered channel, and the subscription
    was created first. So a player that responds to a service request has discovered the subscription.

    How many subscribers the results have is not known: they get a fixed time.
    """

    def __init__(self, node: Node, name: str, topic: str) -> None:
        self._node = node
        self._topic = topic
        self._is_paused = node.create_client(IsPaused, f"{name}/rosbag2_player/is_paused")
        self._resume = node.create_client(Resume, f"{name}/rosbag2_player/resume")
        self._paused = self._playing = False  #: according to the player's last response
        self._ask_at = 0.0  #: s of the monotonic clock
        # A steady clock: the clock of the node is the player's, which is paused.
        node.create_timer(_CHECK_PERIOD, self._check, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _check(self) -> None:
        if not (self._is_paused.service_is_ready() and self._resume.service_is_ready()):
            self._paused = self._playing = False
        elif not self._playing and time.monotonic() >= self._ask_at and self._node.count_publishers(self._topic):
            self._ask_at = time.monotonic() + _DISCOVERY
            if self._paused:
                self._resume.call_async(Resume.Request()).add_done_callback(self._on_resumed)
            else:
                self._is_paused.call_async(IsPaused.Request()).add_done_callback(self._on_response)

    def _on_response(self, response: Future) -> None:
        self._paused = response.result().paused
        self._playing = not self._paused

    def _on_resumed(self, _: Future) -> None:
        self._playing = True
        self._node.get_logger().info("player and node are ready: playing the recording")
