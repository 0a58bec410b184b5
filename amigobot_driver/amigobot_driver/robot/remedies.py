# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What a user does about a state in which requests are refused, in the words of the user's interface."""

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
