# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Settings of the robot: its configuration, the gains of its servos, and the options of the driver."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Literal

from ..errors import RequestFailedError, RequestRefusedError
from ..protocol import TuningValues
from .arguments import number
from .connection import Connection
from .values import Pid, PidGains

#: The beginning of the names in the configuration.
_SERVOS = {"rotation": "rot", "translation": "trans"}


class Settings(Connection):
    """Configuration, gains and options."""

    def get_config(self) -> dict[str, int | str]:
        """Read the configuration of the robot, by the names of the CONFIG packet and in its units.

        Returns:
            Every value that the robot reports; docs/protocol 5.5 explains them.

        Raises:
            RequestFailedError: The robot does not answer.
            ConnectionLostError: The robot is not connected.
        """
        return dict(self._configured({}).values())

    def set_config(self, values: Mapping[str, int] | None = None, /, **more: int) -> dict[str, int | str]:
        """Set tuning values, and wait until the robot has confirmed them. `TUNABLE` lists names, units and ranges.

            robot.set_config(trans_acc=200, trans_vel_max=400)

        They end with the session (CLOSE) on AmigOS 1.3 and later; before, when the robot is reset or switched off. The
        driver sets them again after a reconnect.

        Args:
            values: Values by name.
            more: The same as keyword arguments.

        Returns:
            The configuration afterwards.

        Raises:
            RequestRefusedError: A name cannot be set, or a value is out of its range.
            RequestFailedError: The robot reports other values.
            ConnectionLostError: The robot is not connected.
        """
        return dict(self._configured({**(values or {}), **more}).values())

    def get_pid(self) -> PidGains:
        """Read the gains of both servos.

        Raises:
            RequestFailedError: The robot does not answer.
            ConnectionLostError: The robot is not connected.
        """
        config = self._configured({})
        return PidGains(rotation=Pid(*config.pid("rot")), translation=Pid(*config.pid("trans")))

    def set_pid(
        self,
        servo: Literal["rotation", "translation"],
        *,
        kp: int | None = None,
        kv: int | None = None,
        ki: int | None = None,
    ) -> Pid:
        """Set gains of a servo, and wait until the robot has confirmed them.

        Args:
            servo: "rotation" or "translation".
            kp: Proportional gain, in the units of the firmware; None leaves it.
            kv: Derivative gain; None leaves it.
            ki: Integral gain; None leaves it.

        Returns:
            The gains afterwards.

        Raises:
            RequestRefusedError: A value is out of range.
            RequestFailedError: The robot reports other values.
            ConnectionLostError: The robot is not connected.
        """
        name = _SERVOS.get(servo)
        if name is None:
            raise RequestRefusedError(f"servo is {servo!r}, allowed: {', '.join(_SERVOS)}")
        gains = {"kp": kp, "kv": kv, "ki": ki}
        values = {f"{name}_{gain}": value for gain, value in gains.items() if value is not None}
        return Pid(*self._configured(values).pid(name))

    def save_config(self) -> str:
        """Have the robot write its tuning values to its FLASH (Erratic). The old values are lost.

        Returns:
            What was sent. The robot does not confirm it, but shows the saved values after a restart.

        Raises:
            RequestRefusedError: The robot moves, or has no such command.
            RequestFailedError: Too many commands wait already.
            ConnectionLostError: The robot is not connected.
        """
        with self._locked() as (robot, _):
            outcome = robot.erratic.save()
        return self._message(outcome)

    def set_motor_pwm(self, frequency: float = 0.0, max_duty: float = 0.0) -> str:
        """Set the PWM of the motors (Erratic).

        Args:
            frequency: Hz, 4000 to 16000; 0 leaves it.
            max_duty: Share of full power, 0.01 to 1; 0 leaves it.

        Returns:
            What was sent.

        Raises:
            RequestRefusedError: A value is out of range, both are 0, or the robot has no such command.
            ConnectionLostError: The robot is not connected.
        """
        frequency, max_duty = number("frequency", frequency), number("max_duty", max_duty)
        with self._locked() as (robot, now):
            outcome = robot.erratic.set_pwm(frequency, max_duty, now)
        return self._message(outcome)

    def configure(self, **changes: object) -> str:
        """Change options of the driver: limits, the command time-out, streams.

            robot.configure(max_linear=0.3, command_timeout=1.0)

        Args:
            changes: Fields of `Options` and their new values.

        Returns:
            What the robot has confirmed.

        Raises:
            RequestRefusedError: A value is not allowed, or there is no such option.
            RequestFailedError: The robot has not confirmed a tuning value.
            ConnectionLostError: The robot is not connected.
        """
        options = self.options
        if unknown := changes.keys() - {field.name for field in dataclasses.fields(options)}:
            known = ", ".join(field.name for field in dataclasses.fields(options))
            raise RequestRefusedError(f"option {sorted(unknown)[0]!r} is not known, allowed: {known}")
        try:
            options = dataclasses.replace(options, **changes)  # type: ignore[arg-type]
        except ValueError as error:
            raise RequestRefusedError(str(error)) from None
        return self._request(lambda robot, now: robot.configure(options, now)).message

    def _configured(self, values: Mapping[str, int]) -> TuningValues:
        """Set values, and return the configuration that the robot reports afterwards."""
        self._request(lambda robot, now: robot.tuning.set(values, now))
        with self._locked() as (robot, _):
            config = robot.tuning.config
        if config is None:
            raise RequestFailedError("the robot has not reported its configuration")
        return config
