"""The stored sounds: their playlist, on and off, and playing one (PROTOCOL 4.1, 5.8; AmigoBot manual ch. 5).

PLAYLIST 0 makes the robot send the number of its user sounds, then one packet an info cycle for each; PLAYLIST n
sends one. What got lost of the former is asked for with the latter, as are the system's sounds, which the former
leaves out. The answers also say whether sounds are on, and nothing else does. That a sound is played no packet
says: SOUND and SAY are sent once, never again, as twice would be heard twice.
"""

from __future__ import annotations

import difflib
import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass

from ...protocol import Command, Instruction, Packet, Playlist, Unlisted
from ...wording import counted
from ..events import Event, Notice
from ..feature import Feature
from ..outcome import Outcome, Waiting, finished

#: s between two tries, and how many. A PLAYLISTpac waits for its info cycle and, at 9600 baud, for the SIP.
RETRY = 0.4
TRIES = 8
#: s without an entry after which a listing has ended, or what is missing of it was lost.
QUIET = 0.8
#: The manual's system sounds end here; its user sounds begin at this number or the next (erratum E-38).
LAST_SYSTEM_SOUND = 49
LAST_SOUND = 255
#: s an entry takes: those of the user come with an info cycle each, the system's take a question and its answer.
ENTRY_TIME = 0.13
#: Entries between two lines in the log.
_PROGRESS = 20
#: A group's name begins with this; it has no sound itself, the entries that follow are its members.
GROUP = "~"
#: Sounds that may wait to be sent.
MAX_TO_SEND = 20
#: SAY: most tones, s of a duration's unit.
MAX_TONES = 20
TONE_STEP = 0.02

_Question = tuple[Instruction, ...]


@dataclass(frozen=True, slots=True)
class _Once:
    """An instruction that is sent once, and who is told when it has gone out."""

    instruction: Instruction
    message: str
    waiting: Waiting


