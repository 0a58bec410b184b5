# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The exception for errors that the user can correct."""

from __future__ import annotations


class UsageError(Exception):
    """The command cannot be executed as typed. The message is one line with the remedy."""
