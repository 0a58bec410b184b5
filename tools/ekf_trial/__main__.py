# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The table: errors of yaw and position, for the wheels alone and for the filter."""

from __future__ import annotations

import argparse
import json
import math
import pickle
import statistics
from collections.abc import Callable
from pathlib import Path

from .drives import CASES, Drive, Pose, drive
from .player import Player, running_filters

EKF = Path(__file__).parents[2] / "amigobot_navigation" / "config" / "ekf.yaml"
Errors = list[tuple[float, float, float]]
#: What the filter is compared with, by the heads of the columns.
WHEELS_AND_GYRO: dict[str, Callable[[Drive], list[Pose]]] = {
    "wheels alone": lambda drive: drive.wheels,
    "gyro alone": lambda drive: drive.mixed(),
    "gyro with a fifth of the wheels": lambda drive: drive.mixed(0.2),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="tools.ekf_trial", description=__doc__)
    parser.add_argument("--runs", type=int, default=20, help="drives of each case (default: 20)")
    parser.add_argument("--seconds", type=float, default=60.0, help="length of a drive (default: 60)")
    parser.add_argument("--case", choices=CASES, action="append", help="only this case; may be given several times")
    parser.add_argument("--file", type=Path, action="append", help="of the filter (default: ekf.yaml); may be repeated")
    parser.add_argument(
        "--without-filter", action="store_true", help="only wheels and gyro: needs no robot_localization"
    )
    parser.add_argument("--without-gyro", action="store_true", help="as on a robot that has none")
    parser.add_argument("--domain", type=int, default=77, help="ROS domain to use (default: 77)")
    parser.add_argument("--drives", type=Path, help="folder that keeps the drives for the next time")
    parser.add_argument("--json", type=Path, help="write the errors of every drive to this file")
    options = parser.parse_args()
    files: list[Path] = [] if options.without_filter else options.file or [EKF]
    results: dict[str, dict[str, Errors]] = {}
    player = Player(options.domain, len(files))
    heads = ["case", "drives", *WHEELS_AND_GYRO, *(f"{file.name}" for file in files)]
    print("yaw error on average, yaw error at the end, position error at the end (and the worst of it)\n")
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for case in options.case or CASES:
        errors: dict[str, Errors] = {name: [] for name in (*WHEELS_AND_GYRO, *map(str, files))}
        for seed in range(1, options.runs + 1):
            one = kept_drive(options.drives, case, seed, options.seconds)
            for name, poses in WHEELS_AND_GYRO.items():
                errors[name].append(one.errors(poses(one)))
            if not files:
                continue
            with running_filters(files, options.domain):
                found = player.play(one, imu=not options.without_gyro)
            for file, filtered in zip(files, found, strict=True):
                errors[str(file)].append(one.errors(filtered))
        results[case] = errors
        print(f"| {case} | {options.runs} | {' | '.join(map(shown, errors.values()))} |", flush=True)
    player.close()
    if options.json:
        options.json.write_text(json.dumps(results), encoding="utf-8")


def kept_drive(folder: Path | None, case: str, seed: int, seconds: float) -> Drive:
    """A drive, from this folder if it is there."""
    if folder is None:
        return drive(case, seed, seconds)
    file = folder / f"{case.replace(' ', '_')}-{seed}.pkl"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pickle.dumps(drive(case, seed, seconds)))
    kept: Drive = pickle.loads(file.read_bytes())
    return kept


def shown(errors: Errors) -> str:
    """The means over the drives, and the worst, in degrees and m."""
    yaws, last_yaws, ends = zip(*errors, strict=True)
    yaw, last_yaw = (math.degrees(statistics.fmean(values)) for values in (yaws, last_yaws))
    return f"{yaw:.2f} deg, {last_yaw:.2f} deg, {statistics.fmean(ends):.3f} m ({max(ends):.3f})"


if __name__ == "__main__":
    main()
