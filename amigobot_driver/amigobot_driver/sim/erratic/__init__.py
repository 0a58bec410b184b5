# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The simulated Videre Erratic: another controller with the same hardware (docs/protocol.md 3.8, 5.11-5.15, 8.9)."""

from .firmware import ErraticFirmware, build_erratic
from .revision import Revision, RevisionError, parse_revision, revision_help, revision_names, revision_of

__all__ = [
    "ErraticFirmware",
    "Revision",
    "RevisionError",
    "build_erratic",
    "parse_revision",
    "revision_help",
    "revision_names",
    "revision_of",
]
