# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Each program in examples/ runs on the simulated robot and does what it says."""

from __future__ import annotations

import ast
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"

pytestmark = pytest.mark.timeout(300)


def run(name: str, *arguments: str) -> str:
    """What an example prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "amigobot_driver")}
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=250)
    assert result.returncode == 0, result.stderr
    return result.stdout


def number(pattern: str, text: str) -> float:
    found = re.search(pattern, text)
    assert found, text
    return float(found[1])


def test_the_square_ends_where_it_began() -> None:
    output = run("square.py", "--side", "0.2")
    assert output.count("corner") == 4
    assert number(r"back at the start: ([\d.]+) m off", output) < 0.1


def test_the_wanderer_travels() -> None:
    assert number(r"travelled ([\d.]+) m", run("wander.py", "--seconds", "5")) > 0.1


def test_the_wall_is_followed_at_its_distance() -> None:
    distances = [float(text) for text in re.findall(r"wall at ([\d.]+) m", run("follow_wall.py", "--seconds", "6"))]
    assert distances
    assert all(0.2 < distance < 0.6 for distance in distances)


def test_the_sonar_plot_shows_the_robot_among_echoes() -> None:
    output = run("sonar_plot.py", "--degrees", "45")
    assert output.count("R") == 1
    assert output.count("#") > 5


def test_the_log_has_a_line_for_each_report(tmp_path: Path) -> None:
    file = tmp_path / "robot.csv"
    assert "0 reports were lost" in run("log_to_csv.py", str(file), "--seconds", "2")
    header, *lines = (line.split(",") for line in file.read_text().splitlines())
    assert header[:4] == ["time", "x", "y", "yaw"] and header[-1] == "sonar_7"
    assert len(lines) >= 10
    assert all(len(line) == len(header) and math.isfinite(float(line[1])) for line in lines)


def test_both_robots_move() -> None:
    output = run("two_robots.py")
    assert re.search(r"Anna turned by (8\d|9\d) deg and travelled 0\.(29|3\d) m", output)
    assert re.search(r"Otto turned by -(8\d|9\d) deg and travelled 0\.(29|3\d) m", output)


def test_every_example_is_run_here_and_takes_a_port() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    for path in EXAMPLES.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert f'run("{path.name}"' in source
        assert '"--port", default="sim://' in text
        assert ast.get_docstring(ast.parse(text))
