# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""`AmigoBot`: everything that a robot can do, in one class."""

from __future__ import annotations

from .devices import Devices
from .driving import Driving
from .ports import Ports
from .sensing import Sensing
from .settings import Settings
from .sounds import Sounds


class AmigoBot(Driving, Sensing, Sounds, Ports, Settings, Devices):
    """One robot, connected.

        with AmigoBot("/dev/ttyUSB0") as robot:
            robot.drive(0.2, duration=2.0)
            print(robot.pose)

    The constructor returns when the robot is connected, its motors are on (unless `Options(motors_on_connect=False)`)
    and its sonars have reported. `close`, the end of the `with` block, a signal such as SIGTERM in this block, and the
    end of the program stop the robot, switch its motors off and close the session. If the process is killed, the
    watchdog of the robot stops it.

    A method that asks the robot for something blocks until the robot has confirmed it, where a packet of the robot can,
    and raises an `AmigoBotError` if it does not. Several threads may call them. Lengths are in m, angles in rad,
    counter-clockwise positive, times in s.

    If the connection is lost, the driver looks for the robot until it finds it again; meanwhile methods and properties
    raise `ConnectionLostError`.

    Args:
        port: The robot: `/dev/ttyUSB0`, a pattern such as `/dev/ttyUSB*`, `host:port`, `rfc2217://host:port`,
            or `sim://` for a simulated robot in this process (`sim://amigo-sh?world=office`).
        timeout: Seconds to wait for a robot at this port. 0: return at once; the driver looks for the robot as after a
            lost connection, and `wait_until_connected` waits for it.
        options: Limits, time-outs and other choices.

    Raises:
        ConnectionFailedError: The port cannot be opened, or no robot answers in time.
        ProfileError: The options name no usable profile.
        RequestRefusedError: An argument has a wrong type or value.
    """
