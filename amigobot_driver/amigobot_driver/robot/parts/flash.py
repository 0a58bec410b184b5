"""The robot's FLASH: what it starts with. Written only when somebody says so (Erratic: SAVE, PROTOCOL 4.2)."""

from __future__ import annotations

from collections.abc import Callable

from ...protocol import CommandTable, ErraticCommand
from ..driving.envelope import Refused
from ..outbox import QUEUE_FULL, Outbox, Urgency
from ..outcome import Outcome


class Flash:
    """`stands` tells whether the robot stands and nobody wants it to move."""

    def __init__(self, outbox: Outbox, stands: Callable[[], bool], lacks: Callable[[CommandTable], str]) -> None:
        self._outbox = outbox
        self._stands = stands
        self._lacks = lacks

    def save(self) -> Outcome:
        """Have the robot write its working values to its FLASH, once. Raises Refused."""
        if why := self._lacks(ErraticCommand.SAVE):
            raise Refused(why)
        if not self._stands():
            raise Refused("the robot must stand still while it writes its FLASH: stop it first")
        # Behind the raw commands that were asked for before: what they set is to be saved.
        if not self._outbox.put(ErraticCommand.SAVE(), Urgency.RAW):
            raise Refused(f"SAVE is not sent: {QUEUE_FULL}")
        return Outcome(True, "SAVE was sent; the robot does not confirm it, but shows these values after a restart")
