# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The tables and files on the pages about Nav2 are those that the navigation package makes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from test_nav2_of_each_robot import fitted, printed, shapes

DOCS = Path(__file__).parents[1] / "docs" / "how-to"


def test_the_page_shows_what_a_laser_changes(capsys: pytest.CaptureFixture[str]) -> None:
    """docs/how-to/laser.md: each value in its block is the value that the command prints."""
    (block,) = [text for text in _yaml_blocks("laser.md") if "obstacle_layer" in text]

    def check(shown: Any, content: Any, path: str) -> None:
        if isinstance(shown, dict):
            for name, value in shown.items():
                check(value, content[name], f"{path}/{name}")
        else:
            assert shown == content, path

    check(yaml.safe_load(block), printed(capsys, "amigo", "--laser", "scan"), "")


def _yaml_blocks(page: str) -> list[str]:
    return re.findall(r"```yaml\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)


def test_the_page_has_the_shapes_of_an_amigobot() -> None:
    page = (DOCS / "nav2.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(?:Approach`, `)?(\w+)` \| (-[\d.]+) to ([\d.]+) \| ([^|]+) \|", page, re.MULTILINE)
    expected = shapes(fitted("amigo"))
    assert {name for name, *_ in rows} == expected.keys()
    for name, rear, front, beside in rows:
        points = expected[name]
        assert (float(rear), float(front)) == (min(x for x, _ in points), max(x for x, _ in points))
        assert set(map(float, re.findall(r"[\d.]+", beside))) == {abs(y) for _, y in points}
