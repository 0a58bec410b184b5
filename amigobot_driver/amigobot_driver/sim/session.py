# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The states of a client's session, for every simulated controller (docs/protocol 3.1)."""

from __future__ import annotations

from enum import Enum, auto


class SessionState(Enum):
    """State of the session between client and robot."""

    WAIT = auto()  #: no client is synchronized
    SYNCED = auto()  #: SYNC0 to SYNC2 were exchanged (ActivMedia only)
    OPEN = auto()  #: OPEN was executed
