# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""docs/migration against the code: every parameter of the other drivers has a row, every name here exists."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest
from page_commands import blocks
from tools import reference_pages

from amigobot_driver import AmigoBot
from amigobot_driver.cli import import_file
from amigobot_driver.cli.imports.sources import SOURCES
from amigobot_driver.ros.actions import ACTIONS
from amigobot_driver.ros.interface import SERVICES
from amigobot_driver.ros.node import AmigobotNode
from amigobot_driver.ros.parameters import TABLE
from amigobot_driver.ros.topics import PUBLISHED, SUBSCRIBED

PAGES = Path(__file__).parents[2] / "docs" / "migration"
#: The page of each driver, and the columns of its tables that name things of this driver, counted from the end.
PAGE = {"p2os": "p2os.md", "rosaria": "rosaria.md", "rosaria2": "rosaria.md", "player": "player.md", "aria": "aria.md"}

NODE = AmigobotNode  # its modules have registered every service
PARAMETERS = {spec.name for spec in TABLE}
TOPICS = {name for topic in (*PUBLISHED, *SUBSCRIBED) for name in topic.names("0")}
NAMES = PARAMETERS | TOPICS | set(SERVICES) | {action.name for action in ACTIONS}
#: Keys of Player's files that every driver has, and the option that stands for the file itself.
OF_EVERY_DRIVER = {"name", "provides", "requires", "plugin", "alwayson", "fov", "param_file"}


def text(name: str) -> str:
    return (PAGES / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SOURCES)
def test_every_parameter_has_a_row(name: str) -> None:
    rows = [line for line in text(PAGE[name]).splitlines() if line.startswith("|")]
    missing = [
        key for key in SOURCES[name].rules if key not in OF_EVERY_DRIVER and not any(f"`{key}`" in row for row in rows)
    ]
    assert missing == []


@pytest.mark.parametrize("name", SOURCES)
def test_the_row_of_a_parameter_names_its_counterpart(name: str) -> None:
    rows = [line for line in text(PAGE[name]).splitlines() if line.startswith("|")]
    for key, rule in SOURCES[name].rules.items():
        if rule.parameter and key not in OF_EVERY_DRIVER:
            assert any(f"`{key}`" in row and f"`{rule.parameter}" in row for row in rows), key


@pytest.mark.parametrize("name", sorted(set(PAGE.values())))
def test_what_is_dangerous_stands_first(name: str) -> None:
    headings = re.findall(r"^## (.*)$", text(name), re.MULTILINE)
    assert headings[0] == "Dangerous if you do not know it"
    assert "cmd_vel_timeout" in text(name) or "duration=" in text(name)


def test_every_topic_and_service_that_a_page_gives_exists() -> None:
    for name in set(PAGE.values()):
        for kind, named in re.findall(r"\b(topic|service|action|sub)s? `([\w/]+)`", text(name)):
            found = re.sub(r"_i$", "_0", named)
            if kind != "sub" and found not in NAMES:
                assert named == "disable_motors", f"{name}: {kind} {named}"


def test_the_launch_file_on_the_page_becomes_what_the_page_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (launch,), (shown,) = blocks(PAGES / "index.md", "xml"), blocks(PAGES / "index.md", "yaml")
    (tmp_path / "p2os.launch").write_text(launch, encoding="utf-8")
    assert import_file.run(argparse.Namespace(file=tmp_path / "p2os.launch", source=None)) == 0
    assert capsys.readouterr().out == shown


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
