# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The newest lines of the log, or frames on the line, of which each browser gets those that it does not have."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

Entry = TypeVar("Entry")


class Backlog(Generic[Entry]):
    """Keeps the newest entries, which are numbered from 1. One thread may add while another one reads.

    Args:
        kept: Entries that are kept.
    """

    def __init__(self, kept: int) -> None:
        self.newest = 0  #: number of the newest entry
        self._entries: deque[tuple[int, Entry]] = deque(maxlen=kept)

    def add(self, entry: Entry) -> None:
        """Append an entry."""
        self._entries.append((self.newest + 1, entry))
        self.newest += 1

    def after(self, number: int) -> list[tuple[int, Entry]]:
        """Return the entries with a higher number, with their numbers."""
        return [entry for entry in tuple(self._entries) if entry[0] > number]
