# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The command `amigobot` with the subcommands of the sources, not those of an installed version."""

from __future__ import annotations

import re
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

from amigobot_driver.cli import main, subcommands

_SETUP = Path(__file__).parents[1] / "amigobot_tools" / "setup.py"
#: Each subcommand that setup.py of amigobot_tools declares, and its module.
SUBCOMMANDS = dict(re.findall(r'"(\w+) = (amigobot_tools\.\w+)"', _SETUP.read_text()))
assert SUBCOMMANDS


def entry_points(group: str) -> list[EntryPoint]:
    """What an installed version has as entry points."""
    return [EntryPoint(name, module, group) for name, module in SUBCOMMANDS.items()]


if __name__ == "__main__":
    subcommands.entry_points = entry_points  # type: ignore[assignment]
    sys.exit(main())
