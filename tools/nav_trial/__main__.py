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
from pathlib import Path
from typing import Any

from amigobot_driver.profiles import load_profile
from amigobot_driver.sim import Pose, load_world

from .client import Attempt, Client
from .office import Floor, Goal


def main() -> None:
    parser = argparse.ArgumentParser(prog="tools.nav_trial", description=__doc__)
    parser.add_argument("--goals", type=int, default=20, help="number of goals (default: 20)")
    parser.add_argument("--seed", type=int, default=1, help="of goals, sonars and gyro (default: 1)")
    parser.add_argument("--goal", action="append", help="X,Y,DEG: this goal instead of random ones; may be repeated")
    parser.add_argument("--robot", default="amigo", help="profile of the robot (default: amigo)")
    parser.add_argument("--world", default="office", help="world that has a map (default: office)")
    parser.add_argument("--slip", type=float, default=0.0, help="share of each 10 ms step that a wheel slips")
    parser.add_argument("--speed", type=float, default=1.0, help="simulated seconds in a second, at most (default: 1)")
    parser.add_argument("--limit", type=float, default=240.0, help="s for a goal before it is cancelled (default: 240)")
    parser.add_argument("--params-file", type=Path, help="parameters of Nav2 (default: those of the package)")
    parser.add_argument("--launch-argument", action="append", default=[], help="NAME:=VALUE for navigation.launch.py")
    parser.add_argument("--output", type=Path, default=Path("nav_trial"), help="folder (default: ./nav_trial)")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    world = load_world(options.world)
    floor = Floor(world, load_profile(options.robot).body)
    goals = [goal_of(text) for text in options.goal or ()] or list(
        itertools.islice(floor.goals(options.seed), options.goals)
    )
    processes = start(options)
    attempts: list[Attempt] = []
    try:
        client = Client()
        client.wait_for_nav2(world.start)
        for number, goal in enumerate(goals, 1):
            attempts.append(client.go(goal, options.limit))
            one = attempts[-1]
            print(
                f"{number:3d} ({goal.x:.2f}, {goal.y:.2f}) {one.status} {one.end - one.begin:.0f} s, "
                f"{one.recoveries} recoveries {one.error}",
                flush=True,
            )
            write(options, floor, attempts)
        client.close()
    finally:
        for process in processes:
            process.send_signal(signal.SIGINT)
        for process in processes:
            try:
                process.wait(20.0)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
    print(write(options, floor, attempts))
    picture(options.output / "trial.png", floor, attempts)


def goal_of(text: str) -> Goal:
    """X,Y or X,Y,DEG."""
    x, y, *heading = map(float, text.split(","))
    return Goal(x, y, math.radians(heading[0]) if heading else 0.0)


def start(options: argparse.Namespace) -> list[subprocess.Popen[bytes]]:
    """Nav2 by its launch file, and the robot."""
    launch = ["ros2", "launch", "amigobot_navigation", "navigation.launch.py", "use_sim_time:=true"]
    launch += [f"robot:={options.robot}", *options.launch_argument]
    launch += [f"map:={Path(__file__).parents[2] / 'amigobot_navigation' / 'maps' / options.world}.yaml"]
    if options.params_file:
        launch.append(f"params_file:={options.params_file}")
    robot = [sys.executable, "-m", "tools.nav_trial.robot", "--truth", str(options.output / "truth.jsonl")]
    for name in ("robot", "world", "seed", "slip", "speed"):
        robot += [f"--{name}", str(getattr(options, name))]
    processes = []
    for name, command in (("nav2", launch), ("robot", robot)):
        log = (options.output / f"{name}.log").open("wb")
        processes.append(subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True))
    return processes


def write(options: argparse.Namespace, floor: Floor, attempts: list[Attempt]) -> str:
    """The result so far as JSON; returns the summary."""
    truth = [json.loads(line) for line in (options.output / "truth.jsonl").read_text().splitlines() if line[-1] == "}"]
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
    poses = [Pose(line["x"], line["y"], line["heading"]) for line in truth]
    attempt.path = [(pose.x, pose.y) for pose in poses[::5]]
    attempt.touches = sum(bool(line["touching"]) for line in truth)
    attempt.clearance = min(floor.clearance(pose) for pose in poses[::2])
    attempt.off = math.dist((poses[-1].x, poses[-1].y), (attempt.goal.x, attempt.goal.y))


def picture(file: Path, floor: Floor, attempts: list[Attempt]) -> None:
    """Walls, ways and goals; what failed or touched is red."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(14, 9))
    for wall in floor.world.segments:
        axes.plot([wall.x1, wall.x2], [wall.y1, wall.y2], color="black", linewidth=1)
    for attempt in attempts:
        color = "tab:blue" if attempt.status == "succeeded" and not attempt.touches else "tab:red"
        if attempt.path:
            axes.plot(*zip(*attempt.path, strict=True), color=color, linewidth=0.6)
        axes.plot(attempt.goal.x, attempt.goal.y, "x", color=color)
    axes.set_aspect("equal")
    figure.savefig(file, dpi=100)
    pyplot.close(figure)


if __name__ == "__main__":
    main()
