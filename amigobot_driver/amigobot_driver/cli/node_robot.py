# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A robot behind a running amigobot_node, with the methods of `AmigoBot` that subcommands use. Needs ROS."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from std_srvs.srv import SetBool, Trigger

from amigobot_msgs.msg import IoState as IoMessage
from amigobot_msgs.srv import (
    AuxRead,
    AuxWrite,
    GetRobotConfig,
    ListSounds,
    PlaySound,
    Say,
    SetDigitalOutputs,
    SetRobotConfig,
)

from ..api import AmigoBot, Identity, Sound
from ..errors import ConnectionFailedError, RequestFailedError
from ..protocol import Config, ErraticConfig
from ..protocol.wire import describe
from ..robot import IoState
from .temporary_node import NO_NODE, TemporaryNode

#: s to wait after a service was discovered: an earlier response can get lost.
_SETTLE = 0.3
#: s that a request may take beyond the time that the robot needs.
_MARGIN = 10.0
#: s that reading a list of 255 sounds, or writing 8192 bytes at 9600 baud, may take.
_LONG = 120.0
#: Settings that are text, even one of digits.
_TEXTS = {name for kind in (Config, ErraticConfig) for name, codec, _ in describe(kind) if codec.startswith("text")}


class NodeRobot(TemporaryNode):
    """Asks the node through its services and topics.

    Each method raises ConnectionFailedError if the node does not respond, and RequestFailedError with the message of
    the node if it refuses the request.

    Args:
        namespace: Namespace of the node; "" for the root.
        timeout: Seconds for discovery, and again for a response.
        name: Name of the node that asks.
    """

    def __init__(self, namespace: str, timeout: float, name: str = "amigobot_command") -> None:
        super().__init__(name, namespace.strip("/"))
        self._timeout = timeout
        self._clients: dict[str, Any] = {}

    def call(self, kind: Any, service: str, *, limit: float = 0.0, **fields: Any) -> Any:
        """Call a service, and return its response if it is a success.

        Args:
            kind: Service type.
            service: Name without namespace.
            limit: Seconds that the request itself may take; 0: the usual time.
            fields: Fields of the request.
        """
        name = self.node.resolve_service_name(service)
        if service not in self._clients:
            client = self.node.create_client(kind, service)
            if not client.wait_for_service(timeout_sec=self._timeout):
                raise ConnectionFailedError(f"no service {name}: {NO_NODE}")
            self.spin(_SETTLE)
            self._clients[service] = client
        response = self.result(self._clients[service].call_async(kind.Request(**fields)), name, limit)
        if not response.success:
            raise RequestFailedError(response.message)
        return response

    def result(self, future: Any, what: str, limit: float = 0.0) -> Any:
        """Return the result of a future.

        Args:
            future: That of a request.
            what: What was asked, for messages.
            limit: Seconds to wait for it; 0: the usual time.
        """
        limit = limit or self._timeout
        self.spin(limit, future.done)
        if not future.done():
            raise ConnectionFailedError(f"{what} does not respond within {limit:g} s")
        return future.result()

    def enable_motors(self, on: bool = True) -> str:
        """See `AmigoBot.enable_motors`."""
        return str(self.call(SetBool, "enable_motors", data=on).message)

    def enable_sonar(self, on: bool = True) -> str:
        """See `AmigoBot.enable_sonar`."""
        return str(self.call(SetBool, "enable_sonar", data=on).message)

    def enable_sounds(self, on: bool = True) -> str:
        """See `AmigoBot.enable_sounds`."""
        return str(self.call(SetBool, "enable_sounds", data=on).message)

    def reset_odometry(self) -> None:
        """See `AmigoBot.reset_odometry`."""
        self.call(Trigger, "reset_odometry")

    @property
    def identity(self) -> Identity:
        """See `AmigoBot.identity`."""
        config = self.call(GetRobotConfig, "get_robot_config").config
        return Identity(
            name=config.name,
            robot_class=config.robot_class,
            subclass=config.robot_subclass,
            serial_number=config.serial_number,
            firmware_version=config.firmware_version,
        )

    def get_config(self) -> dict[str, int | str]:
        """See `AmigoBot.get_config`."""
        config = self.call(GetRobotConfig, "get_robot_config").config
        pairs = zip(config.raw_names, config.raw_values, strict=True)
        return {
            name: int(value) if name not in _TEXTS and value.removeprefix("-").isdecimal() else value
            for name, value in pairs
        }

    def set_config(self, values: Mapping[str, int]) -> None:
        """See `AmigoBot.set_config`."""
        self.call(SetRobotConfig, "set_robot_config", names=list(values), values=list(values.values()))

    def set_digital_outputs(self, mask: int, states: int) -> int:
        """See `AmigoBot.set_digital_outputs`."""
        return int(self.call(SetDigitalOutputs, "set_digital_outputs", mask=mask, states=states).outputs)

    def list_sounds(self) -> tuple[Sound, ...]:
        """See `AmigoBot.list_sounds`."""
        sounds = self.call(ListSounds, "list_sounds", limit=_LONG).sounds
        return tuple(Sound(sound.number, sound.name, sound.group, sound.length) for sound in sounds)

    find_sounds = AmigoBot.find_sounds  # searches list_sounds

    def play_sound(self, sound: int | str) -> str:
        """See `AmigoBot.play_sound`."""
        fields = {"number" if isinstance(sound, int) else "name": sound}
        return str(self.call(PlaySound, "play_sound", **fields).message)

    def say(self, tones: Sequence[tuple[float, float]]) -> str:
        """See `AmigoBot.say`."""
        durations, frequencies = [s for s, _ in tones], [hertz for _, hertz in tones]
        return str(self.call(Say, "say", durations=durations, frequencies=frequencies).message)

    def aux_write(self, port: int, data: bytes) -> int:
        """See `AmigoBot.aux_write`."""
        return int(self.call(AuxWrite, "aux_write", limit=_LONG, port=port, data=data).written)

    def aux_read(self, port: int, *, timeout: float = 1.0) -> bytes:
        """See `AmigoBot.aux_read`."""
        return bytes(self.call(AuxRead, "aux_read", limit=timeout + _MARGIN, port=port, timeout=timeout).data)

    @property
    def io(self) -> IoState:
        """See `AmigoBot.io`."""
        messages: list[IoMessage] = []
        subscription = self.node.create_subscription(IoMessage, "io", messages.append, 1)
        self.spin(self._timeout, lambda: messages)
        self.node.destroy_subscription(subscription)
        if not messages:
            name = self.node.resolve_topic_name("io")
            raise ConnectionFailedError(f"{name}: nothing within {self._timeout:g} s; {NO_NODE}")
        message = messages[0]
        return IoState(
            digital_inputs=message.digital_inputs,
            digital_outputs=message.digital_outputs,
            more_digital_inputs=tuple(message.more_digital_inputs),
            analog=tuple(message.analog),
            selected_port=message.selected_port,
            selected_analog=None if math.isnan(message.selected_analog) else message.selected_analog,
        )
