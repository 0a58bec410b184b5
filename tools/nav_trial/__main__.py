# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Starts robot, Nav2 and goals; writes the result as JSON and as a picture, and one line of summary."""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import signal
import statistics
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from ament_index_python.packages import get_package_share_directory
from rclpy.executors import ExternalShutdownException

from amigobot_driver.profiles import load_profile
from amigobot_driver.sim import WorldPose, load_world, parse_pose
from amigobot_navigation.nav2 import fit_nav2

from .client import Attempt, Client, Costs
from .moments import Recorder
from .office import Floor, Goal
from .parameters import for_speed, override, tree_for_speed
from .pictures import draw_costs, draw_paths

_NAVIGATION = Path(__file__).resolve().parents[2] / "amigobot_navigation"
#: Nav2's default behavior tree.
_TREE = "navigate_to_pose_w_replanning_and_recovery.xml"


def main() -> None:
    parser = argparse.ArgumentParser(prog="tools.nav_trial", description=__doc__)
    parser.add_argument("--goals", type=int, default=20, help="number of goals (default: 20)")
    parser.add_argument("--seed", type=int, default=1, help="of goals, sonars and gyro (default: 1)")
    parser.add_argument("--goal", action="append", help="X,Y,DEG: this goal instead of random ones; may be repeated")
    parser.add_argument("--start", help="X,Y,DEG: where the robot starts (default: where the world has robots start)")
    parser.add_argument("--within", type=float, default=math.inf, help="m: only goals so near to a wall")
    parser.add_argument("--robot", default="amigo", help="profile of the robot (default: amigo)")
    parser.add_argument("--world", default="office", help="world that has a map (default: office)")
    parser.add_argument("--wear", action="append", default=[], help="NAME=VALUE, as of amigobot sim, such as slip=0.1")
    parser.add_argument("--speed", type=float, default=1.0, help="simulated seconds in a second, at most (default: 1)")
    parser.add_argument("--limit", type=float, default=240.0, help="s for a goal before it is cancelled (default: 240)")
    parser.add_argument("--params-file", type=Path, help="parameters of Nav2 (default: those of the package)")
    parser.add_argument("--set", action="append", default=[], help="NODE.PARAMETER=VALUE for Nav2; may be repeated")
    parser.add_argument("--launch-argument", action="append", default=[], help="NAME:=VALUE for navigation.launch.py")
    parser.add_argument(
        "--moments", type=float, metavar="S", help="write a local costmap into moments.jsonl every S seconds"
    )
    parser.add_argument("--output", type=Path, default=Path("nav_trial"), help="folder (default: ./nav_trial)")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    world = load_world(options.world)
    if options.start:
        world = replace(world, start=parse_pose(options.start))
    profile = load_profile(options.robot)
    floor = Floor(world, profile.body)
    goals = [goal_of(text) for text in options.goal or ()] or list(
        itertools.islice(floor.goals(options.seed, options.within), options.goals)
    )
    processes = start(options)
    attempts: list[Attempt] = []
    pictures = itertools.count(1)

    def on_trouble(attempt: Attempt, costs: list[Costs]) -> None:
        name = f"{len(attempts) + 1}-{next(pictures)}.png"
        draw_costs(options.output / name, floor, attempt, costs, truth_of(options)[-1])

    try:
        client = Client(on_trouble)
        if options.moments:
            recorder = Recorder(
                client.node, options.output / "moments.jsonl", options.moments, len(profile.sonar.poses)
            )
        client.wait_for_nav2(world.start)
        for number, goal in enumerate(goals, 1):
            attempts.append(client.go(goal, options.limit))
            one = attempts[-1]
            write(options, floor, attempts)
            print(
                f"{number:3d} ({goal.x:.2f}, {goal.y:.2f}) {one.status} {one.end - one.begin:.0f} s, "
                f"{one.recoveries} recoveries, {one.touches} touches, clearance {one.clearance:.3f}, "
                f"off {one.off:.2f}, lost {one.lost:.2f}, error {one.error}",
                flush=True,
            )
        if options.moments:
            recorder.close()
        client.close()
    except (KeyboardInterrupt, ExternalShutdownException):
        print("interrupted: the summary is of the goals that were completed")
    finally:
        for process in processes:
            process.send_signal(signal.SIGINT)
        for process in processes:
            try:
                process.wait(20.0)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
    if not attempts:
        return
    print(write(options, floor, attempts))
    draw_paths(options.output / "trial.png", floor, attempts)


def goal_of(text: str) -> Goal:
    """X,Y or X,Y,DEG."""
    x, y, *heading = map(float, text.split(","))
    return Goal(x, y, math.radians(heading[0]) if heading else 0.0)


