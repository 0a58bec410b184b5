# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The options of a robot and their ranges."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any

from ..protocol import BAUD_RATES
from ..wording import wrong_type
from .devices.erratic_settings import pwm_values
from .devices.tuning import check_tuning
from .sensing.inputs import STALLS

#: Where the heading of the compass comes from.
COMPASSES = ("off", "sip", "packets")
#: Lowest velocity limits: SETV and SETRV carry whole mm/s and deg/s (rounded down).
MIN_LINEAR = 0.001  # m/s
MIN_ANGULAR = 0.01745  # rad/s
MAX_TIMEOUT = 60.0  # s that a robot drives on for a program that hangs, at most
#: What an option may be, by its annotation: the types that are accepted, and their words for a message.
_ACCEPTED: Mapping[str, tuple[type, str]] = {
    "bool": (bool, "True or False"),
    "str": (str, "a text"),
    "int": (Integral, "a whole number"),
    "float": (Real, "a number"),
    "tuple[int, ...]": (Sequence, "whole numbers"),
    "Mapping[str, int]": (Mapping, "a mapping of names to numbers"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of a robot. A velocity limit of 0 keeps the robot's own.

    Raises:
        ValueError: A value is not allowed; the message says what is.
    """

    profile: str = ""  #: name or file of a profile; "": choose by the identity of the robot
    #: line speed to try first: 9600, 19200, 38400, 57600 or 115200; 0: the profile's; others follow without an answer
    baud: int = 0
    #: line speed behind a network bridge, one of those of `baud`; 0: there is none; -1: from profile and robot
    bridge_baud: int = -1
    command_timeout: float = 0.5  #: s, above 0 to 60; a velocity that is not repeated ends after it
    max_linear: float = 0.0  #: m/s, 0.001 and more; 0: the robot's own
    max_angular: float = 0.0  #: rad/s, 0.01745 and more; 0: the robot's own
    motors_on_connect: bool = True  #: switch the motors on after connecting
    sonar_on_connect: bool = True  #: switch the sonars on after connecting
    io_stream: bool = False  #: IOpacs, every info cycle
    analog_volts_per_count: float = 0.0  #: V per count of the analog inputs in IOpacs; 0: the profile's
    encoder_stream: bool = False  #: ENCODERpacs, every info cycle
    encoder_odometry: bool = False  #: the pose from ENCODERpacs, which are streamed then
    gyro: bool = True  #: GYROpacs, if the robot reports a gyro
    bumper_stall: str = "robot"  #: bumpers that stall the motors: none, front, rear or both; robot: its own setting
    compass: str = "off"  #: off, sip (from the SIPs, in steps of 2 deg) or packets (compass packets)
    gripper_stream: bool = True  #: GRIPPERpacs, every info cycle, if the robot reports a gripper
    joystick_stream: bool = False  #: JOYSTICKpacs, every info cycle
    digital_output_mask_first: bool = False  #: DIGOUT's bytes swapped, for a firmware whose outputs do not follow
    pwm_frequency: float = 0.0  #: Hz of the motors' PWM (Erratic), 4000 to 16000; 0: the robot's own
    pwm_max_duty: float = 0.0  #: share of full power (Erratic), 0.01 to 1; 0: the robot's own
    trace: bool = False  #: emit every frame, both ways
    #: numbers from 0, in the order of firing; (): the robot's own sequence; numbers it does not have are left out
    sonar_sequence: tuple[int, ...] = ()
    #: tuning values by the names, units and ranges in `TUNABLE`; what is not here stays as the robot has it
    tuning: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        choices: tuple[tuple[str, tuple[object, ...]], ...] = (
            ("baud", (0, *BAUD_RATES)),
            ("bridge_baud", (-1, 0, *BAUD_RATES)),
            ("bumper_stall", ("robot", *STALLS)),
            ("compass", COMPASSES),
        )
        for name, values in choices:
            if getattr(self, name) not in values:
                text = ", ".join(map(str, values))
                raise ValueError(f"{name} is {getattr(self, name)!r:.60}, allowed: {text}")
        for option in fields(self):
            value, (accepted, words) = getattr(self, option.name), _ACCEPTED[str(option.type)]
            if not has_type(value, accepted):
                raise ValueError(wrong_type(option.name, value, words))
        if not all(has_type(sonar, Integral) for sonar in self.sonar_sequence):
            raise ValueError(wrong_type("sonar_sequence", self.sonar_sequence, "whole numbers"))
        check_tuning(self.tuning)
        for name, value, unit, least in (
            ("max_linear", self.max_linear, "m/s", MIN_LINEAR),
            ("max_angular", self.max_angular, "rad/s", MIN_ANGULAR),
        ):
            if value and not least <= value < math.inf:
                allowed = f"0 (keeps the robot's limit) or at least {least:.4g} {unit}"
                raise ValueError(f"{name} is {value:g} {unit}, allowed: {allowed}")
        pwm_values(self.pwm_frequency, self.pwm_max_duty)
        if not 0.0 < self.command_timeout <= MAX_TIMEOUT:
            allowed = f"above 0 to {MAX_TIMEOUT:g} s"
            raise ValueError(f"command_timeout is {self.command_timeout!s:.60} s, allowed: {allowed}")


def has_type(value: Any, accepted: Any) -> bool:
    """Return whether a value has a type. True is no number, though a bool is an int in Python; 10**400 is no float."""
    if not isinstance(value, accepted) or isinstance(value, bool) is not (accepted is bool):
        return False
    return not (accepted is Real and math.inf > abs(value) > sys.float_info.max)
