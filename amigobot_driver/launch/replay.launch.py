"""Plays the raw packets of a bag through the driver: odometry and all else derived anew, with any calibration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from launch import Action, LaunchContext, LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    ExecuteProcess,
    IncludeLaunchDescription,
    OpaqueFunction,
    RegisterEventHandler,
)
from launch.event_handlers import OnProcessIO
from launch.launch_description_sources import PythonLaunchDescriptionSource

from amigobot_driver.resources import share

#: Of the bag only these are played, below this name: everything else in it is what the driver derives anew.
TOPICS, NAME = ("packets", "robot_config"), "recorded"
#: What the driver logs when it is ready.
READY = "waiting for a recording"
#: s between the player's start and its first message: it takes its time to find who listens.
DELAY = 2.0
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
    started: list[Any] = []

    def look(event: Any) -> list[Action]:
        """Not before somebody listens: what is played earlier is lost."""
        if started or READY not in event.text.decode(errors="replace"):
            return []
        started.append(player)
        return [player]

    # Before the driver, lest it be ready before anybody looks.
    return [RegisterEventHandler(OnProcessIO(on_stdout=look, on_stderr=look)), driver]


def play(bag: Path, namespace: str, rate: str, *, loop: bool) -> list[str]:
    here = "/".join(["", *filter(None, namespace.split("/"))])
    topics = [f"{here}/{topic}" for topic in TOPICS]
    remapped = [f"{here}/{topic}:={here}/{NAME}/{topic}" for topic in TOPICS]
    command = ["ros2", "bag", "play", str(bag), "--clock", "100", "--rate", rate, "--delay", str(DELAY)]
    return [*command, *(["--loop"] if loop else []), "--topics", *topics, "--remap", *remapped]
