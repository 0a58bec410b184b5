# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Follow a wall on the left side, at a distance of 0.4 m.

The controller is a PD controller: it steers by the error of the distance and by how fast the distance changes.
"""

import argparse
import math
import time

from amigobot_driver import AmigoBot

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
# In the office the robot starts in a corridor.
parser.add_argument("--port", default="sim://?world=office&start=1.2,5.0,0", help="port of the robot (%(default)s)")
parser.add_argument("--distance", type=float, default=0.4, help="distance from the wall, m (%(default)s)")
parser.add_argument("--seconds", type=float, default=30.0, help="how long (%(default)s)")
args = parser.parse_args()

SPEED = 0.15  # m/s
KP, KD = 1.5, 4.0  # rad/s for each m of error, and for each m/s at which the distance changes
FAR = 1.0  # m; a wall that is farther away is a doorway: go straight on

with AmigoBot(args.port) as robot:
    end = time.monotonic() + args.seconds
    # The sonar that looks to the left, and those that look forward.
    side = min(robot.sonar, key=lambda sonar: abs(sonar.heading - math.pi / 2)).number
    front = [sonar.number for sonar in robot.sonar if abs(sonar.heading) < 0.5]
    newest = None  # the newest reading of the side sonar
    turn_rate = 0.0
    for report in robot.reports():
        if time.monotonic() > end:
            break
        # A report has the readings that are new in it. The side sonar fires a few times a second.
        for ping in report.pings:
            if ping.number != side:
                continue
            if ping.range > FAR:
                turn_rate = 0.0
            else:
                error = ping.range - args.distance  # positive: too far away, steer to the left
                change = 0.0
                if newest and newest.range <= FAR:
                    change = (ping.range - newest.range) / (ping.stamp - newest.stamp)
                turn_rate = max(-0.5, min(0.5, KP * error + KD * change))
            newest = ping
            print(f"wall at {ping.range:.2f} m")
        if min(robot.sonar[number].range for number in front) < 0.4:
            robot.drive(0.0, -0.5)  # a wall in front: turn away from it
        else:
            robot.drive(SPEED, turn_rate)
    robot.stop()