class Sounds(Feature):
    """`lacks` says of a command why this robot has not got it, "" when it has."""

    def __init__(self, lacks: Callable[[Command], str]) -> None:
        self.enabled: bool | None = None  #: as last reported
        self.wanted: bool | None = None  #: None: leave it as it is
        self.complete = False  #: `entries` is all there is
        self.entries: dict[int, Playlist] = {}  #: every answer of this session, by number, empty ones too
        self._lacks = lacks
        self._listing = False  #: the playlist is wanted
        self._streaming = False  #: the answer to PLAYLIST 0 is coming in
        self._quiet_at = math.inf
        self._count: int | None = None
        self._lowest = LAST_SOUND
        self._reported = 0
        self._switching = False
        self._to_play = 0  #: a sound of which an entry is needed first
        self._to_send: deque[_Once] = deque()
        self._on_the_way: list[_Once] = []
        self._asked: _Question = ()
        self._resent = 0
        self._tries = 0
        self._retry_at = -math.inf
        self._wake = math.inf
        self._listeners, self._switchers, self._players = Waiting(), Waiting(), Waiting()

    # -- wishes -----------------------------------------------------------------------------------------------

    def list(self, refresh: bool, now: float) -> Future[Outcome]:
        """Fetch the playlist, unless it is there; `refresh`: anew."""
        if why := self._lacks(Command.PLAYLIST):
            return finished(False, why)
        if self.complete and not refresh:
            return finished(True, counted(len(self.playlist), "sound"))
        if not self._listing:
            self.entries.clear()
            self.complete, self._listing, self._streaming = False, True, False
            self._count, self._lowest, self._reported = None, LAST_SOUND, 0
            self._wake = now
        return self._listeners.add()

    def switch(self, on: bool, now: float) -> Future[Outcome]:
        """Sounds on or off (SOUNDTOG)."""
        if why := self._lacks(Command.SOUNDTOG):
            return finished(False, why)
        self._switchers.finish(False, "sounds: another request came in between")
        self.wanted, self.enabled, self._switching = on, None, True
        self._asked = ()
        self._wake = now
        return self._switchers.add()

    def play(self, number: int, now: float) -> Future[Outcome]:
        """Play a sound that is there (SOUND), once."""
        if why := self._lacks(Command.SOUND):
            return finished(False, why)
        if not 1 <= number <= LAST_SOUND:
            return finished(False, f"sound {number}: 1 to {LAST_SOUND} are allowed")
        self._players.finish(False, "another sound was asked for before this one could be played")
        future = self._players.add()
        self._to_play, self._wake = number, now
        self._play_if_known()
        return future

    def say(self, tones: bytes, now: float) -> Future[Outcome]:
        """Play tones (SAY), once: pairs of a duration in TONE_STEP and a half-cycle."""
        if why := self._lacks(Command.SAY) or self._muted():
            return finished(False, why)
        if len(self._to_send) + len(self._on_the_way) >= MAX_TO_SEND:
            return finished(False, f"SAY is not sent: {MAX_TO_SEND} sounds wait to be sent already")
        waiting = Waiting()
        told = f"sent SAY with {counted(len(tones) // 2, 'tone')} once"
        self._to_send.append(_Once(Command.SAY(tones), told, waiting))
        self._wake = now
        return waiting.add()

    # -- what is known ----------------------------------------------------------------------------------------

    @property
    def playlist(self) -> tuple[Playlist, ...]:
        """The entries that are not empty, in order."""
        return tuple(self.entries[number] for number in sorted(self.entries) if not blank(self.entries[number]))

    def find(self, name: str) -> int:
        """The number to play for a name, capitals or not. A group's name, with ~ or without: its first sound.

        A sound's own name goes before a group's. Raises LookupError with the nearest names.
        """
        sounds = {entry.name.casefold(): entry.number for entry in reversed(self.playlist) if not is_group(entry)}
        groups = {entry.name.casefold(): entry for entry in reversed(self.playlist) if is_group(entry)}
        wanted = name.strip().casefold()
        if wanted in sounds:
            return sounds[wanted]
        group = groups.get(wanted) or groups.get(GROUP + wanted)
        if group is None:
            near = difflib.get_close_matches(wanted, [*sounds, *groups], n=5, cutoff=0.6)
            hint = f"the nearest: {', '.join(near)}" if near else "see list_sounds"
            raise LookupError(f"no sound is called {name!r}; {hint}")
        members = self.members(group.number)
        if not members:
            raise LookupError(f"the group {group.name} has no sounds")
        return members[0].number

    def members(self, number: int) -> tuple[Playlist, ...]:
        """The sounds of a group: those that follow it, until the next group."""
        following = [entry for entry in self.playlist if entry.number > number]
        groups = [place for place, entry in enumerate(following) if is_group(entry)]
        return tuple(following[: groups[0] if groups else None])

    # -- the session's side -----------------------------------------------------------------------------------

    def begin(self, now: float) -> None:
        self.enabled, self.complete = None, False
        self.entries.clear()
        if self.wanted is not None:
            self._switching, self._wake = True, now

    def end(self, why: str) -> None:
        self._listing = self._streaming = self._switching = False
        self._to_play, self._asked, self._wake = 0, (), math.inf
        unsent = [once.waiting for once in (*self._to_send, *self._on_the_way)]
        self._to_send.clear()
        self._on_the_way.clear()
        for waiting in (self._listeners, self._switchers, self._players, *unsent):
            waiting.finish(False, f"sounds: {why}")

    def hear(self, packet: Packet, now: float) -> Iterator[Event]:
        yield from self._switchers.notices()
        if not isinstance(packet, Playlist):
            return
        self.enabled = bool(packet.enabled)
        self._wake = now
        if self._listing and self._count is None and blank(packet):
            self._count = packet.number
            self._streaming, self._quiet_at = True, now + QUIET
            yield self._announcement(packet.number)
        elif not (self._streaming and blank(packet) and packet.number == self._count):
            # The exception is the count once more, when PLAYLIST 0 was sent twice: not an empty entry.
            self.entries[packet.number] = packet
            if self._streaming or (self._listing and self._count is None):
                self._quiet_at = now + QUIET
                self._lowest = min(self._lowest, packet.number)
        if self._switching and self._asked and self.enabled is self.wanted:
            self._switching = False
            self._switchers.finish(True, f"sounds {_word(self.wanted)}, confirmed by the robot")
        self._play_if_known()
        yield from self._progress()

    def due(self, now: float) -> Iterator[Instruction]:
        if now < self._wake:
            return
        while self._to_send:
            once = self._to_send.popleft()
            self._on_the_way.append(once)
            yield once.instruction
        if self._streaming and now >= self._quiet_at:
            self._streaming = False
        question = self._question()
        if question != self._asked:
            self._asked, self._tries = question, 0
        elif now < self._retry_at:
            self._wake = self._retry_at
            return
        if not question:
            self._wake = self._quiet_at if self._streaming else math.inf
        elif self._tries == TRIES:
            self._give_up()
            self._asked, self._wake = (), now
        else:
            self._resent += self._tries > 0
            self._tries += 1
            self._retry_at = self._wake = now + RETRY
            yield from question

    def counters(self) -> Mapping[str, int]:
        given_up = sum(waiting.given_up for waiting in (self._listeners, self._switchers, self._players))
        return {"sounds_resent": self._resent, "sounds_given_up": given_up}

    def sent(self, instruction: Instruction | Unlisted, now: float) -> None:
        for once in self._on_the_way:
            if once.instruction is instruction:
                self._on_the_way.remove(once)
                once.waiting.finish(True, f"{once.message}; the robot does not report what it plays")
                return

    def next_time(self) -> float:
        return self._wake

    # -- inside -----------------------------------------------------------------------------------------------

    def _question(self) -> _Question:
        """What the robot is to be asked next. One at a time: the line belongs to others too."""
        if self._listing and self._count is None:
            # Before all else, lest an empty entry that was asked for is taken for the count.
            return (Command.PLAYLIST(0),)
        if self._switching:
            told = () if self._lacks(Command.PLAYLIST) else (Command.PLAYLIST(LAST_SYSTEM_SOUND + 1),)
            return (Command.SOUNDTOG(int(bool(self.wanted))), *told)
        if self._to_play:
            return (Command.PLAYLIST(self._to_play),)
        if self._listing and not self._streaming:
            if missing := self._missing():
                return (Command.PLAYLIST(missing[0]),)
            self._listing, self.complete = False, True
            self._listeners.finish(True, counted(len(self.playlist), "sound"))
        return ()

    def _missing(self) -> tuple[int, ...]:
        """What is still to come: the user sounds that were counted, from the first that can be one; the system's."""
        first = max(number for number in (1, LAST_SYSTEM_SOUND, LAST_SYSTEM_SOUND + 1) if number <= self._lowest)
        last = max(first + (self._count or 0) - 1, *self.entries, LAST_SYSTEM_SOUND)
        numbers = (*range(first, min(last, LAST_SOUND) + 1), *range(1, LAST_SYSTEM_SOUND + 1))
        return tuple(number for number in dict.fromkeys(numbers) if number not in self.entries)

    def _play_if_known(self) -> None:
        """SOUND as soon as it is clear that there is something to hear."""
        entry = self.entries.get(self._to_play)
        # While a playlist comes in, the robot would answer for a single entry only after it.
        if not self._to_play or self._switching or (entry is None and not self._streaming):
            return
        number, self._to_play = self._to_play, 0
        if why := self._muted() or (_silent(entry) if entry else ""):
            self._players.finish(False, why)
            return
        name = f" ({entry.name})" if entry and entry.name else ""
        self._to_send.append(_Once(Command.SOUND(number), f"sent SOUND {number}{name} once", self._players))
        self._players = Waiting()

    def _muted(self) -> str:
        return "sounds are off: call enable_sounds with data: true" if self.enabled is False else ""

    def _give_up(self) -> None:
        sent = f"sent {' and '.join(map(str, self._asked))} {TRIES} times in {TRIES * RETRY:.1f} s"
        if self._listing and self._count is None and self.entries:
            # Entries come, but never their number: whatever comes has to do.
            self._count, self._streaming = 0, True
        elif self._listing and self._count is None:
            self._listing = False
            self._listeners.finish(False, f"{sent} and got no answer")
        elif self._switching:
            self._switching = False
            if why := self._lacks(Command.PLAYLIST):
                self._switchers.give_up(f"{sent}; {why}, the only one that tells whether sounds are on")
                return
            told = "nothing" if self.enabled is None else f"sounds {_word(self.enabled)}"
            self.wanted = self.enabled
            self._switchers.give_up(f"{sent}, the robot reports {told}")
        elif self._to_play:
            number, self._to_play = self._to_play, 0
            self._players.finish(False, f"{sent} and got no answer: SOUND {number} was not sent")
        else:
            self._listing = False
            known = f"{counted(len(self.playlist), 'sound')} known, missing entries: {_shown(self._missing())}"
            self._listeners.finish(False, f"{sent} and got no answer; {known}")

    def _announcement(self, count: int) -> Notice:
        """How long the robot will take for its playlist; the operator waits for it."""
        entries = count + LAST_SYSTEM_SOUND
        told = f"{counted(entries, 'entry', 'entries')} to read, about {entries * ENTRY_TIME:.0f} s"
        return Notice(f"playlist: {told}; it is kept until the connection ends", trouble=False)

    def _progress(self) -> Iterator[Event]:
        known = len(self.entries)
        if self._listing and self._count and known >= self._reported + _PROGRESS:
            self._reported = known
            read = counted(known, "entry", "entries")
            yield Notice(f"playlist: {read} read, {len(self._missing())} to come", trouble=False)


def blank(entry: Playlist) -> bool:
    """An entry without a sound; the packet with the number of sounds looks the same."""
    return not (entry.name or entry.offset or entry.length)


def is_group(entry: Playlist) -> bool:
    """A heading over the sounds that follow."""
    return entry.name.startswith(GROUP)


def _silent(entry: Playlist) -> str:
    if is_group(entry):
        return f"{entry.number} is the group {entry.name}, which has no sound itself: play one that follows it"
    return f"there is no sound {entry.number}" if blank(entry) else ""


def _shown(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers[:10])) + (" ..." if len(numbers) > 10 else "")


def _word(on: bool) -> str:
    return "on" if on else "off"
