# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The errors of this package. Each message is one line: what happened, why, and what to do.

- `AmigoBotError`: the base of all.
- `ConnectionFailedError`: no robot was found.
- `ConnectionLostError`: the robot was there and is not there now, or the connection is closed.
- `PortError`: a port cannot be opened, or is lost.
- `ProfileError`: a robot profile cannot be used; also a ValueError.
- `RequestRefusedError`: a request is not allowed, or not possible now; the robot was not asked.
- `RequestFailedError`: the robot was asked, and its packets do not show the result.
- `MotionFailedError`, a RequestFailedError: a movement ended before its goal; `travelled` says how far it came.
- `AuxReadFailedError`, a RequestFailedError: fewer bytes came than were asked for; `data` has them.
- `RecordingError`: a recording cannot be written; also an OSError.
"""

from __future__ import annotations


class AmigoBotError(Exception):
    """The base of every error that this package raises for its users."""


class ConnectionFailedError(AmigoBotError):
    """No robot was found at the port in time. The message says what was seen and what to do."""


class ConnectionLostError(AmigoBotError):
    """The robot is not connected any more. The driver keeps on looking for it until the connection is closed."""


class PortError(AmigoBotError):
    """The port cannot be opened, or is lost. The message is one line: what happened, why, what to do."""


class ProfileError(AmigoBotError, ValueError):
    """A profile cannot be used. The message has the file, the key, its value and what is allowed."""


class RequestRefusedError(AmigoBotError):
    """A request that is not carried out; the message says the value, what is allowed and what to do."""


class RequestFailedError(AmigoBotError):
    """The robot was asked and has not done it. The message says what was sent and what the robot reported."""


class MotionFailedError(RequestFailedError):
    """A movement ended before its goal.

    Attributes:
        travelled: What was covered, m of a move or rad of a turn; negative backwards or clockwise.
    """

    def __init__(self, message: str, travelled: float) -> None:
        super().__init__(message)
        self.travelled = travelled


class AuxReadFailedError(RequestFailedError):
    """Fewer bytes came from an auxiliary port than were asked for.

    Attributes:
        data: The bytes that came.
    """

    def __init__(self, message: str, data: bytes) -> None:
        super().__init__(message)
        self.data = data


class RecordingError(AmigoBotError, OSError):
    """A recording cannot be written, for example because the disk is full. It has the attributes of OSError.

    Attributes:
        packets: Packets and commands that are in the file.
    """

    def __init__(self, error: OSError, path: str, packets: int = 0) -> None:
        super().__init__(error.errno, error.strerror, path)
        self.packets = packets

    def __str__(self) -> str:
        written = f"; {self.packets} packets were written before and can be replayed" if self.packets else ""
        return f"{self.filename}: cannot be written ({self.strerror}){written}"
