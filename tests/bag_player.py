# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Stands in for `ros2 bag play` where rosbag2 is not installed, and behaves like it where that matters:

it plays at once, to subscribers or to none, unless it starts paused; it offers its services below its node's name;
topics have the QoS that was recorded with ten messages of history, unless that is overridden; it ends with its last
message, unless an option makes it wait for acknowledgements.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import rclpy
import yaml
from builtin_interfaces.msg import Time
from rclpy.duration import Duration
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rosbag2_interfaces.srv import IsPaused, Resume
from rosbags.highlevel import AnyReader
from rosgraph_msgs.msg import Clock

#: Messages that rosbag2 keeps for a topic whose QoS is not overridden.
DEPTH = 10


def install(folder: Path) -> None:
    """Write an executable `ros2` that runs this module."""
    folder.mkdir()
    script = folder / "ros2"
    script.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from bag_player import main\nsys.exit(main(sys.argv[1:]))\n",
        encoding="utf-8",
    )
    script.chmod(0o755)


def parse(words: list[str]) -> argparse.Namespace:
    """Read the command line; an option that `ros2 bag play` has not, or that is not needed here, is refused."""
    parser = argparse.ArgumentParser(prog="ros2 bag play", allow_abbrev=False)
    parser.add_argument("bag", type=Path)
    parser.add_argument("--rate", type=float, default=1.0)
    parser.add_argument("--clock", type=float)
    parser.add_argument("--start-paused", action="store_true")
    parser.add_argument("--disable-keyboard-controls", action="store_true")
    parser.add_argument("--wait-for-all-acked", type=int, default=-1)
    parser.add_argument("--qos-profile-overrides-path", type=Path)
    parser.add_argument("--topics", nargs="+", default=[])
    parser.add_argument("--remap", nargs="+", default=[])
    assert words[:2] == ["bag", "play"], words
    return parser.parse_args(words[2:])


class Player(Node):
    """The node `rosbag2_player`."""

    def __init__(self, options: argparse.Namespace) -> None:
        remaps = [word for rule in options.remap for word in ("--remap", rule)]
        super().__init__("rosbag2_player", cli_args=["--ros-args", *remaps] if remaps else None)
        self._running = threading.Event()
        if not options.start_paused:
            self._running.set()
        self._stamp = 0  # ns
        self.create_service(IsPaused, "~/is_paused", self._is_paused)
        self.create_service(Resume, "~/resume", self._resume)
        if options.clock:
            clock = self.create_publisher(Clock, "/clock", 1)
            self.create_timer(1 / options.clock, lambda: clock.publish(Clock(clock=_time(self._stamp))))

    def _is_paused(self, _: Any, response: IsPaused.Response) -> IsPaused.Response:
        response.paused = not self._running.is_set()
        return response

    def _resume(self, _: Any, response: Resume.Response) -> Resume.Response:
        self._running.set()
        return response

    def play(self, options: argparse.Namespace) -> None:
        """Publish what the bag holds, then wait as long as the options say."""
        overrides = {}
        if options.qos_profile_overrides_path:
            overrides = yaml.safe_load(options.qos_profile_overrides_path.read_text(encoding="utf-8"))
        with AnyReader([options.bag]) as reader:
            chosen = [c for c in reader.connections if c.topic in options.topics or not options.topics]
            publishers = {}
            for connection in chosen:
                package, _, name = connection.msgtype.split("/")
                kind = getattr(import_module(f"{package}.msg"), name)
                publishers[connection.topic] = self.create_publisher(
                    kind, connection.topic, _qos(connection, overrides.get(connection.topic))
                )
            begin: float | None = None
            for connection, stamp, data in reader.messages(chosen):
                if begin is None:
                    first, self._stamp = stamp, stamp
                    while not self._running.wait(0.1) and rclpy.ok():
                        pass
                    begin = time.monotonic()
                time.sleep(max(0.0, begin + (stamp - first) * 1e-9 / options.rate - time.monotonic()))
                self._stamp = stamp
                publishers[connection.topic].publish(bytes(data))
            if options.wait_for_all_acked >= 0:
                for publisher in publishers.values():
                    publisher.wait_for_all_acked(Duration(seconds=options.wait_for_all_acked / 1000))


def _qos(connection: Any, override: dict[str, Any] | None) -> QoSProfile:
    if override:
        return QoSProfile(
            history=HistoryPolicy[override["history"].upper()],
            depth=override.get("depth", 0),
            reliability=ReliabilityPolicy[override["reliability"].upper()],
            durability=DurabilityPolicy[override["durability"].upper()],
        )
    recorded = connection.ext.offered_qos_profiles
    latched = bool(recorded) and all(qos.durability.name == "TRANSIENT_LOCAL" for qos in recorded)
    return QoSProfile(
        depth=DEPTH, durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE
    )


def _time(nanoseconds: int) -> Time:
    return Time(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)


def main(words: list[str]) -> int:
    """Play the bag that the command line names."""
    options = parse(words)
    rclpy.init(args=[])  # its arguments are not options of ROS
    player = Player(options)
    executor = SingleThreadedExecutor()
    executor.add_node(player)

    def spin() -> None:
        with contextlib.suppress(ExternalShutdownException):
            executor.spin()

    spinner = threading.Thread(target=spin)
    spinner.start()
    with contextlib.suppress(KeyboardInterrupt):
        player.play(options)
    rclpy.try_shutdown()
    spinner.join()
    return 0
