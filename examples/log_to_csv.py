# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Write every report of the robot to a CSV file while it drives a circle.

A sonar fires every 0.4 s (AmigoBot): the rows between two of its pings repeat its range.

python examples/log_to_csv.py robot.csv
"""

import argparse
import csv

from amigobot_driver import AmigoBot, Report

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("file", help="CSV file to write")
parser.add_argument("--port", default="sim://", help="port of the robot (%(default)s)")
parser.add_argument("--seconds", type=float, default=10.0, help="how long (%(default)s)")
args = parser.parse_args()

with AmigoBot(args.port) as robot, open(args.file, "w", newline="", encoding="utf-8") as file:
    writer = csv.writer(file)
    writer.writerow(
        ["time", "x", "y", "yaw", "linear", "angular", "volts", *(f"sonar_{n.number}" for n in robot.sonar)]
    )

    def write(report: Report) -> None:
        """Write a line. A thread of its own calls this, once for each report."""
        odometry = report.odometry
        numbers = (odometry.x, odometry.y, odometry.yaw, odometry.linear, odometry.angular, report.volts)
        ranges = [sonar.range for sonar in robot.sonar]
        writer.writerow([f"{value:.3f}" for value in (report.stamp, *numbers, *ranges)])

    with robot.subscribe(write) as subscription:
        robot.drive(0.15, 0.3, duration=args.seconds)  # this blocks; the lines are written meanwhile
    print(f"{args.file} is written, {subscription.dropped} reports were lost")
