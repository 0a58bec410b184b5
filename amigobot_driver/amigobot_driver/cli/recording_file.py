# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The file of `amigobot record`, read whole, with errors for the user of the command."""

from __future__ import annotations

import sys
from pathlib import Path

from ..packet_file import Head, PacketFileError, RecordedFrame
from ..packet_file import read_recording as read_file
from ..wording import counted
from .usage_error import UsageError


def read_recording(path: Path) -> tuple[Head, list[RecordedFrame], bool]:
    """Read a whole file, or one that is damaged up to the damage, with a line on stderr.

    Returns:
        The head, the records in the order in which they were written, and whether the file is damaged.

    Raises:
        UsageError: It cannot be read, or is not a recording.
    """
    try:
        with path.open("rb") as file:
            head, records, damage = read_file(file)
    except PacketFileError as error:
        raise UsageError(f"{path}: {error}") from None
    if damage:
        print(f"amigobot: {path}: {damage}: read up to there, {counted(len(records), 'packet')}", file=sys.stderr)
    return head, records, bool(damage)
