# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A simulated robot in this process, with its truth, its faults, its obstacles and its clock."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from amigobot_driver import Options, RequestRefusedError
from amigobot_driver.cli import UsageError
from amigobot_driver.cli.sim import connect
from amigobot_driver.doctor import Kind, Target
from amigobot_driver.sim import Faults, Simulator, Window, World, WorldError, WorldPose, load_robots, parse_faults
from amigobot_driver.sim.fleet import RobotEntry
from amigobot_driver.sim.server import Served
from amigobot_driver.sim.world import box, circle
from amigobot_driver.transport.simulated import simulator_of

from ...geometry import Pose
from ..messages import Between
from .obstacles import Obstacle, obstacles_of
from .paced import PacedDriver, Speed
from .source import Result
from .stepped import SteppedSource

_REACH = 1000.0  #: m, largest coordinate
_MAX_OBSTACLES = 50  #: in a world
#: s of simulated time after which a velocity expires; at high speeds the browser sends too seldom for that.
_TIMEOUT = Options().command_timeout
Coordinate = Annotated[float, Between(-_REACH, _REACH)]
Angle = Annotated[float, Between(-100, 100)]  # rad
ObstacleNumber = Annotated[int, Between(1, 2**31)]
Length = Annotated[float, Between(0.05, 20)]  # m
Width = Annotated[float, Between(0, 20)]  # m


