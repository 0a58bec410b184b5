# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Nav2 for the AmigoBot. With sim:=true a simulated one drives through an office."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import yaml
from launch import Action, LaunchDescription
from launch.actions import GroupAction, LogInfo
from launch.substitutions import PathJoinSubstitution
from launch_ros.actions import Node, PushRosNamespace, SetRemap
from launch_ros.substitutions import FindPackageShare

from amigobot_driver.profiles import load_profile
from amigobot_driver.resources import share
from amigobot_driver.ros.launch_parameters import effective_parameters, robot_frames, temporary_file
from amigobot_driver.ros.launch_support import SWITCH, describe, driver, in_tf_tree, include, node_options, static_tf
from amigobot_driver.sim import WorldPose, load_world, parse_pose
from amigobot_navigation.names import fitted_file
from amigobot_navigation.nav2 import BEFORE_LYRICAL, REFERENCE, fit_nav2, footprint_problem

HERE = Path(__file__).resolve().parents[1]
#: The nodes and their packages; each executable has the name of its node.
SERVERS = {
    "controller_server": "nav2_controller",
    "behavior_server": "nav2_behaviors",
    "velocity_smoother": "nav2_velocity_smoother",
    "collision_monitor": "nav2_collision_monitor",
    "planner_server": "nav2_planner",
    "bt_navigator": "nav2_bt_navigator",
    "waypoint_follower": "nav2_waypoint_follower",
}
#: Their cmd_vel is not the robot's: it passes the smoother and the collision monitor first.
BEFORE_THE_MONITOR = ("controller_server", "behavior_server", "velocity_smoother")
#: It configures and activates slam_toolbox too.
SLAM = "online_async_launch.py"


