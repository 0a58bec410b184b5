# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The hardware that a controller is connected to."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..profiles import Profile
from .auxiliary import AuxDevice, LoopBack, SimulatedAuxPort
from .battery import BatteryModel
from .body import SimulatedBody, Wear
from .contact import BumperRings, FloorSensors
from .faults import FaultInjector, Faults
from .gripper import GripperModel
from .heading import CompassSensor, GyroSensor
from .line import SimulatedLine
from .pins import JoystickModel, Pins
from .sonar import SonarModel, SonarRing
from .sounds import PlaylistEntry, SoundBoard
from .surroundings import Scene


class Hardware:
    """The devices of one robot; they keep their state through sessions and resets."""

    def __init__(
        self,
        profile: Profile,
        scene: Scene,
        seed: int,
        *,
        paced: bool,
        charge: float,
        wear: Wear | None,
        sonar: SonarModel | None,
        faults: Faults | None,
        aux: Mapping[int, AuxDevice],
        sounds: Mapping[int, PlaylistEntry],
        on_sound: Callable[[str], None],
    ) -> None:
        """Put the robot into its world; the arguments are those of Simulator.

        `paced` says whether bytes take time on the line, `on_sound` is called with a description of each played sound.
        """
        self.fault_injector = injector = FaultInjector(f"{seed}", faults or Faults())
        self.line = SimulatedLine(injector, paced=paced, delay=profile.physics.command_delay)
        self.body = body = SimulatedBody(profile, scene, wear or Wear(), injector, f"{seed}")
        self.sonar = SonarRing(body, sonar or SonarModel())
        self.bumpers, self.floor = BumperRings(body), FloorSensors(body)
        self.gyro, self.compass = GyroSensor(body), CompassSensor(body)
        self.gripper, self.joystick = GripperModel(), JoystickModel()
        self.battery = battery = BatteryModel(profile.battery, charge)
        self.pins = Pins(lambda: battery.volts * profile.physics.battery_divider)
        self.sounds = SoundBoard(sounds, on_sound)
        #: AUX1, AUX2, AUX3
        self.aux = [SimulatedAuxPort(number, aux.get(number) or LoopBack()) for number in (1, 2, 3)]
