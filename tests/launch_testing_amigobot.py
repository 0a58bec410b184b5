# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The launch file as `launch_test` runs it: the robot stands there, and every process ends well."""

from __future__ import annotations

import unittest

import launch_testing
import launch_testing.asserts
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, SetEnvironmentVariable
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_testing.actions import ReadyToTest

from amigobot_driver.resources import share
from amigobot_tools.demo.domain import free_domain

#: s; the machine may be busy.
_SOON = 60


def generate_test_description() -> LaunchDescription:
    """The driver on a simulated robot, in a domain of its own."""
    with free_domain() as domain:
        environment = {"ROS_DOMAIN_ID": str(domain), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    source = PythonLaunchDescriptionSource(str(share("launch", "amigobot.launch.py")))
    arguments = {"port": "sim://amigo?world=room", "description": "false"}
    return LaunchDescription(
        [
            *(SetEnvironmentVariable(name, value) for name, value in environment.items()),
            IncludeLaunchDescription(source, launch_arguments=arguments.items()),
            ReadyToTest(),
        ]
    )


class TestRunning(unittest.TestCase):
    def test_the_robot_is_found(self, proc_output: launch_testing.io_handler.ActiveIoHandler) -> None:
        proc_output.assertWaitFor("connected to", timeout=_SOON)

    def test_it_is_said_what_it_is(self, proc_output: launch_testing.io_handler.ActiveIoHandler) -> None:
        proc_output.assertWaitFor("profile amigo, because the robot reports Pioneer/amigo", timeout=_SOON)


@launch_testing.post_shutdown_test()
class TestEnded(unittest.TestCase):
    def test_every_process_ended_well(self, proc_info: launch_testing.ProcInfoHandler) -> None:
        launch_testing.asserts.assertExitCodes(proc_info, allowable_exit_codes=[0, -2, 130])
