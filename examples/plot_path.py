# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Draw the path of a recorded drive, or write it as numbers: from a rosbag, or from a CSV file with columns x and y.

python examples/plot_path.py my_bag                        # a rosbag: writes my_bag.png
python examples/plot_path.py robot.csv --out path.png      # of log_to_csv.py, or of `amigobot replay --csv`
python examples/plot_path.py my_bag --out path.csv         # time, x, y, for a spreadsheet
"""

import argparse
import csv
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("recording", type=Path, help="folder of a rosbag, or a CSV file")
parser.add_argument("--topic", default="/odom", help="topic of the Odometry messages in a rosbag (%(default)s)")
parser.add_argument("--out", type=Path, help="file to write, .png, .svg, .pdf or .csv (default: RECORDING.png)")
args = parser.parse_args()
out = args.out or args.recording.with_suffix(".png")

if args.recording.suffix == ".csv":
    with args.recording.open(encoding="utf-8") as file:
        path = [(float(row["time"]), float(row["x"]), float(row["y"])) for row in csv.DictReader(file)]
else:
    from amigobot_tools.bag.reader import read_bag

    odometry = [m.content for m in read_bag(args.recording, {"nav_msgs/msg/Odometry"}) if m.topic == args.topic]
    stamps = [message.header.stamp.sec + message.header.stamp.nanosec * 1e-9 for message in odometry]
    places = [message.pose.pose.position for message in odometry]
    path = [(stamp, place.x, place.y) for stamp, place in zip(stamps, places, strict=True)]
if not path:
    raise SystemExit(f"{args.recording} has no path: is its topic {args.topic}? See --topic")

if out.suffix == ".csv":
    with out.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("time", "x", "y"), *path])
else:
    import matplotlib

    matplotlib.use("Agg")  # without a screen
    import matplotlib.pyplot

    matplotlib.pyplot.plot([x for _, x, _ in path], [y for _, _, y in path])
    matplotlib.pyplot.plot(path[0][1], path[0][2], "o", label="start")
    matplotlib.pyplot.axis("equal")
    matplotlib.pyplot.xlabel("x (m)")
    matplotlib.pyplot.ylabel("y (m)")
    matplotlib.pyplot.legend()
    matplotlib.pyplot.savefig(out)
print(f"{out} is written: {len(path)} poses, the last at x={path[-1][1]:.2f} m, y={path[-1][2]:.2f} m")
