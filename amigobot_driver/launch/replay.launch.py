# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Plays the raw packets of a bag through the driver: odometry and all else derived anew, with any calibration."""

from __future__ import annotations

from pathlib import Path

import yaml
from launch import Action, LaunchDescription
from launch.actions import ExecuteProcess

from amigobot_driver.resources import share
from amigobot_driver.ros.launch_parameters import temporary_file
from amigobot_driver.ros.launch_support import SWITCH, describe, driver

#: Only these topics of the bag are played, below NAME: the driver computes all others again. The QoS is that
#: of the player: its default history of ten messages would overwrite packets before they arrive.
TOPICS = {
    "packets": {"history": "keep_all", "reliability": "reliable", "durability": "volatile"},
    "robot_config": {"history": "keep_last", "depth": 10, "reliability": "reliable", "durability": "transient_local"},
}
NAME = "recorded"
ACK_TIMEOUT = 60_000  #: ms that the player waits at the end of the bag for the driver to receive all of it
#: Arguments that amigobot.launch.py has too.
PASSED_ON = (
    *("robot", "param_file", "params_file", "odom_frame", "frame_prefix", "namespace"),
    *("use_description", "use_rviz"),
)
#: Launch arguments: name, default, choices, description.
_ARGUMENTS = (
    ("bag", None, None, "the recording, made with packets:=true"),
    ("namespace", "", None, "namespace of the recorded robot and of this driver"),
    ("robot", "", None, "profile: a name or a .yaml file. Default: the value in params_file, else as at the recording"),
    ("param_file", "", None, "an ARIA parameter file (.p) with the calibration to try, instead of robot"),
    ("params_file", str(share("config", "amigobot.yaml")), None, "parameter file of the node; arguments override it"),
    ("odom_frame", "", None, "frame of the odometry. Default: the value in params_file, else odom"),
    ("frame_prefix", "", None, "prefix of every frame name. Default: the value in params_file, else none"),
    ("rate", "1.0", None, "speed of the replay, 1 as recorded"),
    ("loop", "false", SWITCH, "begin again at the end; the odometry then begins at the origin each time"),
    ("use_description", "true", SWITCH, "start robot_state_publisher with the model of this robot"),
    ("use_rviz", "false", SWITCH, "start RViz on the new odometry"),
)


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments and start the replay."""
    return describe(_ARGUMENTS, start)


def start(arguments: dict[str, str]) -> list[Action]:
    """Return the player and the driver that processes its packets."""
    bag = Path(arguments["bag"]).expanduser()
    if not bag.exists():
        raise FileNotFoundError(f"bag: there is no {bag}")
    given = {name: arguments[name] for name in PASSED_ON}
    command = player_command(bag, arguments["namespace"], arguments["rate"], loop=arguments["loop"] == "true")
    return [
        ExecuteProcess(cmd=command, output="screen"),
        driver({**given, "port": f"replay://{NAME}", "use_sim_time": "true"}),
    ]


def player_command(bag: Path, namespace: str, rate: str, *, loop: bool) -> list[str]:
    """Return the player's command. It starts paused; the driver resumes it once it can receive every packet."""
    here = "/".join(["", *filter(None, namespace.split("/"))])
    topics = [f"{here}/{topic}" for topic in TOPICS]
    # In the namespace NAME only this driver finds the services of the player.
    remapped = [*(f"{here}/{topic}:={here}/{NAME}/{topic}" for topic in TOPICS), f"__ns:={here}/{NAME}"]
    profiles = yaml.safe_dump({f"{here}/{topic}": profile for topic, profile in TOPICS.items()})
    command = ["ros2", "bag", "play", str(bag), "--start-paused", "--disable-keyboard-controls"]
    command += ["--clock", "100", "--rate", rate, "--wait-for-all-acked", str(ACK_TIMEOUT)]
    command += ["--qos-profile-overrides-path", temporary_file(profiles, ".yaml")]
    return [*command, *(["--loop"] if loop else []), "--topics", *topics, "--remap", *remapped]
