# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The node of the driver with a simulated robot, on a simulated clock that it publishes."""

from __future__ import annotations

import argparse
import json
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import rclpy
from geometry_msgs.msg import TransformStamped, TwistStamped
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from tf2_ros import StaticTransformBroadcaster

from amigobot_driver.profiles import Profile, load_profile
from amigobot_driver.robot import BaudChange, Event, Robot
from amigobot_driver.ros import conversions, node, stamps
from amigobot_driver.sim import Simulator, load_world, parse_pose, parse_wear

#: s of one step; the clock is published with every fifth one, as each message costs every node.
_STEP, _STEPS_PER_CLOCK = 0.01, 5
#: s on the simulated clock at which everything begins; zero means to ROS that there is no clock yet.
EPOCH = 100.0
#: A controller that has published thrice within this time (s) is expected to go on.
_STREAM = 0.45
#: s of simulated time after which its next velocity is late, and of real time that the clock waits for it.
_LATE, _PATIENCE = 0.13, 0.5
#: s between two lines of the truth
_TRUTH = 0.1


class SteppedDriver:
    """Stands in for `Driver`: robot and simulator in one thread, in steps of simulated time.

    Everything that the node's parts use of a driver is here: url, clock, failed, robot, start, close.
    """

    def __init__(
        self,
        robot: Robot,
        simulator: Simulator,
        listener: Callable[[Event], None],
        *,
        speed: float,
        truth: Path,
        tick: Callable[[float], None],
        late: Callable[[float], bool],
    ) -> None:
        self.url = "simulated, on a simulated clock"
        self.failed = threading.Event()
        self.simulator = simulator
        self._robot = robot
        self._listener = listener
        self._speed = speed
        self._truth = truth.open("w", encoding="utf-8")
        self._tick, self._late = tick, late
        self._lock = threading.RLock()
        self._stopping = threading.Event()
        self._now = EPOCH
        self._events: deque[Event] = deque()
        self._touched = False
        self._thread = threading.Thread(target=self._run, name="stepped", daemon=True)

    def clock(self) -> float:
        """The driver's time, which is that of /clock (s)."""
        return self._now

    def start(self) -> None:
        """Begin to step."""
        self._thread.start()

    def close(self) -> None:
        """End."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(2.0)
        self._truth.close()

    @contextmanager
    def robot(self) -> Iterator[Robot]:
        """The robot, locked; what is due is written at the end."""
        with self._lock:
            yield self._robot
            self._write()

    def _run(self) -> None:
        try:
            with self._lock:
                link = self._robot.link
                self._take_in(link.connected(self.simulator.byte_time, self._robot.baud, self._now))
            steps, next_truth = 0, EPOCH
            wall = time.monotonic()
            while not self._stopping.is_set():
                steps += 1
                with self._lock:
                    self._pass_until(EPOCH + steps * _STEP)
                if self._events or steps % _STEPS_PER_CLOCK == 0:
                    self._tick(self._now)
                while self._events:
                    self._listener(self._events.popleft())
                if self._now >= next_truth:
                    next_truth += _TRUTH
                    self._note()
                if steps % _STEPS_PER_CLOCK == 0:
                    self._wait_for_the_controller()
                wall = max(wall + _STEP / self._speed, time.monotonic() - 0.1)
                time.sleep(max(0.0, wall - time.monotonic()))
        except BaseException:
            self.failed.set()
            raise

    def _pass_until(self, end: float) -> None:
        """Everything that happens until then, each at its own time."""
        while self._now < end:
            due = min(self.simulator.next_event(self._now), self._robot.link.next_time())
            self._now = min(end, max(due, self._now + 1e-4))
            self._exchange()

    def _exchange(self) -> None:
        if data := self.simulator.transmit(self._now):
            self._take_in(self._robot.link.receive(data, self._now))
        if self._robot.link.next_time() <= self._now:
            self._take_in(self._robot.link.poll(self._now))
        self._write()
        self._touched |= self.simulator.truth.touching

    def _take_in(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, BaudChange):
                self._robot.link.set_byte_time(10 / event.baud)
            else:
                self._events.append(event)

    def _write(self) -> None:
        while (frame := self._robot.link.take(self._now)) is not None:
            self.simulator.receive(frame, self._now)

    def _wait_for_the_controller(self) -> None:
        end = time.monotonic() + _PATIENCE
        while self._late(self._now) and time.monotonic() < end and not self._stopping.is_set():
            time.sleep(0.002)

    def _note(self) -> None:
        true = self.simulator.truth
        line = {
            "t": round(self._now, 3),
            "x": round(true.pose.x, 4),
            "y": round(true.pose.y, 4),
            "heading": round(true.pose.heading, 4),
            "speed": round((true.left_velocity + true.right_velocity) / 2, 3),
            "turn_rate": round(true.turn_rate, 3),
            "touching": self._touched,
        }
        self._touched = False
        self._truth.write(json.dumps(line) + "\n")
        self._truth.flush()


class ExactTime:
    """Stamps where the driver's clock is that of ROS."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock

    def of(self, instant: float) -> int:
        """The stamp (ns) of a time of the driver's clock (s)."""
        return round(instant * 1e9)

    def now(self) -> int:
        """The stamp of what happens now."""
        return self.of(self._clock())


