"""The exception for errors that the user can correct."""

from __future__ import annotations


class UsageError(Exception):
    """The command cannot be executed as typed. The message is one line with the remedy."""
