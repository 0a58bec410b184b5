"""What waits to be sent: one frame at a time, the most urgent first, spaced as the firmware needs (PROTOCOL 4.3)."""

from __future__ import annotations

import math
from collections import deque
from enum import IntEnum

from ..protocol import Instruction, Unlisted

#: Velocities that may go out in a row while something less urgent waits: a joystick alone could fill the line.
MAX_VELOCITIES = 4
#: Routine instructions that may wait at the same time; more than this means nobody is listening.
MAX_ROUTINE = 200


class Urgency(IntEnum):
    """Lower goes first."""

    EMERGENCY = 0
    STOP = 1
    VELOCITY = 2
    KEEP_ALIVE = 3
    ROUTINE = 4


class Outbox:
    """Instructions in order of urgency; within one urgency, first come first served."""

    def __init__(self, spacing: float) -> None:
        self.spacing = spacing
        self.sent = 0
        self.refused = 0
        self.withheld = 0  #: taken, but no command of this robot
        self._waiting: dict[Urgency, deque[Instruction | Unlisted]] = {urgency: deque() for urgency in Urgency}
        self._last_sent = -math.inf
        self._velocities = 0  #: in a row

    def put(self, instruction: Instruction | Unlisted, urgency: Urgency = Urgency.ROUTINE) -> bool:
        """Queue an instruction; False when too many routine ones wait already.

        Of anything more urgent than routine only the newest of each command is kept, at its place in the line:
        a new velocity overtakes its own past, but VEL and RVEL never starve each other.
        """
        queue = self._waiting[urgency]
        if urgency is not Urgency.ROUTINE:
            for place, waiting in enumerate(queue):
                if waiting.command is instruction.command:
                    queue[place] = instruction
                    return True
        elif len(queue) >= MAX_ROUTINE:
            self.refused += 1
            return False
        queue.append(instruction)
        return True

    def take(self, now: float) -> Instruction | Unlisted | None:
        """The instruction to send now, or None while there is none or the line must rest."""
        if now < self._last_sent + self.spacing:
            return None
        waiting = [urgency for urgency, queue in self._waiting.items() if queue]
        if not waiting:
            return None
        urgency = waiting[0]
        if urgency is Urgency.VELOCITY and self._velocities >= MAX_VELOCITIES and len(waiting) > 1:
            urgency = waiting[1]
        self._velocities = self._velocities + 1 if urgency is Urgency.VELOCITY else 0
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

    def drop(self, *urgencies: Urgency) -> None:
        """Forget what waits with these urgencies, with none given everything."""
        for urgency in urgencies or Urgency:
            self._waiting[urgency].clear()
