# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Print fields of one topic of a rosbag as CSV, with the time of each message in s since the first one.

python examples/bag_to_csv.py my_bag /sonar/range_2 range > range_2.csv
python examples/bag_to_csv.py my_bag /odom pose.pose.position.x twist.twist.linear.x > odom.csv
"""

import argparse
import csv
import signal
import sys
from operator import attrgetter
from pathlib import Path

from amigobot_tools.bag.reader import read_bag

signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` ends this program
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("bag", type=Path, help="folder of the rosbag")
parser.add_argument("topic", help="topic, with its slash")
parser.add_argument("fields", nargs="+", help="fields of the message; `ros2 interface show TYPE` lists them")
args = parser.parse_args()

messages = read_bag(args.bag)
chosen = [message for message in messages if message.topic == args.topic]
if not chosen:
    raise SystemExit(f"no message of {args.topic}; the bag has {', '.join(sorted({m.topic for m in messages}))}")

try:
    rows = [
        ((m.time - chosen[0].time) * 1e-9, *(attrgetter(field)(m.content) for field in args.fields)) for m in chosen
    ]
except AttributeError as error:
    raise SystemExit(f"{args.topic} is a {chosen[0].kind}: {error}") from None

csv.writer(sys.stdout).writerows([("time", *args.fields), *rows])
