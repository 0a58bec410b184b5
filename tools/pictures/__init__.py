# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Draws the pictures of the documentation from the simulator, the profiles and the programs: `make pictures`."""

import sys
from pathlib import Path

#: The benches and the browser are part of the tests.
for _folder in ("amigobot_driver/test", "amigobot_tools/test", "tests"):
    sys.path.insert(0, str(Path(__file__).parents[2] / _folder))
