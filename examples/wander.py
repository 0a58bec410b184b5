# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Wander about and avoid obstacles.

Straight on while there is room; otherwise turn on the spot to the side that has more room. A robot has no sonar for
low, thin or soft things: stay near it. Ctrl-C stops it.
"""

import argparse
import time

from amigobot_driver import AmigoBot

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--port", default="sim://", help="port of the robot (%(default)s)")
parser.add_argument("--seconds", type=float, default=60.0, help="how long (%(default)s)")
args = parser.parse_args()

SPEED, TURN_RATE = 0.2, 0.6  # m/s, rad/s
ROOM = 0.5  # m that must be free in front of the robot

with AmigoBot(args.port) as robot:
    end = time.monotonic() + args.seconds
    turning = 0.0  # rad/s; a turn that has begun keeps its direction until the way is free
    # One report comes for each packet of the robot, 10 or 20 a second: a good rhythm to decide in.
    for report in robot.reports():
        if time.monotonic() > end:
            break
        # A sonar without an echo reports inf: it detected nothing. A thing nearer than 0.1 m may give no echo either.
        # `heading` is the direction of the sonar, positive to the left.
        left = min(sonar.range for sonar in robot.sonar if 0.0 < sonar.heading < 1.4)
        right = min(sonar.range for sonar in robot.sonar if -1.4 < sonar.heading < 0.0)
        stalled = report.left_stalled or report.right_stalled
        if min(left, right) > ROOM and not stalled:
            turning = 0.0
            robot.drive(SPEED)
        else:
            turning = turning or (TURN_RATE if left > right else -TURN_RATE)
            robot.drive(0.0, turning)
    robot.stop()
    print(f"travelled {robot.odometry.travelled:.2f} m, now at x {robot.pose.x:.2f} m, y {robot.pose.y:.2f} m")
