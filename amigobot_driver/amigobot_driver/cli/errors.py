"""What a verb raises when the user can put it right."""

from __future__ import annotations


class UsageError(Exception):
    """The command cannot be carried out as typed; the message is one line with the remedy."""
