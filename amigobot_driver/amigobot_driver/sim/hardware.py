# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The hardware that a controller is connected to."""

from __future__ import annotations

from dataclasses import dataclass

from .auxiliary import SimulatedAuxPort
from .battery import BatteryModel
from .body import SimulatedBody
from .bumpers import BumperRings
from .compass import CompassSensor
from .faults import FaultInjector
from .floor import FloorSensors
from .gripper import GripperModel
from .gyro import GyroSensor
from .joystick import JoystickModel
from .line import SimulatedLine
from .pins import Pins
from .sonar import SonarRing
from .sounds import SoundBoard


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardware:
    """The devices of one robot; they keep their state through sessions and resets."""

    body: SimulatedBody
    sonar: SonarRing
    bumpers: BumperRings
    gyro: GyroSensor
    floor: FloorSensors
    compass: CompassSensor
    gripper: GripperModel
    joystick: JoystickModel
    battery: BatteryModel
    pins: Pins
    sounds: SoundBoard
    aux: tuple[SimulatedAuxPort, ...]  #: AUX1, AUX2, AUX3
    line: SimulatedLine
    fault_injector: FaultInjector
