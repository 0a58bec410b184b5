# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Plays a drive to the real ekf_node, on its own clock, and records what the filter says."""

from __future__ import annotations

import math
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import rclpy
from nav_msgs.msg import Odometry as OdometryMsg
from rclpy.executors import SingleThreadedExecutor
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu

from amigobot_driver.robot import Odometry
from amigobot_driver.ros import conversions, stamps

from .drives import Drive, Pose, Sent

#: s of the drive between two ticks of the clock, and how long (s) one waits for the filter's answer to a tick.
_TICK, _PATIENCE = 0.05, 0.05
#: s on the played clock at which a drive begins; zero means to ROS that there is no clock yet.
_EPOCH = 100.0
_DEPTH = 50


@contextmanager
def running_filters(files: Sequence[Path], domain: int) -> Iterator[None]:
    """Run an ekf_node for each parameter file in this ROS domain. Raises PackageNotFoundError without the package."""
    from ament_index_python.packages import get_package_prefix

    program = Path(get_package_prefix("robot_localization"), "lib", "robot_localization", "ekf_node")
    environment = {**os.environ, "ROS_DOMAIN_ID": str(domain)}
    processes = []
    for number, file in enumerate(files):
        options = ["--ros-args", "-r", "__node:=ekf_filter_node", "-r", f"odometry/filtered:=filtered_{number}"]
        options += ["--params-file", str(file), "-p", "use_sim_time:=true", "-p", "publish_tf:=false"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        processes.append(subprocess.Popen([str(program), *options], env=environment, **quiet))
    try:
        yield
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(10.0)


class Player:
    """Publishes drives in one ROS domain to a number of filters, which must have just been started."""

    def __init__(self, domain: int, filters: int = 1) -> None:
        self._context = rclpy.Context()
        rclpy.init(context=self._context, domain_id=domain)
        self._node = rclpy.create_node("ekf_trial", context=self._context)
        self._odom = self._node.create_publisher(OdometryMsg, "odom", _DEPTH)
        self._imu = self._node.create_publisher(Imu, "imu/data_raw", _DEPTH)
        self._odom_message = conversions.odometry_message("odom", "base_link")
        self._imu_message = conversions.imu_message("base_link")
        self._clock = self._node.create_publisher(Clock, "/clock", _DEPTH)
        self._poses: list[list[Pose]] = [[] for _ in range(filters)]
        for number, poses in enumerate(self._poses):
            self._node.create_subscription(OdometryMsg, f"filtered_{number}", partial(_keep, poses), _DEPTH)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)

    def close(self) -> None:
        """Leave ROS."""
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)

    def play(self, drive: Drive, *, imu: bool = True) -> list[list[Pose]]:
        """Play a drive as fast as the filters keep up; returns their poses. `imu`: with the gyro."""
        for poses in self._poses:
            poses.clear()
        self._connect()
        now = 0.0
        waiting = iter(drive.sent)
        sent = next(waiting, None)
        while sent is not None:
            now += _TICK
            published = False
            while sent is not None and sent.time <= now:
                if imu or isinstance(sent.content, Odometry):
                    self._publish(sent)
                    published = True
                sent = next(waiting, None)
            time.sleep(0.0005)
            self._clock.publish(Clock(clock=stamps.message(round((_EPOCH + now) * 1e9))))
            self._wait(_PATIENCE if published else 0.0)
        self._wait(0.5)
        return [list(poses) for poses in self._poses]

    def _connect(self) -> None:
        """Wait until the filters have found the publishers and they them."""
        end, filters = time.monotonic() + 60.0, len(self._poses)
        publishers = [self._odom, self._clock]
        while not (
            all(publisher.get_subscription_count() >= filters for publisher in publishers)
            and all(self._node.count_publishers(f"filtered_{number}") for number in range(filters))
        ):
            if time.monotonic() > end:
                raise TimeoutError("ekf_node did not subscribe to odom and /clock within 60 s")
            time.sleep(0.05)
        for _ in range(20):  # its clock runs before the first measurement
            self._clock.publish(Clock(clock=stamps.message(round((_EPOCH - 1.0) * 1e9))))
            time.sleep(0.02)

    def _publish(self, sent: Sent) -> None:
        stamp = stamps.message(round((_EPOCH + sent.stamp) * 1e9))
        if isinstance(sent.content, Odometry):
            conversions.fill_odometry(self._odom_message, sent.content, stamp)
            self._odom.publish(self._odom_message)
        else:
            conversions.fill_imu(self._imu_message, sent.content, stamp)
            self._imu.publish(self._imu_message)

    def _wait(self, patience: float) -> None:
        """Until each filter has answered, or this many s have passed."""
        counts, end = [len(poses) for poses in self._poses], time.monotonic() + patience
        while True:
            self._executor.spin_once(timeout_sec=max(0.0, end - time.monotonic()))
            answered = all(len(poses) > count for poses, count in zip(self._poses, counts, strict=True))
            if answered or time.monotonic() >= end:
                return


def _keep(poses: list[Pose], message: OdometryMsg) -> None:
    stamp, pose = message.header.stamp, message.pose.pose
    yaw = 2 * math.atan2(pose.orientation.z, pose.orientation.w)
    at = stamp.sec + stamp.nanosec * 1e-9 - _EPOCH
    poses.append(Pose(at, pose.position.x, pose.position.y, yaw))
