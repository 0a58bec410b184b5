# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The docking mechanism of a Pioneer: CHARGE, and the charge state in the SIP."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future

from ...protocol import Command, Instruction, Sip
from ..outcome import Outcome
from ..request import RequestComponent, RetryPolicy


class Charger(RequestComponent):
    """Deploys and retracts the mechanism. A request ends with its session: a robot never docks again without one."""

    name = "charger"
    #: The mechanism needs time until its contacts touch the dock.
    retries = RetryPolicy(interval=1.0, limit=5)
    _deployed = False  #: as requested

    def deploy(self, deployed: bool, now: float) -> Future[Outcome]:
        """Deploy the mechanism, or retract it.

        Args:
            deployed: False retracts.
            now: Time in s.

        Returns:
            The result, when the SIP shows that the robot charges (or does not any more), or the retries are over.
        """
        self._context.require(Command.CHARGE)
        self._deployed = deployed
        return self.replace(now)

    def _commands(self) -> Iterable[Instruction]:
        return [Command.CHARGE(int(self._deployed))]

    def _confirmation(self, sip: Sip) -> str:
        return f"the robot reports: {sip.charge_name}" if sip.charging is self._deployed else ""

    def _failure(self) -> str:
        reported = "does not charge: is it in front of its dock?" if self._deployed else "goes on charging"
        return f"{self._sent()}; the robot {reported}"
