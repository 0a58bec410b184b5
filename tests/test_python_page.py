# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""docs/python.md: its programs run as they stand on the page, and its tables are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from programs import run_python
from tools.python_reference import FILE, page

PAGE = FILE.read_text(encoding="utf-8")
*PROGRAMS, TEST = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)

#: What each program prints, in their order on the page.
PRINTED = (
    r"Pose\(x=0\..*\nSonarReading\(number=0, range=.*\nBatteryState\(volts=12",
    r"stopped after \d.\d\d m: ",
    r"^0\.[5-9]",
    r"^[01]\.\d",
    r"the nearest thing on the left is \d",
    r"0 reports were lost",
    r"/dev/ttyUSB7: there is no such port; is the adapter plugged in\? .* \(no robot after ",
    r"Pose\(x=0\.[23]",
)

assert len(PROGRAMS) == len(PRINTED)
#: What a program that prints nothing is asked at its end: m that were driven.
PROGRAMS[2] += "    print(robot.get_feedback().covered)\n"
PROGRAMS[3] += "    print(robot.odometry.travelled)\n"

pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize(("number", "printed"), enumerate(PRINTED))
def test_a_program_of_the_page_prints_as_shown(number: int, printed: str) -> None:
    assert re.search(printed, run_python("-c", PROGRAMS[number]))


def test_the_test_of_the_page_passes(tmp_path: Path) -> None:
    file = tmp_path / "test_robot.py"
    file.write_text(TEST, encoding="utf-8")
    assert "1 passed" in run_python("-m", "pytest", "-q", "-p", "no:cacheprovider", str(file))


def test_the_tables_are_those_of_the_code() -> None:
    assert page(PAGE) == PAGE, "run python -m tools.python_reference"
