# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Write the pictures into docs/images.

    ./run python -m tools.pictures                  all of them
    ./run python -m tools.pictures tour frames      these

The screens need tmux, the dashboard needs chromium and chromedriver. A picture whose source is missing
stays as it is, and the program says what is missing. Look at each picture before it is committed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from amigobot_driver.sim import load_world

from . import drawings, try_page
from .dashboard import photograph
from .missing import MissingProgramError
from .odometry import draw_odometry
from .terminals import show_terminals

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"


def _tour() -> None:
    room = load_world("room")
    drawings.animate(room, drawings.drive(room), IMAGES / "tour.gif")


PICTURES: dict[str, Callable[[], None]] = {
    "robots": lambda: drawings.draw_robots(IMAGES / "robots.png"),
    "frames": lambda: drawings.draw_frames(IMAGES / "frames.png"),
    "office": lambda: drawings.draw_office(IMAGES / "office.png"),
    "odometry": lambda: draw_odometry(IMAGES / "odometry.png"),
    "terminals": lambda: show_terminals(IMAGES),
    "dashboard": lambda: photograph(IMAGES),
    "try": lambda: try_page.photograph(IMAGES),
    "tour": _tour,
}


def main() -> None:
    """Write the pictures that the command line names, or all."""
    parser = argparse.ArgumentParser(prog="tools.pictures", description="Write the pictures of the documentation.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PICTURES))
    names = parser.parse_args().names or list(PICTURES)
    if unknown := set(names) - PICTURES.keys():
        parser.error(f"{', '.join(sorted(unknown))} is not known, allowed: {', '.join(PICTURES)}")
    for name in names:
        try:
            PICTURES[name]()
        except MissingProgramError as error:
            print(f"{name}: not drawn: {error}")
        else:
            print(f"{name}: drawn")


if __name__ == "__main__":
    main()
