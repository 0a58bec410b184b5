# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The sounds in FLASH and their playlist (docs/protocol 5.8, 8.7). A played sound becomes an event."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ..protocol import Playlist
from ..wording import counted

#: number of the first sound that is not a cue of the firmware (docs/protocol E-38)
FIRST_USER_SOUND = 50
LAST_SOUND = 255
#: bytes of a sound without a given length: half a second at 8 kHz
_LENGTH = 4000


@dataclass(frozen=True, slots=True)
class PlaylistEntry:
    """An entry of the playlist, with its length in bytes; a name that begins with ~ is a group heading."""

    name: str
    length: int = _LENGTH

    @property
    def is_group(self) -> bool:
        """Whether the entry is the heading of a group."""
        return self.name.startswith("~")


def playlist(names: Iterable[str], first: int = FIRST_USER_SOUND) -> dict[int, PlaylistEntry]:
    """Number sounds consecutively.

    Args:
        names: Names of the sounds.
        first: Number of the first one.

    Returns:
        The sounds by number.
    """
    entries = (PlaylistEntry(name, 0 if name.startswith("~") else _LENGTH) for name in names)
    return dict(enumerate(entries, first))


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

    def __init__(self, sounds: Mapping[int, PlaylistEntry], on_sound: Callable[[str], None]) -> None:
        """Start with sounds enabled.

        Args:
            sounds: The playlist by number.
            on_sound: Called with a description of each played sound.
        """
        self._sounds = sounds
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
        sound = self._sounds.get(number)
        if self.enabled and sound is not None and not sound.is_group:
            self._on_sound(f"{number} {sound.name}".rstrip())

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
            self._requested = deque([0, *self._user_sounds()])

    def next_entry(self) -> Playlist | None:
        """Return the requested packet for this info cycle; None if there is no request."""
        return self._entry(self._requested.popleft()) if self._requested else None

    def _user_sounds(self) -> list[int]:
        return [number for number in sorted(self._sounds) if number >= FIRST_USER_SOUND]

    def _entry(self, number: int) -> Playlist:
        if number == 0:
            return Playlist(number=len(self._user_sounds()), enabled=self.enabled, name="", offset=0, length=0)
        sound = self._sounds.get(number, PlaylistEntry("", 0))
        before = sum(entry.length for other, entry in self._sounds.items() if other < number) if sound.length else 0
        name, length = sound.name[:16], sound.length
        return Playlist(number=number, enabled=self.enabled, name=name, offset=before, length=length)
