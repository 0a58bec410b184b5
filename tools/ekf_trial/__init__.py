# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Measures robot_localization with our ekf.yaml against the truth of the simulator.

    python -m tools.ekf_trial --runs 20

Needs the real `ekf_node`, so a ROS 2 with robot_localization; `--without-filter` does not. The drives are made by the
driver's core and the simulated robot on one simulated clock, and played to the filter many times faster than they
happened.
"""

import sys
from pathlib import Path

#: The bench is part of the tests.
sys.path.insert(0, str(Path(__file__).parents[2] / "amigobot_driver" / "test"))
