"""The sounds in FLASH and their playlist (docs/protocol.md 5.8, 8.7). What would be heard becomes an event."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ..protocol import Playlist
from ..wording import counted

#: sounds below this number are the firmware's own cues (docs/protocol.md E-38)
FIRST_USER_SOUND = 50
LAST_SOUND = 255
#: bytes of a sound where nobody says otherwise: half a second at 8 kHz
_LENGTH = 4000

#: The cues that the firmware plays by itself. Their numbers are this simulator's choice: no manual has them.
CUES = {"power-up": 1, "connected": 2, "disconnected": 3, "stall": 4, "low battery": 5}


@dataclass(frozen=True, slots=True)
class Sound:
    """An entry of the playlist; a name that begins with ~ is a group of those that follow, without sound."""

    name: str
    length: int = _LENGTH

    @property
    def is_group(self) -> bool:
        return self.name.startswith("~")


def playlist(names: Iterable[str], first: int = FIRST_USER_SOUND) -> dict[int, Sound]:
    """Sounds of these names with consecutive numbers."""
    return {number: Sound(name, 0 if name.startswith("~") else _LENGTH) for number, name in enumerate(names, first)}


DEFAULT_PLAYLIST = {
    **{number: Sound(name) for name, number in CUES.items()},
    **playlist(
        (
            *("~greetings", "hello", "good morning", "good bye", "thank you", "excuse me"),
            *("~animals", "whoosh", "meow", "woof", "moo", "quack"),
            *("~effects", "bang", "boing", "drum roll", "siren", "laser"),
            *("~music", "scale up", "scale down", "fanfare", "waltz"),
        )
    ),
}


class SoundBoard:
    """Plays, mutes, and lists sounds; `tell` hears what would be audible."""

    def __init__(self, sounds: Mapping[int, Sound], tell: Callable[[str], None]) -> None:
        self._sounds = sounds
        self._tell = tell
        self.restart()

    def restart(self) -> None:
        """Sounds on, nothing to list."""
        self.enabled = True
        self._asked: deque[int] = deque()  # numbers; 0 stands for how many there are

    def switch(self, on: bool) -> None:
        """SOUNDTOG."""
        self.enabled = on

    def play(self, number: int) -> None:
        """SOUND. A group or an empty entry has no sound."""
        sound = self._sounds.get(number)
        if self.enabled and sound is not None and not sound.is_group:
            self._tell(f"{number} {sound.name}".rstrip())

    def cue(self, name: str) -> None:
        """One of the firmware's own."""
        self.play(CUES[name])

    def say(self, tones: bytes) -> None:
        """SAY: pairs of a duration in 20 ms and a half-cycle."""
        if self.enabled and len(tones) > 1:
            seconds = sum(tones[: len(tones) // 2 * 2 : 2]) * 0.02
            self._tell(f"{counted(len(tones) // 2, 'tone')}, {seconds:.1f} s")

    def request_listing(self, number: int) -> None:
        """PLAYLIST: one entry, or for 0 the number of user sounds and then each of them."""
        if number:
            self._asked.append(number)
        else:
            self._asked = deque([0, *self._user_sounds()])

    def next_entry(self) -> Playlist | None:
        """The packet for this info cycle, if one is due."""
        return self._entry(self._asked.popleft()) if self._asked else None

    def _user_sounds(self) -> list[int]:
        return [number for number in sorted(self._sounds) if number >= FIRST_USER_SOUND]

    def _entry(self, number: int) -> Playlist:
        if number == 0:
            return Playlist(number=len(self._user_sounds()), enabled=self.enabled, name="", offset=0, length=0)
        sound = self._sounds.get(number, Sound("", 0))
        before = sum(other.length for place, other in self._sounds.items() if place < number)
        return Playlist(
            number=number,
            enabled=self.enabled,
            name=sound.name[:16],
            offset=before if sound.length else 0,
            length=sound.length,
        )
