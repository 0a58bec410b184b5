# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""docs/cli.md against the command: each subcommand has its section, and the generated parts are those of the code."""

from __future__ import annotations

import importlib
import re

import pytest
from source_subcommands import SUBCOMMANDS
from tools import cli_page

from amigobot_driver.cli.subcommands import BUILT_IN

PAGE = cli_page.FILE.read_text(encoding="utf-8")


pytestmark = pytest.mark.usefixtures("own_subcommands")


def test_every_subcommand_has_one_section_of_the_page() -> None:
    assert sorted(re.findall(r"^## (\w+)$", PAGE, re.MULTILINE)) == sorted([*BUILT_IN, *SUBCOMMANDS])
    assert sorted(name for _, name, _ in cli_page.BLOCK.findall(PAGE)) == sorted(
        [*BUILT_IN, *SUBCOMMANDS, cli_page.TABLE, cli_page.COMMON]
    )


def test_the_generated_parts_are_those_of_the_code() -> None:
    assert cli_page.text(PAGE) == PAGE, "stale: write them anew with ./run python -m tools.cli_page"


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_every_entry_point_is_a_subcommand(name: str) -> None:
    module = importlib.import_module(SUBCOMMANDS[name])
    assert callable(module.add_arguments) and callable(module.run)
