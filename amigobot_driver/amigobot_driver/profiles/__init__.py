# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Robot profiles: the differences between the robots as data, one YAML file for each robot in config/robots.

The driver, the simulator and the robot description all read them, so each number is defined once.

`X as X` marks a name that other layers may import from here.
"""

from ..errors import ProfileError as ProfileError
from .calibrations import calibrated_profile as calibrated_profile
from .calibrations import calibration_file as calibration_file
from .library import available_profiles as available_profiles
from .library import build_profile as build_profile
from .library import choose_profile as choose_profile
from .library import load_profile as load_profile
from .model import MAX_BUMPER_SEGMENTS as MAX_BUMPER_SEGMENTS
from .model import Battery as Battery
from .model import Body as Body
from .model import Calibration as Calibration
from .model import Floor as Floor
from .model import Inputs as Inputs
from .model import Limits as Limits
from .model import Link as Link
from .model import Physics as Physics
from .model import Profile as Profile
from .model import Quirks as Quirks
from .model import Sonar as Sonar
from .model import SonarPose as SonarPose
