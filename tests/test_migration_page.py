# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""docs/migration against the code: every topic, service, parameter and call of this driver that it names exists."""

from __future__ import annotations

import re
from pathlib import Path

from amigobot_driver import AmigoBot
from amigobot_driver.parameter_table import TABLE
from amigobot_driver.ros.actions import ACTIONS
from amigobot_driver.ros.interface import SERVICES
from amigobot_driver.ros.node import AmigobotNode
from amigobot_driver.ros.topics import PUBLISHED, SUBSCRIBED

PAGE = Path(__file__).parents[1] / "docs" / "migration" / "index.md"
NODE = AmigobotNode  # its modules have registered every service
TOPICS = {name for topic in (*PUBLISHED, *SUBSCRIBED) for name in topic.names("0")}
NAMES = {spec.name for spec in TABLE} | TOPICS | SERVICES.keys() | ACTIONS.keys()
#: Names in the column "here" that are no part of the node's interface.
OTHERS = {"amigobot_driver", "amigobot_node", "motors_enabled", "charge_state", "robot_description", "unit_angle"}


def here() -> list[str]:
    """The last cell of each row."""
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return [re.split(r"(?<!\\)\|", row)[-2] for row in rows]


def test_every_name_of_this_driver_exists() -> None:
    named = {name for cell in here() for name in re.findall(r"`([a-z]+(?:[_/][a-z0-9]+)+)`", cell)}
    assert len(named) > 40
    assert named - NAMES - OTHERS - {"sonar_0_link"} == set()


def test_the_calls_of_python_exist() -> None:
    column = [row.split("|")[2] for row in PAGE.read_text(encoding="utf-8").splitlines() if row.count("|") == 4]
    calls = {call for cell in column for call in re.findall(r"`(\w+)(?:\(.*?\))?`", cell)} - {"AmigoBot"}
    assert len(calls) > 12
    assert [call for call in calls if not hasattr(AmigoBot, call)] == []
