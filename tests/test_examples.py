# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Each program in examples/ runs on the simulated robot and does what it says."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from programs import environment, run_python

ROOT = Path(__file__).parents[1]
EXAMPLES, TOOLS = ROOT / "examples", ROOT / "amigobot_tools"

pytestmark = pytest.mark.timeout(300)


def run(name: str, *arguments: str) -> str:
    """What an example prints."""
    return run_python(str(EXAMPLES / name), *arguments, PYTHONPATH=environment(TOOLS)["PYTHONPATH"])


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


@pytest.fixture
def bag(tmp_path: Path) -> Path:
    """Three poses on /odom, as ROS 2 records them."""
    pytest.importorskip("rclpy", reason="rclpy is not installed")
    from test_bag import write

    write(tmp_path / "my_bag")
    return tmp_path / "my_bag"


def test_the_path_of_a_bag_is_drawn_and_written(bag: Path, tmp_path: Path) -> None:
    table, drawing = tmp_path / "path.csv", tmp_path / "path.png"
    assert "3 poses, the last at x=1.00 m, y=-0.50 m" in run("plot_path.py", str(bag), "--out", str(table))
    assert table.read_text().split() == ["time,x,y", "0.5,0.0,-0.0", "1.5,0.5,-0.25", "2.5,1.0,-0.5"]
    assert "3 poses" in run("plot_path.py", str(table), "--out", str(drawing))
    assert drawing.read_bytes().startswith(b"\x89PNG")


def test_fields_of_a_bag_topic_are_printed_as_csv(bag: Path) -> None:
    fields = "pose.pose.position.x", "header.frame_id"
    table = run("bag_to_csv.py", str(bag), "/odom", *fields)
    assert table.split() == [",".join(("time", *fields)), "0.0,0.0,odom", "1.0,0.5,odom", "2.0,1.0,odom"]