def start(options: argparse.Namespace) -> list[subprocess.Popen[bytes]]:
    """Nav2 by its launch file, and the robot."""
    launch = ["ros2", "launch", "amigobot_navigation", "navigation.launch.py", "use_sim_time:=true"]
    launch += [f"robot:={options.robot}", f"params_file:={parameters(options)}"]
    launch += [f"map:={_NAVIGATION / 'maps' / options.world}.yaml", *options.launch_argument]
    robot = [sys.executable, "-m", "tools.nav_trial.robot", "--truth", str(options.output / "truth.jsonl")]
    for name in ("robot", "world", "seed", "speed"):
        robot += [f"--{name}", str(getattr(options, name))]
    robot += [f"--start={options.start}"] if options.start else []
    robot += [f"--wear={one}" for one in options.wear]
    processes = []
    for name, command in (("nav2", launch), ("robot", robot)):
        log = (options.output / f"{name}.log").open("wb")
        processes.append(subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True))
    return processes


def parameters(options: argparse.Namespace) -> Path:
    """Write Nav2's parameters and its behavior tree for this trial."""
    text = (options.params_file or _NAVIGATION / "config" / "nav2.yaml").read_text(encoding="utf-8")
    content = override(fit_nav2(yaml.safe_load(text), load_profile(options.robot)), options.set)
    trees = Path(get_package_share_directory("nav2_bt_navigator"), "behavior_trees")
    navigator = content["bt_navigator"]["ros__parameters"]
    source = Path(navigator.get("default_nav_to_pose_bt_xml", trees / _TREE))
    tree = (options.output / "tree.xml").resolve()
    tree.write_text(tree_for_speed(source.read_text(encoding="utf-8"), options.speed), encoding="utf-8")
    file: Path = (options.output / "nav2.yaml").resolve()
    file.write_text(yaml.safe_dump(for_speed(content, options.speed, tree), sort_keys=False), encoding="utf-8")
    return file


def truth_of(options: argparse.Namespace) -> list[dict[str, float]]:
    """The true poses so far."""
    lines = (options.output / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line[-1] == "}"]


def write(options: argparse.Namespace, floor: Floor, attempts: list[Attempt]) -> str:
    """The result so far as JSON; returns the summary."""
    truth = truth_of(options)
    for attempt in attempts:
        if math.isnan(attempt.clearance):
            judge(attempt, [line for line in truth if attempt.begin <= line["t"] <= attempt.end], floor)
    good = [attempt for attempt in attempts if attempt.status == "succeeded"]
    untouched = [attempt for attempt in good if not attempt.touches]
    times = [attempt.end - attempt.begin for attempt in good] or [math.nan]
    summary = (
        f"{options.robot}, seed {options.seed}: {len(good)} of {len(attempts)} goals reached, {len(untouched)} of them "
        f"without a touch; {sum(bool(attempt.touches) for attempt in attempts)} goals with a touch; "
        f"{statistics.median(times):.0f} s a goal, {max(times):.0f} at most; "
        f"{sum(attempt.recoveries for attempt in attempts)} recoveries; "
        f"nearest to a wall {min(attempt.clearance for attempt in attempts):.3f} m"
    )
    content: dict[str, Any] = {"summary": summary, "attempts": [attempt.as_dict() for attempt in attempts]}
    (options.output / "trial.json").write_text(json.dumps(content, indent=1), encoding="utf-8")
    return summary


def judge(attempt: Attempt, truth: list[dict[str, float]], floor: Floor) -> None:
    """What really happened between the begin and the end of an attempt."""
    if not truth:
        return
    poses = [WorldPose(line["x"], line["y"], line["heading"]) for line in truth]
    attempt.path = [(pose.x, pose.y) for pose in poses[::5]]
    attempt.touches = sum(bool(line["touching"]) for line in truth)
    attempt.clearance = min(floor.clearance(pose) for pose in poses[::2])
    attempt.lost = max((distance_at(truth, *seen) for seen in attempt.seen), default=math.nan)
    attempt.off = math.dist((poses[-1].x, poses[-1].y), (attempt.goal.x, attempt.goal.y))


def distance_at(truth: list[dict[str, float]], time: float, x: float, y: float) -> float:
    """From a place to that of the robot at that time, m."""
    number = round((time - truth[0]["t"]) / (truth[-1]["t"] - truth[0]["t"] + 1e-9) * (len(truth) - 1))
    line = truth[min(max(number, 0), len(truth) - 1)]
    return math.dist((x, y), (line["x"], line["y"]))


if __name__ == "__main__":
    main()
