# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The robot of a subcommand."""

from __future__ import annotations

from ..api import AmigoBot
from ..robot import GENERAL_REMEDIES


class CommandLineRobot(AmigoBot):
    """An `AmigoBot` whose messages name no methods."""

    _remedies = GENERAL_REMEDIES

    def clock(self) -> float:
        """Return the time (s) on the clock of all stamps."""
        return self._driver.clock()
