# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The figures of a driver that never lets go, measured over minutes or hours: `make soak MINUTES=60 SEED=1`.

Each scenario is a function that yields `Figure`s and is told how much of the time it may take. Most run a driver and
a simulated robot on one simulated clock (amigobot_driver/test/bench.py), so an hour takes a minute; what only
real processes can show runs as real processes.
"""

import sys
from pathlib import Path

#: The benches and the state machine are part of the tests.
for _package in ("amigobot_driver", "amigobot_tools"):
    sys.path.insert(0, str(Path(__file__).parents[2] / _package / "test"))
