# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The sounds of the robot: list, search, play, and tones."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import RequestRefusedError
from ..robot.devices.sounds import is_group
from ..robot.devices.tones import HALF_CYCLE
from .arguments import integer
from .connection import Connection
from .values import Sound

#: s that reading the list may take: 255 entries on a bad line.
_LIST_LIMIT = 120.0


class Sounds(Connection):
    """Stored sounds and tones."""

    def list_sounds(self, *, refresh: bool = False) -> tuple[Sound, ...]:
        """Read the list of sounds. The first time takes about 0.13 s for each entry; later calls return at once.

        Args:
            refresh: Read it again.

        Returns:
            The sounds and the headings of their groups, by number.

        Raises:
            RequestRefusedError: This robot has no list of sounds.
            RequestFailedError: The list is not complete; the message says what is missing.
            ConnectionLostError: The robot is not connected.
        """
        self._request(lambda robot, now: robot.sounds.list(refresh, now), limit=_LIST_LIMIT)
        with self._locked() as (robot, _):
            playlist = tuple(robot.sounds.playlist)
        return tuple(Sound(entry.number, entry.name, is_group(entry), entry.length) for entry in playlist)

    def find_sounds(self, text: str) -> tuple[Sound, ...]:
        """Search the list of sounds.

        Args:
            text: Part of the name, capitals or not.

        Returns:
            The sounds with this text in their name; () if there is none.

        Raises:
            RequestRefusedError: This robot has no list of sounds.
            RequestFailedError: The list is not complete.
            ConnectionLostError: The robot is not connected.
        """
        found = (sound for sound in self.list_sounds() if text.casefold() in sound.name.casefold())
        return tuple(sound for sound in found if not sound.is_group)

    def play_sound(self, sound: int | str) -> str:
        """Play a stored sound once.

        Args:
            sound: Number from 1 to 255, or a name of `list_sounds`, capitals or not.

        Returns:
            What was sent. The robot does not report what it plays.

        Raises:
            RequestRefusedError: The robot has no such sound, or its sounds are off.
            RequestFailedError: The robot does not answer.
            ConnectionLostError: The robot is not connected.
        """
        number = self._number(sound) if isinstance(sound, str) else integer("sound", sound)
        return self._request(lambda robot, now: robot.sounds.play(number, now)).message

    def say(self, tones: Sequence[tuple[float, float]], *, half_cycle: float = HALF_CYCLE) -> str:
        """Play tones once.

        Args:
            tones: Up to 20 pairs: seconds (0.02 to 5.1) and Hz (about 20 to 5000; 0 is a rest).
            half_cycle: Seconds per half-cycle count (undocumented; tune by ear). ARCOS takes notes and ignores it.

        Returns:
            What was sent. The robot does not report what it plays.

        Raises:
            RequestRefusedError: A value is out of range, or this robot plays no tones.
            ConnectionLostError: The robot is not connected.
        """
        try:
            durations, frequencies = [duration for duration, _ in tones], [frequency for _, frequency in tones]
            return self._request(lambda robot, now: robot.sounds.say(durations, frequencies, half_cycle)).message
        except (TypeError, ValueError, ZeroDivisionError) as error:
            raise RequestRefusedError(str(error)) from None

    def enable_sounds(self, on: bool = True) -> str:
        """Switch the sounds, and wait until the robot has confirmed it.

        Args:
            on: False mutes the robot.

        Returns:
            What the robot has confirmed.

        Raises:
            RequestRefusedError: This robot has no such command.
            RequestFailedError: The robot has not done it.
            ConnectionLostError: The robot is not connected.
        """
        return self._request(lambda robot, now: robot.sounds.switch(bool(on), now)).message

    def _number(self, name: str) -> int:
        self.list_sounds()
        with self._locked() as (robot, _):
            try:
                return robot.sounds.find(name)
            except LookupError as error:
                raise RequestRefusedError(str(error)) from None
