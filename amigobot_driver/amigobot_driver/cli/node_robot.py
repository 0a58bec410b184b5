# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A robot behind a running amigobot_node, with the methods of `AmigoBot` that verbs use."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

from ..api import IoState, Sound
from ..errors import RequestFailedError
from .errors import UsageError

T = TypeVar("T")


class NodeRobot:
    """Asks the node through its services and topics. Needs ROS.

    Args:
        namespace: Namespace of the node; "" for the root.
        timeout: Seconds to wait for the node.

    Raises:
        ImportError: ROS 2 is not set up.
    """

    def __init__(self, namespace: str, timeout: float) -> None:
        from ..ros.client import NodeClient

        self._client = NodeClient(namespace, timeout=timeout)

    def __enter__(self) -> NodeRobot:
        return self

    def __exit__(self, *exception: object) -> None:
        self._client.close()

    @property
    def io(self) -> IoState:
        """See `AmigoBot.io`."""
        message = _answered(self._client.io)
        return IoState(
            digital_inputs=message.digital_inputs,
            digital_outputs=message.digital_outputs,
            more_digital_inputs=tuple(message.more_digital_inputs),
            analog=tuple(message.analog),
            selected_port=message.selected_port,
            selected_analog=None if math.isnan(message.selected_analog) else message.selected_analog,
        )

    def set_digital_outputs(self, mask: int, states: int) -> int:
        """See `AmigoBot.set_digital_outputs`."""
        return _answered(lambda: self._client.set_digital_outputs(mask, states))

    def list_sounds(self) -> tuple[Sound, ...]:
        """See `AmigoBot.list_sounds`."""
        return tuple(Sound(*entry) for entry in _answered(self._client.list_sounds))

    def find_sounds(self, text: str) -> tuple[Sound, ...]:
        """See `AmigoBot.find_sounds`."""
        found = (sound for sound in self.list_sounds() if text.casefold() in sound.name.casefold())
        return tuple(sound for sound in found if not sound.is_group)

    def play_sound(self, sound: int | str) -> str:
        """See `AmigoBot.play_sound`."""
        return _answered(lambda: self._client.play_sound(sound))

    def say(self, tones: Sequence[tuple[float, float]]) -> str:
        """See `AmigoBot.say`."""
        return _answered(lambda: self._client.say(tones))

    def aux_write(self, port: int, data: bytes) -> int:
        """See `AmigoBot.aux_write`."""
        return _answered(lambda: self._client.aux_write(port, data))

    def aux_read(self, port: int, *, timeout: float = 1.0) -> bytes:
        """See `AmigoBot.aux_read`."""
        return _answered(lambda: self._client.aux_read(port, timeout))


def _answered(ask: Callable[[], T]) -> T:
    """The answer of a node, with the exceptions of the verbs."""
    from ..ros.client import Failed, NoResponse

    try:
        return ask()
    except NoResponse as error:
        raise UsageError(str(error)) from None
    except Failed as error:
        raise RequestFailedError(str(error)) from None
