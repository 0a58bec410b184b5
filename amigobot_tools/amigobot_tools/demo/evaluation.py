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
from .stage import Stage
from .summary import summary


def evaluate(stage: Stage, out: Path, live: Live) -> list[str]:
    """Print the summary, draw the picture; what is not as it should be."""
    truth = comparison = world = None
    try:
        file = stage.bag if stage.with_ros else stage.packets
        recording = read_tour(file) if stage.with_ros else read_packets(file)
        if stage.simulation:
            world, truth = load_world(WORLD), read_truth(stage.simulation.truth)
            comparison = compare(recording.odometry, truth)
    except (BagError, RecordingError, UsageError) as error:
        return [str(error)]
    path = out / "tour.png"
    draw(Picture(recording=recording, world=world, truth=truth, comparison=comparison), path)
    for line in summary(recording, comparison, path, file):
        live.say(line)
    return [*check_recording(recording, stage.last.way), *(check_comparison(comparison) if comparison else ())]
