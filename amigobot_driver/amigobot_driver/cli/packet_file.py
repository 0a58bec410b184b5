# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The file of `amigobot record`, read whole, with errors for the user of the command."""

from __future__ import annotations

import sys
from pathlib import Path

from ..packet_file import Head, PacketFileError, RecordedFrame, read_head, read_records
from ..wording import counted
from .errors import UsageError


def read_recording(path: Path) -> tuple[Head, list[RecordedFrame]]:
    """Read a whole file; its records are in the order in which they were written.

    A damaged file is read up to the damage, with a line on stderr.

    Raises:
        UsageError: It cannot be read, or is not a recording.
    """
    records: list[RecordedFrame] = []
    try:
        with path.open("rb") as file:
            head, size = read_head(file)
            try:
                records.extend(read_records(file, size))
            except PacketFileError as error:
                read = counted(len(records), "packet")
                print(f"amigobot: {path}: {error}: read up to there, {read}", file=sys.stderr)
            return head, records
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from None
    except PacketFileError as error:
        raise UsageError(f"{path}: {error}") from None
