"""The command queue: one frame at a time, the most urgent first, spaced as the firmware needs."""

from __future__ import annotations

import math
from collections import deque
from enum import IntEnum

from ..protocol import Instruction, Unlisted

#: Frames that may go out while a less urgent one waits: velocities of a joystick alone could fill the line.
MAX_OVERTAKEN = 4
#: Commands of `ROUTINE`, and of `RAW`, that may wait at the same time; 200 take 4 s on AmigOS.
MAX_ROUTINE = 200
#: Why a command is refused, and the remedy.
QUEUE_FULL = f"{MAX_ROUTINE} commands are waiting already: send fewer at a time"
#: Routine commands below which the robot's components are asked for more. Small, because a component counts its tries
#: and its time-outs from the moment it is asked.
ROOM = 4


class Urgency(IntEnum):
    """Lower goes first."""

    EMERGENCY = 0
    STOP = 1
    VELOCITY = 2
    KEEP_ALIVE = 3
    ROUTINE = 4  #: of the driver itself: settings, streams, devices
    RAW = 5  #: that a user sends once and nothing confirms: `send_command`, SAVE


#: Every command of these is sent; of all others only the newest of each kind.
_ALL_SENT = (Urgency.ROUTINE, Urgency.RAW)


class Outbox:
    """Instructions in order of urgency; within one urgency, first come first served.

    Below STOP no urgency starves another: a command is overtaken by `MAX_OVERTAKEN` frames in a row at most, or by a
    few more where several less urgent ones wait.
    """

    def __init__(self, spacing: float) -> None:
        """`spacing` is the time between two frames, in s."""
        self.spacing = spacing
        self.sent = 0
        self.refused = 0  #: commands for which there was no room
        self.replaced = 0  #: commands that a newer one of the same kind made void before they were sent
        self.dropped = 0  #: commands that waited when the session ended or an emergency stop made them void
        self.withheld = 0  #: taken, but no command of this robot
        self._waiting: dict[Urgency, deque[Instruction | Unlisted]] = {urgency: deque() for urgency in Urgency}
        self._last_sent = -math.inf
        self._overtaken = dict.fromkeys(Urgency, 0)  #: frames in a row that went before the first one waiting

    def put(self, instruction: Instruction | Unlisted, urgency: Urgency = Urgency.ROUTINE) -> bool:
        """Queue an instruction; False when too many of the same urgency wait already.

        That happens to `ROUTINE` and `RAW` only. Of anything more urgent only the newest of each command is kept, at
        its place in the line: a new velocity overtakes its own past, but VEL and RVEL never starve each other.
        """
        queue = self._waiting[urgency]
        if urgency not in _ALL_SENT:
            for place, waiting in enumerate(queue):
                if waiting.command is instruction.command:
                    queue[place] = instruction
                    self.replaced += 1
                    return True
        elif len(queue) >= MAX_ROUTINE:
            self.refused += 1
            return False
        queue.append(instruction)
        return True

    @property
    def has_room(self) -> bool:
        """Whether few enough routine commands wait for the components to be asked for more."""
        return len(self._waiting[Urgency.ROUTINE]) < ROOM

    def has_room_now(self) -> bool:
        """`has_room` as a function."""
        return self.has_room

    def waiting(self, urgency: Urgency) -> int:
        """How many commands of one urgency wait."""
        return len(self._waiting[urgency])

    def take(self, now: float) -> Instruction | Unlisted | None:
        """The instruction to send now, or None while there is none or the line must rest."""
        if now < self._last_sent + self.spacing:
            return None
        waiting = [urgency for urgency, queue in self._waiting.items() if queue]
        if not waiting:
            return None
        urgency = waiting[0]
        if urgency > Urgency.STOP:
            urgency = next((late for late in waiting if self._overtaken[late] >= MAX_OVERTAKEN), urgency)
            for other in waiting:
                self._overtaken[other] += 1
        self._overtaken[urgency] = 0
        self._last_sent = now
        self.sent += 1
        return self._waiting[urgency].popleft()

    def next_time(self) -> float:
        """When `take` has something to give: a time of its clock, inf while nothing waits."""
        return self._last_sent + self.spacing if any(self._waiting.values()) else math.inf

    @property
    def last_sent(self) -> float:
        """When the last instruction was taken, -inf before the first."""
        return self._last_sent

    def drop(self, *urgencies: Urgency) -> int:
        """Forget what waits with these urgencies, with none given everything; how many commands that were."""
        queues = [self._waiting[urgency] for urgency in urgencies or Urgency]
        count = sum(map(len, queues))
        self.dropped += count
        for queue in queues:
            queue.clear()
        return count
