# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""After the drive: read what was recorded, judge it, show it."""

from __future__ import annotations

from pathlib import Path

from amigobot_driver.cli import UsageError
from amigobot_driver.sim import load_world

from ..bag.reader import BagError
from .checks import check_comparison, check_recording
from .comparison import compare
from .live import Live
from .picture import Picture, draw
from .recording import RecordingError, read_packets, read_tour, read_truth
from .simulation import WORLD
from .summary import summary
from .supervisor import Supervisor


def evaluate(supervisor: Supervisor, out: Path, live: Live) -> list[str]:
    """Print the summary, draw the picture; what is not as it should be."""
    truth = comparison = world = None
    try:
        file = supervisor.bag if supervisor.with_ros else supervisor.packets
        recording = read_tour(file) if supervisor.with_ros else read_packets(file)
        if supervisor.simulation:
            world, truth = load_world(WORLD), read_truth(supervisor.simulation.truth)
            comparison = compare(recording.odometry, truth)
    except (BagError, RecordingError, UsageError) as error:
        return [str(error)]
    path = out / "tour.png"
    draw(Picture(recording=recording, world=world, truth=truth, comparison=comparison), path)
    for line in summary(recording, comparison, path, file):
        live.say(line)
    problems = list(check_recording(recording, supervisor.last.distance))
    return [*problems, *(check_comparison(comparison) if comparison else ())]
