# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""docs/migration against the code: every topic, service, parameter and call of this driver that a page names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from page_commands import blocks
from tools import reference_pages

from amigobot_driver import AmigoBot
from amigobot_driver.ros.actions import ACTIONS
from amigobot_driver.ros.interface import SERVICES
from amigobot_driver.ros.node import AmigobotNode
from amigobot_driver.ros.parameters import TABLE
from amigobot_driver.ros.topics import PUBLISHED, SUBSCRIBED

PAGES = Path(__file__).parents[1] / "docs" / "migration"
#: The page of each driver, and the column of its table of parameters that names those of this driver.
PAGE = {"p2os.md": 2, "rosaria.md": 3, "player.md": 2, "aria.md": 2}
PARAMETER_TABLES = ("## Parameters", "## The configuration file", "## Parameter files")

NODE = AmigobotNode  # its modules have registered every service
SPECS = {spec.name: spec for spec in TABLE}
PARAMETERS = SPECS.keys()
TOPICS = {name for topic in (*PUBLISHED, *SUBSCRIBED) for name in topic.names("0")}
NAMES = PARAMETERS | TOPICS | set(SERVICES) | {action.name for action in ACTIONS}


def text(name: str) -> str:
    return (PAGES / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGE)
def test_every_parameter_of_a_page_exists(name: str) -> None:
    (section,) = [
        part for part in re.split(r"^(?=## )", text(name), flags=re.MULTILINE) if part.startswith(PARAMETER_TABLES)
    ]
    cells = [row.split("|")[PAGE[name]] for row in section.splitlines() if row.startswith("|")]
    named = {found for cell in cells for found in re.findall(r"`([a-z]+(?:_[a-z]+)+|port|baud)\b", cell)}
    assert len(named) >= 7
    assert named <= PARAMETERS | SERVICES.keys()


@pytest.mark.parametrize("name", ["index.md", "aria.md"])
def test_the_node_accepts_the_parameter_file_of_a_page(name: str) -> None:
    (file,) = blocks(PAGES / name, "yaml")
    for parameter, value in yaml.safe_load(file)["/**"]["ros__parameters"].items():
        SPECS[parameter].check(value)


@pytest.mark.parametrize("name", PAGE)
def test_what_is_dangerous_stands_first(name: str) -> None:
    headings = re.findall(r"^## (.*)$", text(name), re.MULTILINE)
    assert headings[0] == "Dangerous if you do not know it"
    assert "cmd_vel_timeout" in text(name) or "duration=" in text(name)


def test_every_topic_and_service_that_a_page_gives_exists() -> None:
    for name in PAGE:
        for kind, named in re.findall(r"\b(topic|service|action|sub)s? `([\w/]+)`", text(name)):
            found = re.sub(r"_i$", "_0", named)
            if kind != "sub" and found not in NAMES:
                assert named == "disable_motors", f"{name}: {kind} {named}"


def test_the_calls_of_python_exist() -> None:
    column = [row.split("|")[2] for row in text("aria.md").splitlines() if row.count("|") == 4]
    calls = [call for cell in column for call in re.findall(r"`(\w+)(?:\(.*?\))?`", cell)]
    assert len(calls) > 12
    assert [
        call for call in calls if call != "AmigoBot" and call not in PARAMETERS and not hasattr(AmigoBot, call)
    ] == []


def test_the_tables_of_the_reference_are_known() -> None:
    tables = {"topics", "services", "parameters", "options", "messages", "robots", "launch_arguments"}
    assert tables == set(reference_pages.TABLES)
