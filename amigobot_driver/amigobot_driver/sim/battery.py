# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The lead-acid battery: a charge that driving drains, and the voltage that the firmware measures."""

from __future__ import annotations

import math

from ..profiles import Battery

_IDLE_CURRENT = 0.35  # A, controller and radio
_SONAR_CURRENT = 0.1  # A, all sonars
_MOTOR_CURRENT = 0.8  # A, one wheel motor at top speed
_CHARGE_CURRENT = 4.0  # A, a charger until the battery is full
_RESISTANCE = 0.15  # Ohm
_CAPACITY = 2.2  # Ah, if the profile has none
_COLLAPSE = 0.8  # open-circuit voltage of an empty battery / lowest voltage of the curve


class BatteryModel:
    """Remaining charge, and the terminal voltage under the current load."""

    def __init__(self, profile: Battery, charge: float = 1.0) -> None:
        """Start with the idle current.

        Args:
            profile: Capacity and voltage curve.
            charge: Remaining charge, 0 to 1.
        """
        self._profile = profile
        self._capacity = _CAPACITY if math.isnan(profile.capacity) else profile.capacity
        self.charge = charge  #: remaining share, 0 to 1
        self.test_volts: float | None = None  #: V, set by BATTEST; None: the voltage of the battery
        self.docked = False  #: whether the robot is at the contacts of a charger
        self.contacts_extended = False  #: whether its own contacts are extended, by CHARGE
        self._current = _IDLE_CURRENT

    @property
    def charging(self) -> bool:
        """Whether a charger is connected."""
        return self.docked and self.contacts_extended

    @property
    def charge_state(self) -> int:
        """Charge state of the SIP: 0 not charging, 1 bulk, 3 float."""
        return 0 if not self.charging else 1 if self.charge < 1.0 else 3

    @property
    def volts(self) -> float:
        """Terminal voltage in V, or the one that BATTEST sets."""
        if self.test_volts is not None:
            return self.test_volts
        open_circuit = self._profile.volts(self.charge) * (1.0 if self.charge > 0.0 else _COLLAPSE)
        return open_circuit - _RESISTANCE * self._current

    def drain(self, effort: float, sonar_on: bool, dt: float) -> None:
        """Change the charge by the current of one time step.

        Args:
            effort: Sum of the wheels' speeds as a share of the top speed, 0 to 2.
            sonar_on: Whether the sonars fire.
            dt: Time step in s.
        """
        self._current = _IDLE_CURRENT + _SONAR_CURRENT * sonar_on + _MOTOR_CURRENT * effort
        if self.charging:
            self._current -= _CHARGE_CURRENT
        self.charge = min(1.0, max(0.0, self.charge - self._current * dt / 3600 / self._capacity))
