# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Calls services of a running driver node from a command-line program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from amigobot_msgs.msg import IoState, RobotConfig
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

from .temporary_node import TemporaryNode

_TRIES = 2
#: s to wait after a service was discovered: an earlier response can get lost.
_SETTLE = 0.3
#: s beyond the time that the robot needs for a request, for its transport.
_MARGIN = 10.0
#: s that reading a list of 255 sounds, or writing 8192 bytes at 9600 baud, may take.
_LIST_LIMIT, _WRITE_LIMIT = 120.0, 120.0


class NoResponse(Exception):
    """A service does not exist or does not respond. The message names the service and says what to do."""


class Failed(Exception):
    """A request failed. The message is that of the node's response."""


class NodeClient(TemporaryNode):
    """A client of one driver node. Ends with `close` or with its `with` block.

    Args:
        namespace: Namespace of the node; "" for the root.
        timeout: Seconds for discovery, and again for a response.
    """

    def __init__(self, namespace: str, *, timeout: float = 10.0) -> None:
        self.prefix = f"/{namespace.strip('/')}/" if namespace.strip("/") else "/"
        self._timeout = timeout
        super().__init__("amigobot_command")
        self._clients: dict[str, Any] = {}

    def call(self, kind: Any, service: str, *, limit: float = 0.0, repeat: bool = False, **fields: Any) -> Any:
        """Call a service.

        Args:
            kind: Service type.
            service: Name without namespace.
            limit: Seconds that the request itself may take; 0: the time-out of the client.
            repeat: Call again if no response comes, for requests that may be made twice.
            fields: Fields of the request.

        Returns:
            The response.

        Raises:
            NoResponse: The service does not exist or does not respond.
        """
        name, limit = f"{self.prefix}{service}", limit or self._timeout
        client = self._client(kind, name)
        tries = _TRIES if repeat else 1
        for _ in range(tries):
            future = client.call_async(kind.Request(**fields))
            self.spin(limit / tries, future.done)
            if future.done():
                return future.result()
        raise NoResponse(f"{name} does not respond within {limit:g} s")

    def confirmed(self, kind: Any, service: str, *, limit: float = 0.0, **fields: Any) -> Any:
        """Call a service once, and return its response if it is a success.

        Raises:
            Failed: It is not; the message is that of the node.
            NoResponse: The service does not exist or does not respond.
        """
        response = self.call(kind, service, limit=limit, **fields)
        if not response.success:
            raise Failed(response.message)
        return response

    def play_sound(self, sound: int | str) -> str:
        """Play a stored sound by number or name. Returns what was sent; raises as `confirmed`."""
        fields = {"number" if isinstance(sound, int) else "name": sound}
        return str(self.confirmed(PlaySound, "play_sound", **fields).message)

    def list_sounds(self) -> tuple[tuple[int, str, bool, int], ...]:
        """Return the list of sounds in the robot.

        Returns:
            For each sound: number (1 to 255), name, whether it is the heading of a group, and length in bytes.

        Raises:
            Failed: The list is not complete.
            NoResponse: The service does not exist or does not respond.
        """
        response = self.confirmed(ListSounds, "list_sounds", limit=_LIST_LIMIT)
        return tuple((sound.number, sound.name, sound.group, sound.length) for sound in response.sounds)

    def say(self, tones: Sequence[tuple[float, float]]) -> str:
        """Play tones (s, Hz). Returns what was sent; raises as `confirmed`."""
        durations, frequencies = [s for s, _ in tones], [hertz for _, hertz in tones]
        return str(self.confirmed(Say, "say", durations=durations, frequencies=frequencies).message)

    def set_digital_outputs(self, mask: int, states: int) -> int:
        """Switch digital outputs. Returns all outputs; raises as `confirmed`."""
        return int(self.confirmed(SetDigitalOutputs, "set_digital_outputs", mask=mask, states=states).outputs)

    def io(self) -> IoState:
        """Return the next message of the topic io.

        Raises:
            NoResponse: None comes.
        """
        messages: list[IoState] = []
        subscription = self.node.create_subscription(IoState, f"{self.prefix}io", messages.append, 1)
        self.spin(self._timeout, lambda: messages)
        self.node.destroy_subscription(subscription)
        if not messages:
            raise NoResponse(f"{self.prefix}io: nothing within {self._timeout:g} s; {_REMEDY}")
        return messages[0]

    def aux_write(self, port: int, data: bytes) -> int:
        """Write bytes to an auxiliary port. Returns how many; raises as `confirmed`."""
        return int(self.confirmed(AuxWrite, "aux_write", limit=_WRITE_LIMIT, port=port, data=data).written)

    def aux_read(self, port: int, timeout: float) -> bytes:
        """Return the bytes that come from an auxiliary port within a time (s).

        Raises:
            Failed: There is no such port.
            NoResponse: The service does not exist or does not respond.
        """
        return bytes(self.confirmed(AuxRead, "aux_read", limit=timeout + _MARGIN, port=port, timeout=timeout).data)

    def _client(self, kind: Any, name: str) -> Any:
        if name not in self._clients:
            client = self.node.create_client(kind, name)
            if not client.wait_for_service(timeout_sec=self._timeout):
                raise NoResponse(f"no service {name}: {_REMEDY}")
            self.spin(_SETTLE)
            self._clients[name] = client
        return self._clients[name]


_REMEDY = "is amigobot_node running in this namespace and ROS_DOMAIN_ID?"


def configuration(
    namespace: str, values: Mapping[str, int] | None = None, *, timeout: float = 10.0
) -> tuple[str, RobotConfig]:
    """Set tuning values and read the configuration of the robot.

    Args:
        namespace: Namespace of the node; "" for the root.
        values: Values to set first, by CONFIG field; None sets nothing.
        timeout: Seconds for discovery, and again for the response.

    Returns:
        An error message ("" on success), and the configuration that the robot reports.

    Raises:
        NoResponse: The node does not respond.
    """
    with NodeClient(namespace, timeout=timeout) as client:
        if values is None:
            response = client.call(GetRobotConfig, "get_robot_config", repeat=True)
        else:
            fields = {"names": list(values), "values": list(values.values())}
            response = client.call(SetRobotConfig, "set_robot_config", repeat=True, **fields)
    return "" if response.success else response.message, response.config
