# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The stored sounds: their playlist, on and off, and playing one (docs/protocol 5.8; AmigoBot manual, ch. 5).

PLAYLIST 0 makes the robot send the number of its user sounds, then one packet for each in every info cycle; PLAYLIST n
sends one. The system's sounds, which PLAYLIST 0 leaves out, are requested one by one. Lost packets are reported, and
another listing adds them. The answers also report whether sounds are on; no other packet does. No packet reports that a
sound is played, so SOUND and SAY are sent once: sent again, they would play again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future

from ...errors import RequestRefusedError
from ...protocol import Command, Instruction, Playlist
from ...wording import counted
from ..component import Context
from ..outcome import Outcome, finished
from ..request import RequestComponent, RetryPolicy
from .switch import Switch
from .tones import HALF_CYCLE, tone_pairs

#: s without an entry after which the answer to PLAYLIST 0 has ended: all entries have come, or some are missing.
QUIET = 0.8
LATE = 3.0  # a busy computer may be late by more than a second
#: The manual's system sounds end here; its user sounds begin at this number or the next (docs/protocol E-38).
LAST_SYSTEM_SOUND = 49
LAST_SOUND = 255  #: the highest number
#: s for one entry: user entries come with an info cycle each, system entries take a request and its answer.
ENTRY_TIME = 0.13
#: A group's name begins with this; it has no sound itself, it is a heading over the entries that follow.
_GROUP = "~"
#: Letter of the firmware in a profile that takes notes instead of half-cycles.
_ARCOS = "C"


#: A PLAYLISTpac waits for its info cycle and, at 9600 baud, for the SIP.
_RETRIES = RetryPolicy(interval=0.4, limit=8)


class _SoundSwitch(Switch):
    """Whether sounds are on: the answers to PLAYLIST report it."""

    retries = _RETRIES
    confirmed_by = (Playlist,)

    def _state(self, packet: Playlist) -> bool:
        return bool(packet.enabled)

    def _commands(self) -> list[Instruction]:
        unreadable = self._context.unsupported(Command.PLAYLIST)
        return super()._commands() + ([] if unreadable else [Command.PLAYLIST(LAST_SYSTEM_SOUND + 1)])

    def _confirmation_after_interval(self) -> str:
        return super()._confirmation_after_interval() if self._context.unsupported(Command.PLAYLIST) else ""


class _SoundLookup(RequestComponent):
    """Reads the entry of a sound before it is played."""

    name = "sound"
    retries = _RETRIES
    confirmed_by = (Playlist,)

    def __init__(self, context: Context, play: Callable[[int], Outcome]) -> None:
        """Make the component; `play` plays a sound whose entry is known, and returns the outcome."""
        super().__init__(context)
        self._play = play
        self._number = 0

    def play(self, number: int, now: float) -> Future[Outcome]:
        """Read the entry of a sound, and play it."""
        self._number = number
        return self.replace(now)

    def _commands(self) -> Iterable[Instruction]:
        return [Command.PLAYLIST(self._number)]

    def _confirmation(self, packet: Playlist) -> str:
        if packet.number != self._number:
            return ""
        outcome = self._play(self._number)
        if not outcome.success:
            self.fail(outcome.message)
        return outcome.message if outcome.success else ""

    def _failure(self) -> str:
        return f"{self._sent()} and got no answer: SOUND {self._number} was not sent"


