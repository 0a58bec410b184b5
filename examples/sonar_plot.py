# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Turn once around on one spot and draw the echoes of the sonars, as text or with matplotlib.

python examples/sonar_plot.py
python examples/sonar_plot.py --plot room.png     # needs matplotlib
"""

import argparse
import math

from amigobot_driver import AmigoBot

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--port", default="sim://", help="port of the robot (%(default)s)")
parser.add_argument("--plot", metavar="FILE", help="draw an image with matplotlib instead of text")
parser.add_argument("--degrees", type=float, default=360.0, help="how far to turn (%(default)s)")
args = parser.parse_args()

RATE = 0.5  # rad/s
points = []  # x and y of every echo, m

with AmigoBot(args.port) as robot:
    start = robot.odometry.turned
    for report in robot.reports():
        if report.odometry.turned - start > math.radians(args.degrees):
            break
        robot.drive(0.0, RATE)  # it expires after 0.5 s, so each report repeats it
        x, y, yaw = report.odometry.x, report.odometry.y, report.odometry.yaw
        for ping in report.pings:
            if math.isinf(ping.range):
                continue  # no echo
            # From the sonar to the robot, from the robot to the odometry frame.
            sonar = robot.profile.sonar.poses[ping.number]
            ahead = sonar.x + ping.range * math.cos(sonar.heading)
            aside = sonar.y + ping.range * math.sin(sonar.heading)
            points.append(
                (x + ahead * math.cos(yaw) - aside * math.sin(yaw), y + ahead * math.sin(yaw) + aside * math.cos(yaw))
            )
    robot.stop()

if args.plot:
    import matplotlib.pyplot

    matplotlib.pyplot.scatter([x for x, _ in points], [y for _, y in points], s=4)
    matplotlib.pyplot.axis("equal")
    matplotlib.pyplot.savefig(args.plot)
else:
    # 5 m to each side; a letter is 0.15 m wide and 0.3 m high. The robot (R) is in the middle and looks to the right.
    cells = {(round(x / 0.15), round(y / 0.3)) for x, y in points}
    for row in range(16, -17, -1):
        print(
            "".join(
                "R" if (column, row) == (0, 0) else "#" if (column, row) in cells else " " for column in range(-33, 34)
            ).rstrip()
        )
print(f"{len(points)} echoes")
