# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The file of `amigobot record`, read whole, with errors for the user of the command."""

from __future__ import annotations

from pathlib import Path

from ..packet_file import Head, PacketFileError, RecordedFrame, read_head, read_records
from .errors import UsageError


def read_recording(path: Path) -> tuple[Head, list[RecordedFrame]]:
    """Read a whole file; its records are in the order in which they were written.

    Raises:
        UsageError: It cannot be read, or is not a recording.
    """
    try:
        with path.open("rb") as file:
            return read_head(file), list(read_records(file))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from None
    except PacketFileError as error:
        raise UsageError(f"{path}: {error}") from None