class SoundPlayer(RequestComponent):
    """Lists, switches and plays the sounds of the robot. The request is that of the playlist."""

    name = "playlist"
    retries = _RETRIES
    confirmed_by = (Playlist,)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.complete = False  #: `entries` has the whole playlist
        self.entries: dict[int, Playlist] = {}  #: every answer of this session, by number, empty ones too
        self._asked = 0  #: number that is being requested; 0: all user sounds
        self._streaming = False  #: the answer to PLAYLIST 0 is arriving; the robot answers nothing else meanwhile
        self._count = 0  #: user sounds, as the robot has announced
        self._user: set[int] = set()  #: numbers of the user sounds that have arrived
        self._quiet = context.sends.timer(self._on_quiet)
        self._switch = _SoundSwitch(context, "sounds", Command.SOUNDTOG)
        self._lookup = _SoundLookup(context, self._play)

    # -- requests ---------------------------------------------------------------------------------------------

    def list(self, refresh: bool, now: float) -> Future[Outcome]:
        """Read the playlist, unless it is known.

        Args:
            refresh: read it again.
            now: Time in s.

        Returns:
            The result, when the playlist is complete or the retries are over.
        """
        self._context.require(Command.PLAYLIST)
        if self.complete and not refresh:
            return finished(Outcome(True, counted(len(self.playlist), "sound")))
        if self.pending or self._streaming:
            return self.new_caller()
        if refresh:
            self._forget()
        self._asked = 0
        return self.request(now)

    def switch(self, on: bool, now: float) -> Future[Outcome]:
        """Switch the sounds on or off (SOUNDTOG).

        Returns:
            The result, when the robot has confirmed it or the retries are over.
        """
        self._context.require(Command.SOUNDTOG)
        return self._switch.set(on, now)

    def play(self, number: int, now: float) -> Future[Outcome]:
        """Play a stored sound (SOUND), once.

        Args:
            number: 1 to 255.
            now: Time in s.

        Returns:
            The result, when the command waits for the line; it fails if the robot has no such sound.
        """
        self._context.require(Command.SOUND)
        if not 1 <= number <= LAST_SOUND:
            raise RequestRefusedError(f"sound is {number}, allowed: 1 to {LAST_SOUND}")
        if number in self.entries or self._streaming:
            return finished(self._play(number))
        return self._lookup.play(number, now)

    def say(
        self, durations: Sequence[float], frequencies: Sequence[float], half_cycle: float = HALF_CYCLE
    ) -> Future[Outcome]:
        """Play tones (SAY), once.

        Args:
            durations: Seconds of each tone.
            frequencies: Hz of each tone; 0 is a rest.
            half_cycle: Seconds per half-cycle count, where the firmware takes half-cycles.

        Returns:
            The result.

        Raises:
            ValueError: A value is out of range.
        """
        tones = tone_pairs(durations, frequencies, half_cycle, notes=_ARCOS in self._context.profile().firmware)
        self._context.require(Command.SAY)
        if why := self._muted():
            raise RequestRefusedError(why)
        name = f"SAY with {counted(len(tones) // 2, 'tone')}"
        return finished(self._context.queue.send_once(name, Command.SAY(tones)))

    # -- what is known ----------------------------------------------------------------------------------------

    @property
    def enabled(self) -> bool | None:
        """Whether sounds are on, as last reported."""
        return self._switch.reported

    @property
    def playlist(self) -> tuple[Playlist, ...]:
        """The entries that are not empty, by number."""
        return tuple(self.entries[number] for number in sorted(self.entries) if not blank(self.entries[number]))

    def find(self, name: str) -> int:
        """Return the number of a sound by its name, in upper or lower case.

        Raises:
            LookupError: There is no such sound; the message has similar names.
        """
        numbers = {entry.name.casefold(): entry.number for entry in reversed(self.playlist)}
        key = name.strip().casefold()
        if key not in numbers:
            import difflib  # imported here: 0.15 MB, seldom needed

            near = difflib.get_close_matches(key, numbers, n=5, cutoff=0.6)
            sounds = sum(not is_group(entry) for entry in self.playlist)
            hint = f"the nearest: {', '.join(near)}" if near else f"the list names {counted(sounds, 'sound')}"
            raise LookupError(f"no sound is called {name!r}; {hint}")
        return numbers[key]

    # -- the playlist -----------------------------------------------------------------------------------------

    def on_session_start(self, now: float) -> None:
        """Forget the playlist."""
        self._forget()

    def _update(self, packet: Playlist, stamp: float, now: float) -> None:
        if self._streaming:
            # A second count, after PLAYLIST 0 was sent twice, is no empty entry.
            if not (blank(packet) and packet.number == self._count):
                self.entries[packet.number] = packet
                self._user.add(packet.number)
            self._quiet.set(now + (LATE if len(self._user) < self._count else QUIET))
        elif self._is_count(packet):
            self._on_count(packet.number, now)
        else:
            self.entries[packet.number] = packet
            if self.pending and packet.number == self._asked:
                self._ask_next(now)

    def _is_count(self, packet: Playlist) -> bool:
        """Return whether a packet is the answer to PLAYLIST 0; one to another request may be an empty entry."""
        asked = self.pending and self.attempts and not (self._asked or self._switch.pending or self._lookup.pending)
        return bool(asked) and blank(packet)

    def _on_count(self, count: int, now: float) -> None:
        """Report how long the playlist takes; its user sounds follow by themselves."""
        self.pause()
        self._count, self._streaming = count, True
        self._quiet.set(now + (LATE if count else QUIET))
        entries = count + LAST_SYSTEM_SOUND
        duration = f"{counted(entries, 'entry', 'entries')} to read, about {entries * ENTRY_TIME:.0f} s"
        self._context.notify(f"playlist: {duration}; it is kept until the connection ends", trouble=False)

    def _on_quiet(self, now: float) -> None:
        self._streaming = False
        self._ask_next(now)

    def _ask_next(self, now: float) -> None:
        """Request the next sound of the system; one at a time, as other requests need the line as well."""
        self._asked = next((number for number in range(1, LAST_SYSTEM_SOUND + 1) if number not in self.entries), 0)
        if self._asked:
            self.start(now)
            return
        lost = self._count - len(self._user)
        self.complete = lost <= 0
        if self.complete:
            self.succeed(counted(len(self.playlist), "sound"))
        else:
            self.give_up(f"lost {lost} of {counted(self._count, 'sound')}: list them again")

    def _commands(self) -> Iterable[Instruction]:
        return [Command.PLAYLIST(self._asked)]

    def _failure(self) -> str:
        return f"{self._sent()} and got no answer; {counted(len(self.playlist), 'sound')} known"

    def _forget(self) -> None:
        self.complete = self._streaming = False
        self._quiet.cancel()
        self.entries.clear()
        self._user.clear()

    # -- playing ----------------------------------------------------------------------------------------------

    def _play(self, number: int) -> Outcome:
        """Send SOUND, unless its entry shows that there is no sound; return the outcome."""
        entry = self.entries.get(number)
        if why := self._muted() or (_silent(entry) if entry else ""):
            return Outcome(False, why)
        name = f" ({entry.name})" if entry and entry.name else ""
        return self._context.queue.send_once(f"SOUND {number}{name}", Command.SOUND(number))

    def _muted(self) -> str:
        return f"sounds are off: {self._context.remedies.sounds_off}" if self.enabled is False else ""


def blank(entry: Playlist) -> bool:
    """Return whether an entry has no sound; the packet with the number of sounds looks the same."""
    return not (entry.name or entry.offset or entry.length)


def is_group(entry: Playlist) -> bool:
    """Return whether an entry is a group, a heading over the sounds that follow."""
    return entry.name.startswith(_GROUP)


def _silent(entry: Playlist) -> str:
    if is_group(entry):
        return f"{entry.number} is the group {entry.name}, which has no sound itself: play one that follows it"
    return f"there is no sound {entry.number}" if blank(entry) else ""
