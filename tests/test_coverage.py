# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""docs/protocol/coverage.md says the truth: every command has a row, every name is the node's, every test exists."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from amigobot_driver.protocol import Command, ErraticCommand

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "amigobot_driver" / "test"
NODE = TESTS.parent / "amigobot_driver" / "ros"


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    number: int
    command: str
    firmware: str
    how: str
    proof: str


@dataclass(frozen=True)
class Section:
    """One line of the table of a manual."""

    name: str
    where: str
    proof: str


CELLS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs" / "protocol" / "coverage.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("|") and not line.startswith(("|-", "| #", "| Section"))
]
ROWS = [Row(int(cells[0]), *cells[1:]) for cells in CELLS if len(cells) == 5]
SECTIONS = [Section(*cells) for cells in CELLS if len(cells) == 3]
#: AmigOS, AmigoSH, P2OS, and AROS with ARCOS
FIRMWARE = "ASPR"
COMMANDS = [command for command in Command if set(FIRMWARE) & command.firmware.keys()]


def literals(folder: Path) -> set[str]:
    """Every text in the sources of a folder."""
    nodes = (node for path in folder.glob("*.py") for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def names_of_tests(path: Path) -> set[str]:
    """The tests of a file as pytest names them, without the file and the parameters."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{item.name}" for item in node.body if isinstance(item, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            found.add(node.name)
    return found


def test_every_command_has_one_row_in_the_order_of_the_numbers() -> None:
    assert [(row.number, row.command) for row in ROWS] == [(command.number, command.name) for command in COMMANDS]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.command)
def test_a_row_is_true(row: Row) -> None:
    firmware = Command[row.command].firmware
    assert row.firmware.split() == [f"{letter}{firmware[letter]}" for letter in FIRMWARE if letter in firmware]
    names = re.findall(r"`([^`]+)`", row.how)
    assert names or row.how.startswith("sent by itself")
    assert set(names) <= literals(NODE), "the node has no such name"
    assert_is_a_test(row.proof)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_a_section_of_the_manual_is_where_it_is_said_to_be(section: Section) -> None:
    names = re.findall(r"`([^`]+)`", section.where)
    files = {name for name in names if name.endswith((".py", ".yaml"))}
    assert all(list((TESTS.parent / "amigobot_driver").glob(name)) or list(TESTS.parent.glob(name)) for name in files)
    assert set(names) - files <= literals(NODE), "the node has no such name"
    if section.where.startswith("absent: ") and section.proof == "-":
        return
    assert_is_a_test(section.proof)


def assert_is_a_test(proof: str) -> None:
    """Whether there is the test that is named."""
    file, _, test = proof.strip("`").partition("::")
    assert test.rpartition("::")[2].startswith("test_")
    [path] = [folder / file for folder in (TESTS, ROOT / "tests") if (folder / file).is_file()]
    assert test in names_of_tests(path)


# -- the Erratic: tables of four columns ----------------------------------------------------------------------


def table(title: str) -> list[list[str]]:
    """The rows under a heading, without the table's head."""
    text = (ROOT / "docs" / "protocol" / "coverage.md").read_text(encoding="utf-8").partition(f"\n## {title}\n")[2]
    lines = [line for line in text.partition("\n## ")[0].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


ERRATIC = table("Erratic")
MANUAL = table("The Erratic's manual, point by point")
#: The sections of that manual that describe features for programmers.
TO_BE_ANSWERED = (
    *("5.1", "5.2", "5.3", "5.4", "5.5", "5.5.1", "5.5.2", "5.5.4", "5.5.5", "5.5.6", "5.5.7", "5.5.8"),
    *("5.6.1", "5.6.2", "5.6.3", "5.7", "5.8", "A.1", "A.2", "A.3", "A.4", "A.5", "A.6", "B", "D"),
    *("E.1", "E.4", "E.5", "E.7", "E.8", "E.9", "E.10", "E.11"),
)


def test_every_command_of_the_erratic_has_one_row_in_the_order_of_the_numbers() -> None:
    rows = [(int(number), name) for number, name, *_ in ERRATIC]
    assert rows == sorted((command.number, command.name) for command in ErraticCommand)


def test_no_section_of_its_manual_is_left_out() -> None:
    assert set(TO_BE_ANSWERED) <= {section for section, *_ in MANUAL}


@pytest.mark.parametrize("row", ERRATIC + MANUAL, ids=lambda row: f"{row[0]} {row[1]}")
def test_a_row_of_the_erratic_is_true(row: list[str]) -> None:
    _, _, how, proof = row
    names = [re.sub(r"range_\d+$", "range_{number}", name) for name in re.findall(r"`([^`]+)`", how)]
    absent = how.startswith("absent: ")
    assert names or absent or how.startswith(("as 5.", "kept", "sent by itself"))
    assert set(names) <= literals(NODE), "the node has no such name"
    if not (absent and proof == "-"):
        assert_is_a_test(proof)
