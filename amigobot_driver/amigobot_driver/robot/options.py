# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The options of a robot."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from .devices.working_values import check_working_values

#: The lowest velocity limits, m/s and rad/s: SETV and SETRV carry whole mm/s and deg/s (rounded down).
MIN_LINEAR, MIN_ANGULAR = 0.001, 0.01745


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of a robot. A velocity limit of 0 keeps the robot's own.

    Raises:
        ValueError: A limit, the time-out or a working value is not allowed; the message says what is.
    """

    profile: str = ""  #: name or file of a profile; "": choose by the identity of the robot
    baud: int = 0  #: 0: the profile's
    bridge_baud: int = -1  #: line speed behind a network bridge; 0: there is none; -1: from profile and robot
    command_timeout: float = 0.5  #: s, more than 0; a velocity that is not repeated ends after it
    max_linear: float = 0.0  #: m/s, 0.001 and more; 0: the robot's own
    max_angular: float = 0.0  #: rad/s, 0.01745 and more; 0: the robot's own
    motors_on_connect: bool = True
    sonar_on_connect: bool = True
    io_stream: bool = False  #: IOpacs, every info cycle
    encoder_stream: bool = False  #: ENCODERpacs, every info cycle
    encoder_odometry: bool = False  #: the pose from ENCODERpacs, which are streamed then
    gyro: bool = True  #: GYROpacs, if the robot reports a gyro
    bumper_stall: str = "robot"  #: bumpers that stall the motors: none, front, rear, both; robot: its own setting
    compass: str = "off"  #: off, sip, packets
    gripper_stream: bool = True  #: GRIPPERpacs, every info cycle, if the robot reports a gripper
    joystick_stream: bool = False  #: JOYSTICKpacs, every info cycle
    digital_output_mask_first: bool = False  #: DIGOUT's bytes swapped (docs/protocol.md E-24)
    pwm_frequency: float = 0.0  #: Hz of the motors' PWM; 0: the robot's own
    pwm_max_duty: float = 0.0  #: share of full power, 0 to 1; 0: the robot's own
    trace: bool = False  #: emit every frame, both ways
    sonar_sequence: tuple[int, ...] = ()  #: numbers from 0; (): the robot's own sequence
    #: working values by their names in CONFIGpac and in its units; what is not here stays as the robot has it
    tuning: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_working_values(self.tuning)
        for name, value, unit, least in (
            ("max_linear", self.max_linear, "m/s", MIN_LINEAR),
            ("max_angular", self.max_angular, "rad/s", MIN_ANGULAR),
        ):
            if value and not least <= value < math.inf:
                raise ValueError(f"{name} is {value:g} {unit}, allowed: 0 for the robot's own, or {least:.4g} and more")
        for name in ("pwm_frequency", "pwm_max_duty"):
            value = getattr(self, name)
            if not 0.0 <= value < math.inf:
                raise ValueError(f"{name} is {value:g}, allowed: 0 and more")
        if not 0.0 < self.command_timeout < math.inf:
            raise ValueError(f"command_timeout is {self.command_timeout:g} s, allowed: more than 0")
