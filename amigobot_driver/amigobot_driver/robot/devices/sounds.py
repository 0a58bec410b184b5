# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The stored sounds: their playlist, on and off, and playing one (docs/protocol 5.8; AmigoBot manual, ch. 5).

PLAYLIST 0 makes the robot send the number of its user sounds, then one packet for each in every info cycle; PLAYLIST n
sends one. The system's sounds, which PLAYLIST 0 leaves out, are requested one by one. Lost packets are reported, and
another listing adds them. The answers also report whether sounds are on; no other packet does. No packet reports that a
sound is played, so SOUND and SAY are sent once: sent again, they would play again.
"""

from __future__ import annotations

import difflib
import math
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from ...protocol import Command, Instruction, Playlist, Unlisted
from ...wording import counted, on_or_off
from ..component import Context
from ..events import Notice
from ..outcome import Callers, Outcome, finished
from ..request import RequestComponent, RetryPolicy
from .tones import HALF_CYCLE, tone_pairs

#: s without an entry after which the answer to PLAYLIST 0 has ended.
QUIET = 0.8
#: The manual's system sounds end here; its user sounds begin at this number or the next (docs/protocol E-38).
LAST_SYSTEM_SOUND = 49
LAST_SOUND = 255
#: s for one entry: user entries come with an info cycle each, system entries take a request and its answer.
ENTRY_TIME = 0.13
#: A group's name begins with this; it has no sound itself, the entries that follow are its members.
GROUP = "~"
#: Letter of the firmware in a profile that takes notes instead of half-cycles.
_ARCOS = "C"
#: Sounds that may wait to be sent.
MAX_TO_SEND = 20

_Commands = tuple[Instruction, ...]


@dataclass(frozen=True, slots=True)
class _SentOnce:
    """A command that is sent once, and the callers that get the result when it was sent."""

    command: Instruction
    message: str
    callers: Callers


class SoundPlayer(RequestComponent):
    """Lists, switches and plays the sounds of the robot."""

    name = "sounds"
    #: A PLAYLISTpac waits for its info cycle and, at 9600 baud, for the SIP.
    retries = RetryPolicy(interval=0.4, limit=8)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.enabled: bool | None = None  #: as last reported
        self.requested: bool | None = None  #: None: leave it as it is
        self.complete = False  #: `entries` has the whole playlist
        self.entries: dict[int, Playlist] = {}  #: every answer of this session, by number, empty ones too
        self.given_up = 0
        self._listing = False  #: the playlist is requested
        self._streaming = False  #: the answer to PLAYLIST 0 is arriving
        self._count: int | None = None
        self._user: set[int] = set()  #: numbers of the user sounds that have arrived
        self._switching = False
        self._to_play = 0  #: number of a sound that is played when its entry is known
        self._to_send: deque[_SentOnce] = deque()
        self._queued: list[_SentOnce] = []
        self._pending_commands: _Commands = ()  #: commands of the request in progress
        self._list_callers, self._switch_callers, self._play_callers = Callers(), Callers(), Callers()
        context.on_packet(Playlist, self._on_entry)
        context.on_sent(Command.SAY, self._on_sent)
        context.on_sent(Command.SOUND, self._on_sent)
        self._send = context.sends.timer(self._on_send)
        self._review = context.sends.timer(self._advance)
        self._quiet = context.timeouts.timer(self._on_quiet)

    # -- requests ---------------------------------------------------------------------------------------------

    def list(self, refresh: bool, now: float) -> Future[Outcome]:
        """Read the playlist, unless it is known.

        Args:
            refresh: read it again.
            now: Time in s.

        Returns:
            The result, when the playlist is complete or the retries are over.
        """
        if reason := self._context.unsupported(Command.PLAYLIST):
            return finished(False, reason)
        if self.complete and not refresh:
            return finished(True, counted(len(self.playlist), "sound"))
        if not self._listing:
            if refresh:
                self._forget()
            self.complete, self._listing, self._streaming = False, True, False
            self._count = None
            self._review.set(now)
        return self._list_callers.new_future()

    def switch(self, on: bool, now: float) -> Future[Outcome]:
        """Switch the sounds on or off (SOUNDTOG).

        Returns:
            The result, when the robot has confirmed it or the retries are over.
        """
        if reason := self._context.unsupported(Command.SOUNDTOG):
            return finished(False, reason)
        self._switch_callers.finish(False, "sounds: another request replaced this one")
        self.requested, self.enabled, self._switching = on, None, True
        self._pending_commands = ()
        self._review.set(now)
        return self._switch_callers.new_future()

    def play(self, number: int, now: float) -> Future[Outcome]:
        """Play a stored sound (SOUND), once.

        Args:
            number: 1 to 255.
            now: Time in s.

        Returns:
            The result, when the command was sent; it fails if the robot has no such sound.
        """
        if reason := self._context.unsupported(Command.SOUND):
            return finished(False, reason)
        if not 1 <= number <= LAST_SOUND:
            return finished(False, f"sound is {number}, allowed: 1 to {LAST_SOUND}")
        self._play_callers.finish(False, "another sound was requested before this one could be played")
        future = self._play_callers.new_future()
        self._to_play = number
        self._play_if_known(now)
        self._review.set(now)
        return future

    def say(
        self, durations: Sequence[float], frequencies: Sequence[float], now: float, half_cycle: float = HALF_CYCLE
    ) -> Future[Outcome]:
        """Play tones (SAY), once.

        Args:
            durations: Seconds of each tone.
            frequencies: Hz of each tone; 0 is a rest.
            now: Time in s.
            half_cycle: Seconds per half-cycle count, where the firmware takes half-cycles.

        Returns:
            The result, when the command was sent.

        Raises:
            ValueError: A value is out of range.
        """
        tones = tone_pairs(durations, frequencies, half_cycle, notes=_ARCOS in self._context.profile().firmware)
        if reason := self._context.unsupported(Command.SAY) or self._muted():
            return finished(False, reason)
        if len(self._to_send) + len(self._queued) >= MAX_TO_SEND:
            return finished(False, f"SAY is not sent: {MAX_TO_SEND} sounds wait to be sent already")
        callers = Callers()
        message = f"sent SAY with {counted(len(tones) // 2, 'tone')} once"
        self._to_send.append(_SentOnce(Command.SAY(tones), message, callers))
        self._send.set(now)
        return callers.new_future()

    # -- what is known ----------------------------------------------------------------------------------------

    @property
    def playlist(self) -> tuple[Playlist, ...]:
        """The entries that are not empty, by number."""
        return tuple(self.entries[number] for number in sorted(self.entries) if not blank(self.entries[number]))

    def find(self, name: str) -> int:
        """Return the number of a sound by its name, in upper or lower case.

        The name of a group, with ~ or without, means its first sound. Names of sounds come before names of groups.

        Raises:
            LookupError: There is no such sound; the message has similar names.
        """
        sounds = {entry.name.casefold(): entry.number for entry in reversed(self.playlist) if not is_group(entry)}
        groups = {entry.name.casefold(): entry for entry in reversed(self.playlist) if is_group(entry)}
        key = name.strip().casefold()
        if key in sounds:
            return sounds[key]
        group = groups.get(key) or groups.get(GROUP + key)
        if group is None:
            near = difflib.get_close_matches(key, [*sounds, *groups], n=5, cutoff=0.6)
            hint = f"the nearest: {', '.join(near)}" if near else "see list_sounds"
            raise LookupError(f"no sound is called {name!r}; {hint}")
        members = self.members(group.number)
        if not members:
            raise LookupError(f"the group {group.name} has no sounds")
        return members[0].number

    def members(self, number: int) -> tuple[Playlist, ...]:
        """Return the sounds of a group: those that follow it, until the next group."""
        following = [entry for entry in self.playlist if entry.number > number]
        groups = [index for index, entry in enumerate(following) if is_group(entry)]
        return tuple(following[: groups[0] if groups else None])

    # -- the session ------------------------------------------------------------------------------------------

    def on_session_start(self, now: float) -> None:
        """Forget the playlist; switch the sounds again if that was requested."""
        self.enabled = None
        self._forget()
        if self.requested is not None:
            self._switching = True
            self._review.set(now)

    def on_session_end(self, reason: str) -> None:
        """Fail every request and forget the sounds that wait."""
        self._listing = self._streaming = self._switching = False
        self._to_play, self._pending_commands = 0, ()
        unsent = [once.callers for once in (*self._to_send, *self._queued)]
        self._to_send.clear()
        self._queued.clear()
        for timer in (self._send, self._review, self._quiet):
            timer.cancel()
        self._request.fail(reason)
        for callers in (self._list_callers, self._switch_callers, self._play_callers, *unsent):
            callers.finish(False, f"sounds: {reason}")

    def counters(self) -> Mapping[str, int]:
        """Return how often requests were sent again, and given up."""
        return {"sounds_resent": self._request.resent, "sounds_given_up": self.given_up}

    def _on_entry(self, packet: Playlist, stamp: float, now: float) -> None:
        self.enabled = bool(packet.enabled)
        if self._listing and self._count is None and blank(packet):
            self._count = packet.number
            self._streaming = True
            self._quiet.set(now + QUIET)
            self._announce(packet.number)
        elif not (self._streaming and blank(packet) and packet.number == self._count):
            # The exception is a second count, after PLAYLIST 0 was sent twice: not an empty entry.
            self.entries[packet.number] = packet
            if self._streaming:
                self._quiet.set(now + QUIET)
                self._user.add(packet.number)
        if self._switching and self._pending_commands and self.enabled is self.requested:
            self._switching = False
            self._switch_callers.finish(True, f"sounds {on_or_off(self.requested)}, confirmed by the robot")
        self._play_if_known(now)
        self._advance(now)

    def _on_send(self, now: float) -> None:
        while self._to_send:
            once = self._to_send.popleft()
            self._queued.append(once)
            self._context.queue.put(once.command)

    def _on_sent(self, command: Instruction | Unlisted, now: float) -> None:
        for once in self._queued:
            if once.command is command:
                self._queued.remove(once)
                once.callers.finish(True, f"{once.message}; the robot does not report what it plays")
                return

    def _on_quiet(self, now: float) -> None:
        self._streaming = False
        self._advance(now)

    def _advance(self, now: float) -> None:
        """Send the next commands, unless they are those of the request in progress."""
        commands = self._next_commands()
        if commands == self._pending_commands:
            return
        self._pending_commands = commands
        if commands:
            self._request.start(now)
        else:
            self._request.succeed("")

    # -- inside -----------------------------------------------------------------------------------------------

    def _next_commands(self) -> _Commands:
        """Return the commands of the next request; one at a time, as other components need the line as well."""
        if self._listing and self._count is None:
            # First: an empty entry that was requested would be taken for the count.
            return (Command.PLAYLIST(0),)
        if self._switching:
            answer = () if self._context.unsupported(Command.PLAYLIST) else (Command.PLAYLIST(LAST_SYSTEM_SOUND + 1),)
            return (Command.SOUNDTOG(int(bool(self.requested))), *answer)
        if self._to_play:
            return (Command.PLAYLIST(self._to_play),)
        if self._listing and not self._streaming:
            if unknown := [number for number in range(1, LAST_SYSTEM_SOUND + 1) if number not in self.entries]:
                return (Command.PLAYLIST(unknown[0]),)
            self._finish_list()
        return ()

    def _finish_list(self) -> None:
        self._listing = False
        lost = (self._count or 0) - len(self._user)
        self.complete = lost <= 0
        if self.complete:
            self._list_callers.finish(True, counted(len(self.playlist), "sound"))
        else:
            self._fail(self._list_callers, f"{lost} of {counted(self._count or 0, 'sound')} were lost: list them again")

    def _forget(self) -> None:
        """Forget every sound."""
        self.complete = False
        self.entries.clear()
        self._user.clear()

    def _play_if_known(self, now: float) -> None:
        """Send SOUND as soon as the entry shows that there is a sound."""
        entry = self.entries.get(self._to_play)
        # While a playlist arrives, the robot would send a single entry only after it.
        if not self._to_play or self._switching or (entry is None and not self._streaming):
            return
        number, self._to_play = self._to_play, 0
        if why := self._muted() or (_silent(entry) if entry else ""):
            self._play_callers.finish(False, why)
            return
        name = f" ({entry.name})" if entry and entry.name else ""
        self._to_send.append(_SentOnce(Command.SOUND(number), f"sent SOUND {number}{name} once", self._play_callers))
        self._play_callers = Callers()
        self._send.set(now)

    def _muted(self) -> str:
        return "sounds are off: call enable_sounds" if self.enabled is False else ""

    def _commands(self) -> _Commands:
        return self._pending_commands

    def _failure(self) -> str:
        sent, self._pending_commands = self._sent(), ()
        self._give_up(sent)
        self._request.pause()
        self._review.set(-math.inf)
        return ""

    def _give_up(self, sent: str) -> None:
        if self._listing and self._count is None:
            self._listing = False
            self._fail(self._list_callers, f"{sent} and got no answer")
        elif self._switching:
            self._switching = False
            if reason := self._context.unsupported(Command.PLAYLIST):
                self._fail(self._switch_callers, f"{sent}; {reason}, the only one that reports whether sounds are on")
                return
            reported = "nothing" if self.enabled is None else f"sounds {on_or_off(self.enabled)}"
            self.requested = self.enabled
            self._fail(self._switch_callers, f"{sent}; the robot reports {reported}")
        elif self._to_play:
            number, self._to_play = self._to_play, 0
            self._fail(self._play_callers, f"{sent} and got no answer: SOUND {number} was not sent")
        else:
            self._listing = False
            known = counted(len(self.playlist), "sound")
            self._fail(self._list_callers, f"{sent} and got no answer; {known} known")

    def _fail(self, callers: Callers, message: str) -> None:
        self.given_up += 1
        if not callers:
            self._context.emit(Notice(message))
        callers.finish(False, message)

    def _announce(self, count: int) -> None:
        """Report how long the playlist takes."""
        entries = count + LAST_SYSTEM_SOUND
        duration = f"{counted(entries, 'entry', 'entries')} to read, about {entries * ENTRY_TIME:.0f} s"
        self._context.emit(Notice(f"playlist: {duration}; it is kept until the connection ends", trouble=False))


def blank(entry: Playlist) -> bool:
    """Return whether an entry has no sound; the packet with the number of sounds looks the same."""
    return not (entry.name or entry.offset or entry.length)


def is_group(entry: Playlist) -> bool:
    """Return whether an entry is a group, a heading over the sounds that follow."""
    return entry.name.startswith(GROUP)


def _silent(entry: Playlist) -> str:
    if is_group(entry):
        return f"{entry.number} is the group {entry.name}, which has no sound itself: play one that follows it"
    return f"there is no sound {entry.number}" if blank(entry) else ""
