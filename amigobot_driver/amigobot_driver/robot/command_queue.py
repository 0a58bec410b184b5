# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The command queue: one frame at a time, the most urgent first, spaced as the firmware needs."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from enum import IntEnum

from ..protocol import Instruction
from .outcome import Outcome

#: Frames that may go out while a less urgent one waits: velocities of a joystick alone could fill the line.
MAX_OVERTAKEN = 4
#: Commands of `ROUTINE`, and of `RAW`, that may wait at the same time; 200 take 4 s on AmigOS.
MAX_ROUTINE = 200
#: The components may add routine commands while fewer than this wait. Small, as they count attempts and timeouts
#: from the time at which they queue a command.
ROOM = 4


class Priority(IntEnum):
    """Priority of a command; lower values are sent first."""

    EMERGENCY = 0  #: E_STOP
    STOP = 1  #: ends a motion or the session
    VELOCITY = 2  #: begins or continues a motion
    KEEP_ALIVE = 3  #: PULSE, against the robot's watchdog
    ROUTINE = 4  #: commands of the driver itself: settings, streams, devices
    RAW = 5  #: commands that a user sends once and nothing confirms: `send_command`, SAVE


#: Every command of these priorities is sent; of the others only the newest of each kind.
_ALL_SENT = (Priority.ROUTINE, Priority.RAW)


@dataclass(slots=True)
class QueueStats:
    """What became of the commands."""

    sent: int = 0  #: commands that were sent
    refused: int = 0  #: commands for which there was no room
    replaced: int = 0  #: commands that were not sent, as a newer one of the same kind came
    dropped: int = 0  #: commands that a stop, another motion or the end of the session made void
    withheld: int = 0  #: commands that this robot does not have


class CommandQueue:
    """Instructions in order of priority; within one priority, first come first served.

    Below STOP no priority starves another: a command is overtaken by `MAX_OVERTAKEN` frames in a row at most, or by a
    few more where several less urgent ones wait.
    """

    def __init__(self, spacing: float) -> None:
        """Make an empty queue.

        Args:
            spacing: Time in s between two frames.
        """
        self.spacing = spacing
        self.stats = QueueStats()
        self._waiting: dict[Priority, deque[Instruction]] = {priority: deque() for priority in Priority}
        self.byte_time = 0.0  #: s that a byte takes on the line; 0: none
        self.last_sent = -math.inf  #: s, when the last instruction was taken
        self._line_free = -math.inf  #: s, when the line has carried all that was taken
        self._overtaken = dict.fromkeys(Priority, 0)  #: frames in a row that went before the first one waiting

    def put(self, instruction: Instruction, priority: Priority = Priority.ROUTINE) -> None:
        """Queue an instruction; one of `ROUTINE` or `RAW` is refused if too many of the same priority wait already.

        Of more urgent commands only the newest of each kind is kept, at the place of the one before: VEL and RVEL never
        starve each other.
        """
        queue = self._waiting[priority]
        if priority not in _ALL_SENT:
            for index, waiting in enumerate(queue):
                if waiting.command is instruction.command:
                    queue[index] = instruction
                    self.stats.replaced += 1
                    return
        elif len(queue) >= MAX_ROUTINE:
            self.stats.refused += 1
            return
        queue.append(instruction)

    def send_once(self, name: str, *commands: Instruction, priority: Priority = Priority.ROUTINE) -> Outcome:
        """Queue commands that no packet confirms, all of them or none, and return the outcome.

        They are not sent again: that would repeat their effect.

        Args:
            name: What is sent, for the message.
            commands: In the order in which they are sent.
            priority: `ROUTINE` or `RAW`.
        """
        waiting = self.waiting(priority)
        if waiting + len(commands) > MAX_ROUTINE:
            self.stats.refused += len(commands)
            reason = f"{waiting} commands are waiting already: send fewer at a time"
            return Outcome(False, f"{name} is not sent: {reason}")
        for command in commands:
            self.put(command, priority)
        return Outcome(True, f"sent {name} once; no packet confirms it")

    def has_room(self) -> bool:
        """Return whether the components may add routine commands."""
        return len(self._waiting[Priority.ROUTINE]) < ROOM

    def waiting(self, priority: Priority) -> int:
        """Return the number of waiting commands of a priority."""
        return len(self._waiting[priority])

    def holds(self, instruction: Instruction) -> bool:
        """Return whether a routine command like this one waits."""
        return instruction in self._waiting[Priority.ROUTINE]

    def take(self, now: float) -> Instruction | None:
        """Return the instruction to send now; None if there is none or the line is busy."""
        if now < self.next_time():
            return None
        waiting = list(filter(self._waiting.get, self._waiting))
        priority = waiting[0]
        if priority > Priority.STOP:
            priority = next((late for late in waiting if self._overtaken[late] >= MAX_OVERTAKEN), priority)
            for other in waiting:
                self._overtaken[other] += 1
        self._overtaken[priority] = 0
        self.last_sent = now
        self.stats.sent += 1
        return self._waiting[priority].popleft()

    def next_time(self) -> float:
        """Return the time (s) at which `take` returns a command; inf while none waits.

        Only a stop is sent while the line still carries earlier frames: what waits on the line delays the next stop.
        """
        if self._waiting[Priority.EMERGENCY] or self._waiting[Priority.STOP]:
            return self.last_sent + self.spacing
        if any(self._waiting.values()):
            return max(self.last_sent + self.spacing, self._line_free)
        return math.inf

    def on_line(self, size: int, now: float) -> None:
        """Account for a frame of `size` bytes that goes on the line at `now` (s)."""
        self._line_free = max(now, self._line_free) + size * self.byte_time

    def drop(self, *priorities: Priority) -> None:
        """Remove the waiting commands of these priorities; without arguments of all."""
        for priority in priorities or Priority:
            self.stats.dropped += len(self._waiting[priority])
            self._waiting[priority].clear()
