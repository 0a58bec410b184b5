"""The simulated robot: firmware, body and world, driven by bytes and an explicit clock.

A client written for the real robot must not be able to tell the difference. Imports the protocol and the
profiles, never the driver: what the driver believes about a robot is tested against what the manuals say.
"""

from .body import Wear
from .events import Event
from .firmware import Session
from .simulator import Simulator, Truth
from .sonar import SonarModel
from .world import Pose, Segment, World
from .worldfile import WorldError, available_worlds, load_world

__all__ = [
    "Event",
    "Pose",
    "Segment",
    "Session",
    "Simulator",
    "SonarModel",
    "Truth",
    "Wear",
    "World",
    "WorldError",
    "available_worlds",
    "load_world",
]
