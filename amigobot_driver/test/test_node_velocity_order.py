# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A velocity that is handled after a stop, but was published or had arrived before it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

pytest.importorskip("rclpy", reason="rclpy is not installed")

from geometry_msgs.msg import Twist, TwistStamped

from amigobot_driver.robot import RequestRefusedError
from amigobot_driver.ros.velocity_input import VelocityInput

NOW = 1000.0  #: s, on the clock of the driver
AGE = 5.0  #: s since the velocity was published or arrived


def cmd_vel(*, stamped: bool) -> tuple[Callable[..., None], MagicMock, MagicMock]:
    """The callback of cmd_vel, the robot that it drives and what logs its warnings."""
    node, robot, warn = MagicMock(), MagicMock(), MagicMock()
    node.get_clock().now().nanoseconds = round(NOW * 1e9)
    driver = SimpleNamespace(clock=lambda: NOW, robot=lambda: contextlib.nullcontext(robot))
    parameters = {"enable_stamped_cmd_vel": stamped, "cmd_vel_timeout": 1e6}
    context: Any = SimpleNamespace(node=node, driver=driver, parameters=parameters, warn=warn)
    VelocityInput(context)
    (callback,) = (call.args[2] for call in node.create_subscription.call_args_list if call.args[1] == "cmd_vel")
    return callback, robot, warn


def test_a_velocity_counts_from_its_arrival() -> None:
    """The core refuses what arrived before a stop."""
    receive, robot, _ = cmd_vel(stamped=False)
    receive(Twist(), {"received_timestamp": time.time_ns() - round(AGE * 1e9)})
    assert NOW - 60.0 < robot.motion.drive.call_args.args[2] <= NOW - AGE


def test_a_velocity_from_before_a_stop_is_refused() -> None:
    receive, robot, warn = cmd_vel(stamped=True)
    robot.motion.refuse_if_stopped_since.side_effect = RequestRefusedError("it was stopped")
    message = TwistStamped()
    message.header.stamp.sec = round(NOW - AGE)
    receive(message, {"received_timestamp": time.time_ns()})
    robot.motion.refuse_if_stopped_since.assert_called_once_with(pytest.approx(NOW - AGE))
    robot.motion.drive.assert_not_called()
    assert warn.call_args.args[1] == "refused: it was stopped"
