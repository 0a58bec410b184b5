# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""python -m tools.recordings FOLDER: print how well the simulator agrees with recordings, and draw pictures."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from .clients import PHASES
from .picture import draw_all
from .recording import RecordingError, load
from .replay import Comparison, compare

#: s, of a network that delays packets for longer: it delays the commands as much, and no recording shows which
_LATE = 1.0


def main() -> None:
    """Compare every recording of a folder."""
    parser = argparse.ArgumentParser(prog="tools.recordings", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder with the recordings (*.json)")
    parser.add_argument("--robot", default="", help="profile of the robot; default: that of the file, or by its name")
    parser.add_argument(
        "--client", default="", choices=PHASES, help="node that drove; default: that of the file, or by its headings"
    )
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="also draw the pictures of the page here")
    options = parser.parse_args()
    print(f"{'recording':<22}{'client':<10}{'delay s':>8}{'speed rms m/s':>15}{'turn rms rad/s':>16}")
    results: list[Comparison] = []
    for path in sorted(options.folder.glob("*.json")):
        try:
            recording = load(path, options.robot, options.client)
        except RecordingError as error:
            print(f"{path.stem:<22}skipped: {error}")
            continue
        if not np.any(recording.speed) and not np.any(recording.turn_rate):
            print(f"{path.stem:<22}skipped: the robot did not move")
            continue
        timely, best = compare(recording)
        note = f"  {len(best.late)} repeat of p2os late; else {timely.speed_rms:.4f}" if best.late else ""
        if recording.lateness > _LATE:
            note += f"  not in the mean: packets up to {recording.lateness:.1f} s late"
        print(
            f"{path.stem:<22}{recording.client:<10}{best.delay:8.2f}{best.speed_rms:15.4f}{best.turn_rms:16.4f}{note}"
        )
        results.append(best)
    counted = [each for each in results if each.recording.lateness <= _LATE]
    for robot in sorted({each.recording.robot for each in counted}):
        own = [(each.speed_rms, each.turn_rms) for each in counted if each.recording.robot == robot]
        speed, turn = np.mean(own, axis=0)
        print(f"mean of {robot:<32}{speed:15.4f}{turn:16.4f}")
    if options.pictures:
        draw_all(options.pictures, {each.recording.name: each for each in results})


if __name__ == "__main__":
    main()
