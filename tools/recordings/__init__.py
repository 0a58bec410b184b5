# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Replays the commands of recorded real robots into the simulator, and compares speed and turn rate.

    python -m tools.recordings FOLDER                       a table, one line per recording
    python -m tools.recordings FOLDER --pictures docs/images

The page docs/explanation/recordings.md describes the recordings, their format and the result.
"""

import sys
from pathlib import Path

#: The simulator's client is part of the tests.
sys.path.insert(0, str(Path(__file__).parents[2] / "amigobot_driver" / "test"))
