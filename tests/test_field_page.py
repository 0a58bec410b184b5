# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""docs/reference/field.md is made of its data file, and the tests and simulator options that it names exist."""

from __future__ import annotations

import argparse
import shlex

from tools import field_table

from amigobot_driver.cli import sim
from amigobot_driver.sim import build_simulator

FACTS = [fact for facts in field_table.topics().values() for fact in facts]


def test_the_page_is_up_to_date() -> None:
    assert field_table.FILE.read_text(encoding="utf-8") == field_table.text(), "./run python -m tools.field_table"


def test_each_named_test_exists() -> None:
    assert [fact.test for fact in FACTS if fact.test and not field_table.is_a_test(fact.test)] == []


def test_the_simulator_takes_each_named_option() -> None:
    parser = argparse.ArgumentParser()
    sim.add_arguments(parser)
    for option in {fact.sim for fact in FACTS if fact.sim}:
        where = [] if "--tcp" in option else ["--pty", "unused"]
        build_simulator(sim._options(parser.parse_args([*where, *shlex.split(option)])))