class Stream:
    """The velocities of Nav2's controller and behaviors, to notice one that is late."""

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=3)

    def message(self, now: float) -> None:
        """One has come."""
        self._times.append(now)

    def late(self, now: float) -> bool:
        """Whether the next one should have been there by now. Asked again after a while, it is given up."""
        times = self._times
        if len(times) < 3 or times[-1] - times[0] > _STREAM or now - times[-1] > 2 * _LATE:
            return False
        return now - times[-1] > _LATE


def main() -> None:
    parser = argparse.ArgumentParser(prog="tools.nav_trial.robot", description=__doc__)
    parser.add_argument("--robot", default="amigo", help="profile of the robot (default: amigo)")
    parser.add_argument("--world", default="office", help="world it drives in (default: office)")
    parser.add_argument("--start", help="X,Y,DEG: where it starts (default: where the world has robots start)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the simulated robot (default: 1)")
    parser.add_argument("--wear", action="append", default=[], help="NAME=VALUE, as of amigobot sim, such as slip=0.1")
    parser.add_argument("--speed", type=float, default=1.0, help="simulated seconds in a second, at most (default: 1)")
    parser.add_argument("--truth", type=Path, required=True, help="file for the true poses, JSON lines")
    options = parser.parse_args()
    profile = load_profile(options.robot)
    world = load_world(options.world)
    if options.start:
        world = replace(world, start=parse_pose(options.start))
    simulator = Simulator(profile, world, seed=options.seed, wear=parse_wear(options.wear))
    stream = Stream()
    ticks: list[Callable[[float], None]] = []

    class Stepped(SteppedDriver):
        """With what this command was given."""

        def __init__(self, robot: Robot, _: str, listener: Callable[[Event], None]) -> None:
            def tick(now: float) -> None:
                for one in ticks:
                    one(now)

            late = stream.late
            super().__init__(robot, simulator, listener, speed=options.speed, truth=options.truth, tick=tick, late=late)

    node.Driver = Stepped  # type: ignore[assignment,misc]
    node.NodeTime = lambda _, clock: ExactTime(clock)  # type: ignore[assignment,misc]
    rclpy.init()
    overrides: dict[str, str | bool] = {"port": f"sim://{options.robot}", "robot": options.robot}
    overrides |= {"publish_scan": True, "enable_stamped_cmd_vel": True, "use_sim_time": True}
    robot = node.AmigobotNode(parameter_overrides=[Parameter(name, value=value) for name, value in overrides.items()])
    clock = robot.create_publisher(Clock, "/clock", 10)
    ticks.append(lambda now: clock.publish(Clock(clock=stamps.message(round(now * 1e9)))))
    robot.create_subscription(TwistStamped, "cmd_vel_nav", lambda _: stream.message(robot.driver.clock()), 10)
    broadcaster = StaticTransformBroadcaster(robot)
    broadcaster.sendTransform(sonar_transforms(profile))
    executor = SingleThreadedExecutor()
    executor.add_node(robot)
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        robot.close()


def sonar_transforms(profile: Profile) -> list[TransformStamped]:
    """The frames of the sonars, which robot_state_publisher has from the same profile."""
    transforms = []
    for number, pose in enumerate(profile.sonar.poses):
        one = TransformStamped(child_frame_id=conversions.sonar_frame(number))
        one.header.frame_id = "base_link"
        one.transform.translation.x, one.transform.translation.y = pose.x, pose.y
        one.transform.translation.z = profile.sonar.height
        one.transform.rotation.z, one.transform.rotation.w = math.sin(pose.heading / 2), math.cos(pose.heading / 2)
        transforms.append(one)
    return transforms


if __name__ == "__main__":
    main()
