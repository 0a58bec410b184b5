# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What only Linux has is not needed: the API and the subcommands work without it, as on macOS."""

from __future__ import annotations

from programs import run_python

#: Takes away what the standard library has on Linux only.
ELSEWHERE = """
import socket, sys, time
del time.CLOCK_BOOTTIME
for name in ("CLOCK_TAI", "CLOCK_MONOTONIC_RAW"):
    if hasattr(time, name):
        delattr(time, name)
"""
DRIVE = """
from amigobot_driver import AmigoBot
with AmigoBot(sys.argv[1], timeout=60) as robot:
    robot.move(0.1)
    print(round(robot.pose.x, 1))
"""
SUBCOMMANDS = """
from amigobot_driver.cli import main
for subcommand in ("find", "config", "record"):
    try:
        main([subcommand, "--help"])
    except SystemExit as end:
        assert end.code == 0
main(["io", "--port", "sim://amigo?baud=115200"])
"""


def test_the_api_drives_a_robot() -> None:
    assert run_python("-c", ELSEWHERE + DRIVE, "sim://amigo?world=empty&baud=115200") == "0.1\n"


def test_subcommands_work() -> None:
    assert "digital inputs" in run_python("-c", ELSEWHERE + SUBCOMMANDS)
