"""What differs between the robots of the family, as data: one YAML file a robot in config/robots.

Read by the driver, the simulator and the robot description, so that no number is typed twice.
"""

from .library import available_profiles, choose_profile, load_profile
from .model import (
    Battery,
    Body,
    Bumpers,
    Floor,
    Inputs,
    Limits,
    Link,
    Profile,
    ProfileError,
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
    "Floor",
    "Inputs",
    "Limits",
    "Link",
    "Profile",
    "ProfileError",
    "Quirks",
    "Servos",
    "Sonar",
    "SonarPose",
    "Units",
    "available_profiles",
    "choose_profile",
    "load_profile",
]
