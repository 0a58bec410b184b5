# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A robot at a port, through the Python API of the driver."""

from __future__ import annotations

import logging
import math
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial

from amigobot_driver import AmigoBot, AmigoBotError, ConnectionLostError, Options
from amigobot_driver.cli.command_line_robot import CommandLineRobot

from .state import Remote, RobotState, milliseconds, reported_state


class PortRemote(Remote):
    """Connects to a robot and keeps the connection.

    Args:
        port: A port of the driver: `/dev/ttyUSB0`, `socket://host:port`, `sim://`.
        profile: Name or file of a profile; "" chooses it by the identity of the robot.
        drives: Switch the motors on; a tool that only watches leaves them off.
        timeout: Seconds to wait for the robot; 0: do not wait, the driver looks for it until it finds it.
        options: Options of the driver, instead of those that follow from `profile` and `drives`.
        make: Connects to the robot; like `AmigoBot`.

    Raises:
        AmigoBotError: There is no robot; the message says why.
    """

    def __init__(
        self,
        port: str,
        profile: str = "",
        *,
        drives: bool = False,
        timeout: float = 20.0,
        options: Options | None = None,
        make: Callable[..., AmigoBot] = CommandLineRobot,
    ) -> None:
        Remote.__init__(self, port)
        self._released = ""  #: why the port is closed meanwhile; "" while it is not
        self._log = _LogLines(self._messages)
        logger = logging.getLogger("amigobot_driver")
        logger.addHandler(self._log)
        logger.setLevel(logging.INFO)
        logger.propagate = False
        if options is None:
            options = Options(profile=profile, motors_on_connect=drives, io_stream=not drives)
        self._make = partial(make, port, options=options)
        try:
            self.robot = self._make(timeout=timeout)
        except BaseException:
            logger.removeHandler(self._log)
            raise

    def state(self) -> RobotState:
        """Return what is known now."""
        robot, snapshot = self.robot, self.robot.snapshot()
        link, identity, profile, bumpers = snapshot.link, snapshot.identity, snapshot.profile, snapshot.bumpers
        linear, angular = self.commanded
        state = RobotState(profile=profile)
        with suppress(ConnectionLostError):
            state = replace(
                reported_state(robot.report, profile),
                echoes=robot.sonar,
                commanded_linear=linear,
                commanded_angular=angular,
                front_bumpers=bumpers.front if bumpers else (),
                rear_bumpers=bumpers.rear if bumpers else (),
                analog=robot.io.analog,
            )
        return replace(
            state,
            note=self._released or link.note,
            name=identity.name if identity else "",
            model=profile.description if identity else "",
            emergency=snapshot.emergency_stop,
            link={
                "packets": str(link.packets.standard),
                "period": milliseconds(link.period),
                "longest gap": milliseconds(link.longest_gap),
                "late": str(link.gaps),
                "damaged": str(link.decoder.checksum_errors),
                "connections": str(link.connections),
            },
        )

    def drive(self, linear: float, angular: float) -> str:
        """Request a velocity (m/s, rad/s), which expires after 0.5 s. Returns why it is refused, or ""."""
        try:
            self.robot.drive(linear, angular)
        except AmigoBotError as error:
            return str(error)
        self._commanded = linear, angular, time.monotonic()
        return ""

    def stop(self) -> None:
        """Stop with the normal deceleration."""
        self._commanded = 0.0, 0.0, -math.inf
        with suppress(AmigoBotError):
            self.robot.stop(wait=False)

    def emergency_stop(self) -> None:
        """Brake hard, and refuse to drive until the stop is cleared."""
        self._commanded = 0.0, 0.0, -math.inf
        with suppress(AmigoBotError):
            self.robot.emergency_stop()

    def clear_emergency_stop(self) -> None:
        """Accept velocities again."""
        with suppress(AmigoBotError):
            self.robot.clear_emergency_stop()

    @contextmanager
    def released(self, why: str) -> Iterator[None]:
        """Close the port for a `with` block, and look for the robot again afterwards, without waiting for it.

        Args:
            why: The note of the state meanwhile.
        """
        self._released = why
        self.robot.close()
        try:
            yield
        finally:
            self.robot, self._released = self._make(timeout=0.0), ""

    def close(self) -> None:
        """Stop the robot, close its session and the port."""
        self.robot.close()
        logging.getLogger("amigobot_driver").removeHandler(self._log)


class _LogLines(logging.Handler):
    """Collects the log of the driver for the screen."""

    def __init__(self, lines: deque[str]) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(record.getMessage())
