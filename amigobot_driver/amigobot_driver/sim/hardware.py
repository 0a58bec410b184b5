# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The hardware that a controller is connected to."""

from __future__ import annotations

from dataclasses import dataclass

from .auxiliary import SimulatedAuxPort
from .battery import BatteryModel
from .body import SimulatedBody
from .contact import BumperRings
from .faults import FaultInjector
from .gripper import GripperModel
from .heading import CompassSensor, GyroSensor
from .line import SimulatedLine
from .pins import Pins
from .sonar import SonarRing
from .sounds import SoundBoard


@dataclass(kw_only=True)
class Hardware:
    """The devices of one robot; they keep their state through sessions and resets."""

    fault_injector: FaultInjector
    line: SimulatedLine
    body: SimulatedBody
    sonar: SonarRing
    battery: BatteryModel
    pins: Pins
    sounds: SoundBoard
    aux: list[SimulatedAuxPort]  #: AUX1, AUX2, AUX3

    def __post_init__(self) -> None:
        self.bumpers, self.gripper = BumperRings(self.body), GripperModel()
        self.gyro, self.compass = GyroSensor(self.body), CompassSensor(self.body)
