# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Robot profiles: the differences between the robots as data, one YAML file for each robot in config/robots.

The driver, the simulator and the robot description all read them, so each number is defined once.
"""

from ..errors import ProfileError
from .calibrations import calibrated_profile, calibration_file
from .library import available_profiles, build_profile, choose_profile, load_profile
from .model import (
    Battery,
    Body,
    Bumpers,
    Calibration,
    Floor,
    Inputs,
    Limits,
    Link,
    Physics,
    Profile,
    Quirks,
    Servos,
    Sonar,
    SonarPose,
    Units,
)

__all__ = [
    "Battery",
    "Body",
    "Bumpers",
    "Calibration",
    "Floor",
    "Inputs",
    "Limits",
    "Link",
    "Physics",
    "Profile",
    "ProfileError",
    "Quirks",
    "Servos",
    "Sonar",
    "SonarPose",
    "Units",
    "available_profiles",
    "build_profile",
    "calibrated_profile",
    "calibration_file",
    "choose_profile",
    "load_profile",
]
