# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What setup.py of this package declares."""

from __future__ import annotations

import re
from pathlib import Path

#: Each verb and its module.
VERBS = dict(re.findall(r'"(\w+) = (amigobot_tools\.\w+)"', (Path(__file__).parents[1] / "setup.py").read_text()))
assert VERBS
