# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What setup.py of amigobot_tools declares."""

from __future__ import annotations

import re
from pathlib import Path

_SETUP = Path(__file__).parents[1] / "amigobot_tools" / "setup.py"
#: Each subcommand and its module.
SUBCOMMANDS = dict(re.findall(r'"(\w+) = (amigobot_tools\.\w+)"', _SETUP.read_text()))
assert SUBCOMMANDS