class SimulatorSource(SteppedSource):
    """A simulated robot that a person can play with.

    Args:
        url: sim:// with options.
        profile: Name or file of a profile for the driver; "" chooses it by the identity of the robot.
        timeout: Seconds to wait for the robot.
        robots: A file of several robots, instead of the URL.
        name: Which of them the page drives; "": the first one.

    Raises:
        AmigoBotError: The URL describes no robot; the message says why.
        UsageError: The file has no robot of this name, or a port cannot be opened.
    """

    kind = "simulator"

    def __init__(
        self, url: str, profile: str = "", *, timeout: float = 10.0, robots: Path | None = None, name: str = ""
    ) -> None:
        self._others: dict[str, Simulator] = {}  #: in the same world
        others: list[RobotEntry] = []
        if robots:
            described = load_robots(str(robots))
            self._others = described.build()
            name = name or described.robots[0].name
            if name not in self._others:
                raise UsageError(f"--name {name}: {robots} has {', '.join(self._others)}")
            self._simulator = self._others.pop(name)
            others = [entry for entry in described.robots if entry.name != name]
            url = f"{robots.name}: {name}"
        else:
            self._simulator, _ = simulator_of(url)
        target = Target(url, url, Kind.SIMULATED)
        super().__init__(target, partial(PacedDriver, line=self._simulator), profile, timeout)
        self._served: list[Served] = []
        try:
            for entry in others:
                self._serve(entry)
        except BaseException:
            self.close()
            raise
        self._driver = self.robot.paced
        self._world: World = self._simulator.world
        self._obstacles = obstacles_of(self._world)
        self._newest = len(self._obstacles)  #: number of the obstacle that was added last
        self._origin: Pose | None = None  #: of the odometry frame in the world

    def _serve(self, entry: RobotEntry) -> None:
        """Open the port at which another program drives a robot of the same world."""
        robot = self._others[entry.name]

        def log(text: str) -> None:
            self._messages.append(f"robot {entry.name}: {text}")

        connection = connect(entry.pty, entry.tcp, robot, log)
        log(f"listening on {connection.description}")
        self._served.append(Served(robot, connection))

    def live(self) -> dict[str, Any]:
        """Return truth and clock of the simulation."""
        driver, simulator = self._driver, self._simulator
        truth = simulator.truth
        if self._origin is None:
            seen = Pose(0.0, 0.0, 0.0).seen_from(self._odometry())
            self._origin = seen.transformed_by(Pose(truth.pose.x, truth.pose.y, truth.pose.heading))
        pose = truth.pose
        return {
            "sim": {
                "time": driver.elapsed,
                "speed": driver.speed,
                "actual": driver.actual_speed,
                "paused": driver.paused,
                "x": pose.x,
                "y": pose.y,
                "yaw": pose.heading,
                "left_velocity": truth.left_velocity,
                "right_velocity": truth.right_velocity,
                "touching": truth.touching,
                "charge": simulator.battery.charge,
                "bytes_in_transit": simulator.bytes_in_transit,
            },
            "origin": self._origin,
            "others": {name: dataclasses.astuple(robot.truth.pose) for name, robot in self._others.items()},
        }

    def sections(self) -> dict[str, Any]:
        """Return also obstacles, faults and the bodies of the other robots."""
        return {
            **super().sections(),
            "obstacles": list(self._obstacles.values()),
            "faults": _fault_rows(self._simulator.faults),
            "bodies": {name: robot.profile.body for name, robot in self._others.items()},
        }

    def close(self) -> None:
        """Stop the robot, and close the ports of the others."""
        super().close()
        for one in self._served:
            one.connection.close()

    def step(self) -> None:
        """Simulate up to the present, and pass bytes between the other robots and their clients."""
        super().step()
        for one in self._served:
            one.exchange(self._driver.clock())

    async def perform(self, call: Callable[[], Result]) -> Result:
        """Call something; the simulation runs ahead while it waits for the robot."""
        return call()

    def _odometry(self) -> Pose:
        with self._driver.robot() as robot:
            state = robot.estimator.odometer.state
        return Pose(state.x, state.y, state.yaw)

    # -- the clock --------------------------------------------------------------------------------------------

    def do_pause(self, on: bool) -> str:
        """Pause the simulated time, or continue it."""
        self._driver.paused = on
        return "paused" if on else "running"

    def do_step(self, seconds: Annotated[float, Between(0.01, 10)]) -> str:
        """Simulate some seconds more."""
        self._driver.wait(lambda: False, seconds)
        return f"{seconds:g} s more"

    def do_speed(self, factor: Speed) -> str:
        """Set the speed."""
        self._driver.speed = factor
        with self._driver.robot() as robot:
            options = dataclasses.replace(robot.options, command_timeout=_TIMEOUT * max(1.0, factor))
            robot.configure(options, self._driver.clock())
        return f"{factor:g} times real time"

    # -- the world --------------------------------------------------------------------------------------------

    def do_place(self, x: Coordinate, y: Coordinate, heading: Angle) -> str:
        """Carry the robot to a pose."""
        pose = WorldPose(x, y, math.remainder(heading, math.tau))
        _check_outside(pose, self._obstacles)
        self._simulator.place(pose)
        return f"the robot is at x {x:.2f} m, y {y:.2f} m now; its odometry has not changed"

    def do_reset_odometry(self) -> str:
        """Make this pose the origin."""
        text = super().do_reset_odometry()
        self._origin = None
        return text

    def do_add_obstacle(self, x: Coordinate, y: Coordinate, heading: Angle, length: Length, width: Width) -> str:
        """Add a box (m), or without a width a circle with this diameter."""
        if sum(obstacle.kind != "wall" for obstacle in self._obstacles.values()) >= _MAX_OBSTACLES:
            raise RequestRefusedError(f"there are {_MAX_OBSTACLES} obstacles already: remove some")
        self._newest += 1
        kind, outline = ("box", box(0.0, 0.0, length, width)) if width else ("circle", circle(0.0, 0.0, length / 2))
        obstacle = Obstacle(self._newest, kind, x, y, heading, tuple(outline))
        self._build({**self._obstacles, obstacle.number: obstacle})
        return f"{kind} {obstacle.number} added"

    def do_move_obstacle(self, number: ObstacleNumber, x: Coordinate, y: Coordinate, heading: Angle) -> str:
        """Move a wall or an obstacle."""
        obstacle = dataclasses.replace(self._obstacle(number), x=x, y=y, heading=math.remainder(heading, math.tau))
        self._build({**self._obstacles, number: obstacle})
        return f"{obstacle.kind} {number} moved"

    def do_remove_obstacle(self, number: ObstacleNumber) -> str:
        """Remove a wall or an obstacle."""
        kind = self._obstacle(number).kind
        self._build({key: obstacle for key, obstacle in self._obstacles.items() if key != number})
        return f"{kind} {number} removed"

    def do_restore_world(self) -> str:
        """Put the loaded walls back."""
        self._build(obstacles_of(self._world))
        return "all walls are where they were, and what was added is gone"

    def _obstacle(self, number: int) -> Obstacle:
        if number not in self._obstacles:
            raise RequestRefusedError(f"there is no obstacle {number}")
        return self._obstacles[number]

    def _build(self, obstacles: dict[int, Obstacle]) -> None:
        """Put up these walls and obstacles, if no robot is in one of them."""
        segments = tuple(segment for obstacle in obstacles.values() for segment in obstacle.segments())
        _check_outside(self._simulator.truth.pose, obstacles)
        world, before = dataclasses.replace(self._world, segments=segments), self._simulator.world
        robots = self._simulator, *self._others.values()
        try:
            for robot in robots:
                robot.replace_world(world)
        except WorldError:
            for robot in robots:
                robot.replace_world(before)
            raise
        self._obstacles = obstacles

    # -- the robot --------------------------------------------------------------------------------------------

    def do_fault(self, name: str, value: str) -> str:
        """Set a fault, or with an empty text end it."""
        faults, text = self._simulator.faults, value.strip()
        ended: dict[str, Any] = {field.name: field.default for field in dataclasses.fields(Faults)}
        if text or name not in ended:  # an unknown name is refused with all names
            self._simulator.faults = parse_faults([f"{name}={text}"], faults)
        else:
            self._simulator.faults = dataclasses.replace(faults, **{name: ended[name]})
        return f"{name}: {text or 'off'}"

    def do_fault_now(self, name: str, seconds: Annotated[float, Between(0, 3600)]) -> str:
        """Begin a fault that lasts some seconds of simulated time."""
        self.do_fault(name, f"{self._driver.elapsed}:{seconds}")
        return f"{name} for {seconds:g} s of simulated time"

    def do_no_faults(self) -> str:
        """End all faults."""
        self._simulator.faults = Faults()
        return "no faults"

    def do_press_motors(self) -> str:
        """Press the MOTORS button."""
        self._simulator.press_motors_button()
        return "the MOTORS button of the robot was pressed"

    def do_press_reset(self) -> str:
        """Press the RESET button."""
        self._simulator.reset()
        return "the RESET button of the robot was pressed"

    def do_charge(self, charge: Annotated[float, Between(0, 1)]) -> str:
        """Set the charge of the battery."""
        self._simulator.battery.charge = charge
        return f"battery at {charge * 100:.0f} %"


def _check_outside(pose: WorldPose, obstacles: dict[int, Obstacle]) -> None:
    for obstacle in obstacles.values():
        if obstacle.contains(pose):
            raise RequestRefusedError(f"the robot would be inside {obstacle.kind} {obstacle.number}")


def _fault_rows(faults: Faults) -> list[dict[str, Any]]:
    """Each fault with its present value as text, "" for off."""
    fields = dataclasses.fields(Faults)
    rows = [
        (field.name, _kind(field), _fault_text(getattr(faults, field.name)), field.metadata["help"]) for field in fields
    ]
    return [dict(zip(("name", "kind", "value", "help"), row, strict=True)) for row in rows]


def _kind(fault: dataclasses.Field[Any]) -> str:
    """What the page offers for a fault."""
    kinds = {"float": "number", "bool": "flag", "Window | None": "window"}
    return kinds.get(str(fault.type), "set")


def _fault_text(value: Any) -> str:
    if isinstance(value, Window):
        return ":".join(f"{part:g}" for part in dataclasses.astuple(value)).removesuffix(":inf")
    if isinstance(value, frozenset):
        return ",".join(map(str, sorted(value)))
    return f"{value:g}" if value else ""  # 1 for a flag
