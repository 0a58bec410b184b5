# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Records a robot's topics as an MCAP bag, until Ctrl-C."""

from __future__ import annotations

import re
import time
from pathlib import Path

from launch import Action, LaunchDescription
from launch.actions import ExecuteProcess, LogInfo, Shutdown

from amigobot_driver.ros.launch_support import SWITCH, describe
from amigobot_driver.ros.topics import PACKETS, PUBLISHED, SHARED, SUBSCRIBED

#: Recorded in the robot's namespace, besides the topics of the node.
MORE_TOPICS = "robot_description"
#: The same, for all robots.
MORE_SHARED = "/tf_static"
#: Launch arguments: name, default, choices, description.
_ARGUMENTS = (
    ("namespace", "", None, "namespace of the robot that is recorded"),
    ("name", "", None, "beginning of the bag's name, before the date. Default: the namespace, else amigobot"),
    ("output", ".", None, "folder in which the bag is created"),
    ("extra", "", None, "regular expression of further topics, such as '/scan|/map'"),
    ("packets", "false", SWITCH, "also record the raw packets, for replay.launch.py"),
    ("split", "0", None, "start a new file of the bag each time so many seconds have passed; 0: one file"),
)


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments and start the recorder."""
    return describe(_ARGUMENTS, start)


def start(arguments: dict[str, str]) -> list[Action]:
    """Return the recorder."""
    namespace = arguments["namespace"].strip("/")
    name = arguments["name"] or namespace.replace("/", "_") or "amigobot"
    folder = Path(arguments["output"]).expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    bag = folder / f"{name}_{time.strftime('%Y-%m-%d_%H-%M-%S')}"
    pattern = topics(namespace, arguments["extra"], packets=arguments["packets"] == "true")
    split = ["--max-bag-duration", arguments["split"]]
    command = ["ros2", "bag", "record", "--storage", "mcap", *split, "--output", str(bag), "--regex", pattern]
    return [
        LogInfo(msg=f"recording to {bag}"),
        # On SIGINT the recorder writes its cache to the disk, which takes time.
        ExecuteProcess(
            cmd=command, output="screen", sigterm_timeout="30", on_exit=Shutdown(reason="the recorder has ended")
        ),
    ]


def topics(namespace: str, extra: str, *, packets: bool) -> str:
    """Return the regular expression of the recorded topics."""
    here = f"/{re.escape(namespace)}/" if namespace else "/"
    left_out = SHARED if packets else (*SHARED, PACKETS)
    own = "|".join([*(topic.pattern() for topic in (*PUBLISHED, *SUBSCRIBED) if topic not in left_out), MORE_TOPICS])
    shared = "|".join([*(topic.pattern() for topic in SHARED), MORE_SHARED])
    parts = [f"{here}({own})", f"({shared})", *([extra] if extra else [])]
    return f"^({'|'.join(parts)})$"