#: Launch arguments: name, default, choices, description.
_NAV2_YAML, _SLAM_YAML = (str(HERE / "config" / name) for name in ("nav2.yaml", "slam.yaml"))
_ARGUMENTS = (
    ("world", "office", None, "world of the simulated robot: one of this package, or a file, also a map of ROS"),
    ("port", "", None, "start the driver on this port; empty: it runs already, or sim is true"),
    ("robot", "", None, "profile for the driver and Nav2; empty: that of driver_params_file, else of an AmigoBot"),
    ("start", "", None, "X,Y,DEGREES in the map; empty: the world's start with sim, else amcl waits for a pose"),
    ("map", "", None, "map for planning and localization, a .yaml file; empty: that of the world"),
    ("params_file", _NAV2_YAML, None, "parameters of Nav2; those of this package are fitted to the robot, yours not"),
    ("driver_params_file", str(share("config", "amigobot.yaml")), None, "parameters of the driver"),
    ("slam_params_file", _SLAM_YAML, None, "parameters of slam_toolbox"),
    ("namespace", "", None, "namespace of the robot"),
    ("frame_prefix", "", None, "prefix of every frame name of the robot, such as alpha/; the map has none"),
    ("sim", "false", SWITCH, "start a simulated robot"),
    ("localization", "amcl", ("amcl", "slam", "odometry"), "in the map, while building one, or from the start pose"),
    ("namespaced_tf", "false", SWITCH, "/tf and /tf_static are tf and tf_static in the namespace of the robot"),
    ("use_sim_time", "false", SWITCH, "take the time from /clock; the simulated robot runs in real time"),
    ("use_respawn", "false", SWITCH, "restart driver and Nav2 2 s after they end; slam_toolbox is not restarted"),
    ("use_rviz", "false", SWITCH, "start RViz with the map, the costmaps and the tools for poses and goals"),
    ("dashboard", "false", SWITCH, "serve the dashboard for a browser on 127.0.0.1:8140; needs amigobot_tools"),
)


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments and start the navigation."""
    return describe(_ARGUMENTS, start)


def start(arguments: dict[str, str]) -> list[Action]:
    """Return the actions that the arguments request."""
    return in_tf_tree(arguments, Navigation(arguments).actions())


class Navigation:
    """The actions for one set of arguments."""

    def __init__(self, arguments: dict[str, str]) -> None:
        self.arguments = arguments
        self.namespace = arguments["namespace"]
        # The driver's frames may come from its parameter file, also where it runs already. So may the robot.
        self.driver_parameters = effective_parameters({**arguments, "params_file": arguments["driver_params_file"]})
        self.frames = robot_frames(self.driver_parameters)
        self.options = {"output": "screen", **node_options(arguments)}
        self.simulated = arguments["sim"] == "true"
        self.start = self.given_start()
        self.common = {"use_sim_time": arguments["use_sim_time"] == "true"}
        self.notes: list[str] = []
        self.name = self.robot() or REFERENCE
        self.profile = load_profile(self.name)
        files = [Path(arguments["params_file"])]
        if os.environ.get("ROS_DISTRO") in BEFORE_LYRICAL:
            # Before the other one, which may be the user's: of two values the later one counts.
            files.insert(0, HERE / "config" / "nav2_before_lyrical.yaml")
        self.files = [self.fitted_to_names(self.fitted_to_robot(file)) for file in files]

    def given_start(self) -> WorldPose:
        """Return the start pose in the map: that of the argument, of the simulated world, or the origin."""
        if self.arguments["start"]:
            return parse_pose(self.arguments["start"])
        return load_world(self.arguments["world"]).start if self.simulated else WorldPose(0.0, 0.0)

    def robot(self) -> str:
        """Return the profile that the parameters name for the robot; "" if they name none."""
        name = str(self.driver_parameters["param_file"] or self.driver_parameters["robot"])
        if not name and not self.simulated:
            self.notes.append(
                "Nav2 plans for an AmigoBot, as nothing names the robot; a larger robot would touch walls: "
                "give robot:=NAME for another one"
            )
        return name

    def fitted_to_robot(self, file: Path) -> Path:
        """Return a file of this package fitted to the robot; note if a file of the user does not fit."""
        content = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
        if file.resolve().parent != (HERE / "config").resolve():
            if problem := footprint_problem(content, self.profile):
                self.notes.append(
                    f"params_file {file}: {problem}; `ros2 run amigobot_navigation nav2_params {self.name}` "
                    "prints parameters that fit"
                )
            return file
        fitted = fit_nav2(content, self.profile)
        if fitted == content:
            return file
        return Path(temporary_file(yaml.safe_dump(fitted, sort_keys=False), ".yaml"))

    def actions(self) -> list[Action]:
        """Return all actions, the driver last."""
        actions = [LogInfo(msg=note) for note in self.notes] + self.localization()
        for name, package in SERVERS.items():
            remappings = [("cmd_vel", "cmd_vel_nav")] if name in BEFORE_THE_MONITOR else []
            actions.append(self.server(name, package, remappings=remappings))
        actions.append(self.manager("navigation", list(SERVERS)))
        # Behind those that may not be installed: without one of them launch would end, and leave the driver running.
        if self.simulated or self.arguments["port"]:
            actions.append(self.robot_driver())
        if self.arguments["use_rviz"] == "true":
            actions.append(self.rviz())
        return actions

    def robot_driver(self) -> Action:
        """Return the driver, simulated or at a port."""
        port, world, start = (self.arguments[name] for name in ("port", "world", "start"))
        if self.simulated:
            # As an option: before the question mark a robot cannot be a file.
            options = {"robot": self.name, "world": world} | ({"start": start} if start else {})
            port = f"sim://?{urlencode(options, safe='/,')}"
        names = ("robot", "namespace", "frame_prefix", "namespaced_tf", "use_sim_time", "use_respawn", "dashboard")
        passed = {name: self.arguments[name] for name in names}
        # Stamped: no distribution's default matters then.
        # Given even where it is the default: an included file inherits the arguments of this one, params_file too.
        passed["params_file"] = self.arguments["driver_params_file"]
        fixed = {"port": port, "publish_scan": "true", "enable_stamped_cmd_vel": "true", "use_rviz": "false"}
        return driver(passed | fixed)

    def localization(self) -> list[Action]:
        """Return the nodes that publish the pose of the robot in the map."""
        method = self.arguments["localization"]
        if method == "slam":
            values = {
                "slam_params_file": self.fitted_to_names(Path(self.arguments["slam_params_file"])),
                "use_sim_time": self.arguments["use_sim_time"],
            }
            slam = include(PathJoinSubstitution([FindPackageShare("slam_toolbox"), "launch", SLAM]), values)
            # Its launch file has no argument for a namespace, and its topics are absolute.
            topics = [SetRemap(src=f"/{name}", dst=name) for name in ("map", "map_metadata")]
            return [GroupAction([PushRosNamespace(self.namespace), *topics, slam])]
        map_server = self.server("map_server", "nav2_map_server", {"yaml_filename": self.map_file()})
        pose = self.start.x, self.start.y, self.start.heading
        if method == "odometry":
            # The odometry is tied to the map where it began.
            transform = static_tf("start_in_map", ("map", self.frames["odom"]), pose, **node_options(self.arguments))
            return [map_server, transform, self.manager("localization", ["map_server"])]
        known = dict(zip(("initial_pose.x", "initial_pose.y", "initial_pose.yaw"), pose, strict=True))
        known |= {"set_initial_pose": True}
        amcl = self.server("amcl", "nav2_amcl", known if self.simulated or self.arguments["start"] else {})
        return [map_server, amcl, self.manager("localization", ["map_server", "amcl"])]

    def map_file(self) -> str:
        """Return the map of the argument, else that of the world; a world that is a file is its own map."""
        world = self.arguments["world"]
        return self.arguments["map"] or (world if Path(world).suffix else str(HERE / "maps" / f"{world}.yaml"))

    def server(self, name: str, package: str, values: dict[str, Any] | None = None, **options: Any) -> Action:
        """Return one lifecycle node of Nav2."""
        parameters = [*self.files, {**self.common, **(values or {})}]
        return Node(package=package, executable=name, name=name, parameters=parameters, **self.options, **options)

    def manager(self, what: str, nodes: list[str]) -> Action:
        """Return the manager that configures and activates these nodes, in this order."""
        return Node(
            package="nav2_lifecycle_manager",
            executable="lifecycle_manager",
            name=f"lifecycle_manager_{what}",
            namespace=self.namespace,
            parameters=[{**self.common, "autostart": True, "node_names": nodes}],
            output="screen",
        )

    def rviz(self) -> Action:
        """Return RViz."""
        return Node(
            package="rviz2",
            executable="rviz2",
            namespace=self.namespace,
            arguments=["-d", str(HERE / "rviz" / "navigation.rviz")],
            parameters=[self.common],
        )

    def fitted_to_names(self, file: Path) -> str:
        """Return the file, or a copy for a robot in a namespace or with other frames."""
        return fitted_file(file, self.namespace, self.frames)
