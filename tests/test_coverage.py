# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""docs/protocol/coverage.yaml says the truth: every command is there, every name is the node's, every test exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from tools.field_table import is_a_test
from tools.protocol_tables import coverage

from amigobot_driver.parameter_table import TABLE
from amigobot_driver.protocol import ERRATIC_COMMANDS, Command

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "amigobot_driver" / "test"
NODE = TESTS.parent / "amigobot_driver" / "ros"
COVERAGE = coverage()
#: AmigOS, AmigoSH, P2OS, and AROS with ARCOS
FIRMWARE = set("ASPR")
COMMANDS = {
    "activmedia": [command.name for command in Command if FIRMWARE & command.firmware.keys()],
    "erratic": [ERRATIC_COMMANDS[number].name for number in sorted(ERRATIC_COMMANDS)],
}
ROWS = [(kind, name) for kind in COMMANDS for name in COVERAGE[kind]]
SECTIONS = COVERAGE["pioneer_manual"] + COVERAGE["erratic_manual"]


def literals(folder: Path) -> set[str]:
    """Every text in the sources of a folder, and the parameters of the node."""
    nodes = (node for path in folder.glob("*.py") for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return texts | {spec.name for spec in TABLE}


@pytest.mark.parametrize("kind", COMMANDS)
def test_every_command_has_one_row_in_numerical_order(kind: str) -> None:
    assert list(COVERAGE[kind]) == COMMANDS[kind]


@pytest.mark.parametrize(("kind", "command"), ROWS)
def test_a_row_is_true(kind: str, command: str) -> None:
    row = COVERAGE[kind][command]
    assert names(row["here"]) or row["here"].startswith("sent by itself")
    assert names(row["here"]) <= literals(NODE), "the node has no such name"
    assert is_a_test(row["test"])


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: f"{section['section']} {section.get('offered', '')}")
def test_a_cited_section_of_a_manual_exists(section: dict[str, str]) -> None:
    here = section["here"]
    files = {name for name in names(here) if name.endswith((".py", ".yaml"))}
    assert all(list((TESTS.parent / "amigobot_driver").glob(name)) or list(TESTS.parent.glob(name)) for name in files)
    assert names(here) - files <= literals(NODE), "the node has no such name"
    if not (here.startswith("absent: ") and "test" not in section):
        assert is_a_test(section["test"])


def names(text: str) -> set[str]:
    """The names in code type, sonars and floor sensors by their pattern."""
    return {re.sub(r"range_\d+$", "range_{number}", name) for name in re.findall(r"`([^`]+)`", text)}
