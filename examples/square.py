# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Drive a square: four sides, four corners.

python examples/square.py                       # a simulated robot
python examples/square.py --port /dev/ttyUSB0   # a real one
"""

import argparse
import math

from amigobot_driver import AmigoBot

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--port", default="sim://", help="port of the robot (%(default)s)")
parser.add_argument("--side", type=float, default=0.5, help="length of a side, m (%(default)s)")
args = parser.parse_args()

with AmigoBot(args.port) as robot:
    for corner in range(4):
        robot.move(args.side)  # m; returns when the robot is at rest
        robot.turn(math.pi / 2)  # rad; counter-clockwise
        x, y, yaw = robot.pose
        print(f"corner {corner + 1}: x {x:.2f} m, y {y:.2f} m, yaw {math.degrees(yaw):.0f} deg")
    # The wheels say that the robot is back at the start. How far is it really off?
    print(f"back at the start: {math.hypot(robot.pose.x, robot.pose.y):.2f} m off")
