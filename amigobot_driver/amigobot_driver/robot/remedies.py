# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What the user of an interface does about a state that refuses requests; the robot's messages have it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Remedies:
    """Imperatives of one interface; the defaults name nothing that a user calls."""

    motors_off: str = "switch them on"
    emergency_stop: str = "clear it"
    sounds_off: str = "switch them on"


#: For users of any interface.
GENERAL_REMEDIES = Remedies()
