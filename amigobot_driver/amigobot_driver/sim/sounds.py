# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The sounds in FLASH and their playlist (docs/protocol 5.8, 8.7). A played sound becomes an event."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping

from ..protocol import Playlist
from ..wording import counted

#: number of the first sound that is not a cue of the firmware (docs/protocol E-38)
FIRST_USER_SOUND = 50
#: bytes of a sound: half a second at 8 kHz
_LENGTH = 4000


def playlist(names: Iterable[str]) -> dict[int, str]:
    """Return sounds by number, numbered consecutively as user sounds; ~ begins the heading of a group."""
    return dict(enumerate(names, FIRST_USER_SOUND))


DEFAULT_PLAYLIST = playlist(
    (
        *("~greetings", "hello", "good morning", "good bye", "thank you", "excuse me"),
        *("~animals", "whoosh", "meow", "woof", "moo", "quack"),
        *("~effects", "bang", "boing", "drum roll", "siren", "laser"),
        *("~music", "scale up", "scale down", "fanfare", "waltz"),
    )
)


class SoundBoard:
    """Plays, mutes and lists sounds."""

    def __init__(self, sounds: Mapping[int, str], on_sound: Callable[[str], None]) -> None:
        """Start with sounds enabled.

        Args:
            sounds: The names in the playlist by number; "" is an empty entry.
            on_sound: Called with a description of each played sound.
        """
        self._sounds = sounds
        self._user_sounds = [number for number in sorted(sounds) if number >= FIRST_USER_SOUND]
        self._on_sound = on_sound
        self.restart()

    def restart(self) -> None:
        """Enable sounds and cancel all requests."""
        self.enabled = True
        self._requested: deque[int] = deque()  # numbers of entries; 0 for the number of sounds

    def switch(self, on: bool) -> None:
        """Execute SOUNDTOG: enable or disable sounds."""
        self.enabled = on

    def play(self, number: int) -> None:
        """Execute SOUND; a group or an empty entry has no sound."""
        name = self._sounds.get(number, "")
        if self.enabled and _length(name):
            self._on_sound(f"{number} {name}")

    def say(self, tones: bytes) -> None:
        """Execute SAY.

        Args:
            tones: Pairs of a duration in 20 ms and a half-cycle.
        """
        if self.enabled and len(tones) > 1:
            seconds = sum(tones[: len(tones) // 2 * 2 : 2]) * 0.02
            self._on_sound(f"{counted(len(tones) // 2, 'tone')}, {seconds:.1f} s")

    def request_listing(self, number: int) -> None:
        """Execute PLAYLIST.

        Args:
            number: Number of the requested entry, of which the low byte counts; 0 for the number of user sounds and
                then each of them.
        """
        if number := number & 0xFF:
            self._requested.append(number)
        else:
            self._requested = deque([0, *self._user_sounds])

    def next_entry(self) -> Playlist | None:
        """Return the requested packet for this info cycle; None if there is no request."""
        if not self._requested:
            return None
        number = self._requested.popleft()
        if number == 0:
            return Playlist(number=len(self._user_sounds), enabled=self.enabled, name="", offset=0, length=0)
        name = self._sounds.get(number, "")
        length = _length(name)
        before = sum(_length(other) for index, other in self._sounds.items() if index < number) if length else 0
        return Playlist(number=number, enabled=self.enabled, name=name[:16], offset=before, length=length)


def _length(name: str) -> int:
    """Return the bytes of an entry: a group or an empty entry has no sound."""
    return _LENGTH if name and not name.startswith("~") else 0
