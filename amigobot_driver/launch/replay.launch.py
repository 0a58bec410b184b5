"""Plays the raw packets of a bag through the driver: odometry and all else derived anew, with any calibration."""

from __future__ import annotations

import tempfile
from pathlib import Path

import yaml
from launch import Action, LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, IncludeLaunchDescription, OpaqueFunction
from launch.launch_description_sources import PythonLaunchDescriptionSource

from amigobot_driver.resources import share

#: Only these topics of the bag are played, below NAME: the driver derives all others anew. With the QoS they are played
#: with: of packets none may be overwritten before it has arrived, as the player's ten messages of history would be.
TOPICS = {
    "packets": {"history": "keep_all", "reliability": "reliable", "durability": "volatile"},
    "robot_config": {"history": "keep_last", "depth": 10, "reliability": "reliable", "durability": "transient_local"},
}
NAME = "recorded"
#: ms that the player waits at the end of the bag for the driver to receive all of it.
LAST_WAIT = 60_000
#: Arguments that amigobot.launch.py has too.
PASSED_ON = {
    "robot": "profile: a name, or a file ending in .yaml. Not given: what params_file says, else what the robot said",
    "param_file": "an ARIA parameter file (.p) with the calibration to try, instead of robot",
    "params_file": "the node's parameters; arguments that are parameters go before it",
    "odom_frame": "frame the odometry is measured in. Not given: what params_file says, else odom",
    "frame_prefix": "put before every frame. Not given: what params_file says, else nothing",
}


def generate_launch_description() -> LaunchDescription:
    defaults = {"params_file": str(share("config", "amigobot.yaml"))}
    return LaunchDescription(
        [
            DeclareLaunchArgument("bag", description="the recording, made with publish_packets: true"),
            DeclareLaunchArgument(
                "namespace", default_value="", description="of the robot that was recorded, and of the driver here"
            ),
            *(
                DeclareLaunchArgument(name, default_value=defaults.get(name, ""), description=text)
                for name, text in PASSED_ON.items()
            ),
            DeclareLaunchArgument("rate", default_value="1.0", description="how much faster than it was recorded"),
            DeclareLaunchArgument(
                "loop",
                default_value="false",
                choices=["true", "false"],
                description="begin again at the end; the odometry then begins at the origin each time",
            ),
            DeclareLaunchArgument(
                "description",
                default_value="true",
                choices=["true", "false"],
                description="start robot_state_publisher with the model of this robot",
            ),
            DeclareLaunchArgument(
                "rviz", default_value="false", choices=["true", "false"], description="start RViz on the new odometry"
            ),
            OpaqueFunction(function=start),
        ]
    )


def start(context: LaunchContext) -> list[Action]:
    arguments = context.launch_configurations
    bag = Path(arguments["bag"]).expanduser()
    if not bag.exists():
        raise FileNotFoundError(f"bag: there is no {bag}")
    given = {name: arguments[name] for name in (*PASSED_ON, "namespace", "description", "rviz")}
    driver = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(share("launch", "amigobot.launch.py"))),
        launch_arguments={**given, "port": f"replay://{NAME}", "use_sim_time": "true"}.items(),
    )
    player = ExecuteProcess(
        cmd=play(bag, arguments["namespace"], arguments["rate"], loop=arguments["loop"] == "true"), output="screen"
    )
    return [player, driver]


def play(bag: Path, namespace: str, rate: str, *, loop: bool) -> list[str]:
    """The player's command line. It starts paused; the driver resumes it once it can receive every packet."""
    here = "/".join(["", *filter(None, namespace.split("/"))])
    topics = [f"{here}/{topic}" for topic in TOPICS]
    # With its node below NAME the player's services are where this driver looks for them, and no other.
    remapped = [*(f"{here}/{topic}:={here}/{NAME}/{topic}" for topic in TOPICS), f"__ns:={here}/{NAME}"]
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False, encoding="utf-8") as qos:
        yaml.safe_dump({f"{here}/{topic}": profile for topic, profile in TOPICS.items()}, qos)
    command = ["ros2", "bag", "play", str(bag), "--start-paused", "--disable-keyboard-controls"]
    command += ["--clock", "100", "--rate", rate, "--wait-for-all-acked", str(LAST_WAIT)]
    command += ["--qos-profile-overrides-path", qos.name]
    return [*command, *(["--loop"] if loop else []), "--topics", *topics, "--remap", *remapped]
