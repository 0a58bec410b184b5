# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Two robots at once: they turn in opposite directions, then drive away from each other.

Methods of a robot block. So that both robots move at the same time, each has a thread of its own.
"""

import argparse
import math
from concurrent.futures import ThreadPoolExecutor, as_completed

from amigobot_driver import AmigoBot

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--port", default="sim://amigo?name=Anna", help="port of the first robot (%(default)s)")
parser.add_argument("--other-port", default="sim://amigo?name=Otto", help="port of the second one (%(default)s)")
args = parser.parse_args()


def dance(robot: AmigoBot, direction: int) -> str:
    """Turn a quarter to one side, and drive; returns what the robot did."""
    turned = robot.turn(direction * math.pi / 2)
    travelled = robot.move(0.3)
    return f"{robot.identity.name} turned by {math.degrees(turned):.0f} deg and travelled {travelled:.2f} m"


# If one of the robots fails, the error ends the with block: both are stopped and closed first, then the threads end.
with ThreadPoolExecutor() as threads, AmigoBot(args.port) as first, AmigoBot(args.other_port) as second:
    dances = [threads.submit(dance, first, 1), threads.submit(dance, second, -1)]
    for done in as_completed(dances):
        print(done.result())
