# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Which sonars are said to be broken: each kind of fault is found and named, and a sound ring is left in peace."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import pytest

from amigobot_driver.profiles import load_profile
from amigobot_driver.robot import Odometry, Ping, Report
from amigobot_driver.robot.events import PortState
from amigobot_driver.robot.monitors.sonar_health import SPIKES, WINDOW, SonarHealth, SonarTrouble
from amigobot_driver.sim import Faults, load_world
from amigobot_driver.sim.body import SimulatedBody, Wear
from amigobot_driver.sim.faults import FaultInjector
from amigobot_driver.sim.sonar import SonarModel, SonarRing
from amigobot_driver.sim.world import Segment, World, blocked, polygon
from amigobot_driver.sim.worlds import available_worlds

CYCLE = 0.1
#: One array of sonars, and two that fire at once.
PROFILES = ["amigo", "amigo-sh", "p3dx"]
STANDING = (0.0, 0.0)
#: m/s, rad/s
DRIVE, TURN = 0.25, 0.5


class Scene:
    """A ring of sonars that a robot carries through a world, and what is made of its readings.

    The robot is moved as its velocities say, without motors or packets: what counts here are the echoes.
    """

    def __init__(self, robot: str = "amigo", world: str | World = "room", faults: Faults | None = None) -> None:
        self.profile = load_profile(robot)
        self.world = load_world(world) if isinstance(world, str) else world
        self._fault_injector = FaultInjector("1")
        self._fault_injector.faults = faults or Faults()
        self._body = SimulatedBody(self.profile, self.world, Wear(), "1")
        self.ring = SonarRing(self.profile, self._body, self.world, SonarModel(), self._fault_injector, "1")
        self.ring.switch(True)
        self.health = SonarHealth(self.profile)
        self.sequence: tuple[int, ...] | None = None
        self.now = 1000.0
        self._around, self._near = (math.inf, 0.0), list[Segment]()  #: the walls around there
        self._blocked = False
        self.slips = False  #: the wheels turn, the robot stands
        self.stalled = False
        self.seen: dict[str, SonarTrouble] = {}  #: each trouble there has been, by its kind and sonar

    def faults(self, **faults: object) -> None:
        self._fault_injector.faults = Faults(**faults)  # type: ignore[arg-type]

    def run(self, seconds: float, velocity: tuple[float, float] | Callable[[], tuple[float, float]] = STANDING) -> None:
        for _ in range(round(seconds / CYCLE)):
            linear, angular = velocity() if callable(velocity) else velocity
            self._move(linear, angular)
            steps = round(CYCLE / 0.01)
            for step in range(steps):
                self.ring.step(self.now + (step + 1) * CYCLE / steps)
            self.now += CYCLE
            self.health.update(self._report(linear, angular), self.sequence)
            for trouble in self.health.troubles():
                self.seen[f"{trouble.kind} {trouble.number}"] = trouble

    def wander(self) -> tuple[float, float]:
        """Straight on until something is in the way, then aside from it."""
        front = [
            ear.last.range
            for number, ear in self.health.records.items()
            if ear.last and abs(self.profile.sonar.poses[number].heading) < math.radians(50)
        ]
        if self._blocked or min(front, default=1.0) < 0.5:
            return 0.0, TURN
        # A little off, so that no two rounds are alike.
        return DRIVE, 0.1 * math.sin(self.now / 7)

    @property
    def troubles(self) -> list[str]:
        return [f"{trouble.kind} {trouble.number}" for trouble in self.health.troubles()]

    def _walls_near(self) -> list[Segment]:
        pose, (x, y) = self._body.pose, self._around
        if math.hypot(pose.x - x, pose.y - y) > 0.5:
            self._around = pose.x, pose.y
            self._near = self.world.near(pose.x, pose.y, self._body.footprint.radius + 1.0)
        return self._near

    def _move(self, linear: float, angular: float) -> None:
        pose = self._body.pose
        heading = pose.heading + angular * CYCLE
        moved = dataclasses.replace(
            pose,
            x=pose.x + linear * CYCLE * math.cos(heading),
            y=pose.y + linear * CYCLE * math.sin(heading),
            heading=heading,
        )
        self._blocked = blocked(self._body.footprint, moved, self._walls_near())
        if self._blocked:
            moved = dataclasses.replace(pose, heading=heading)
        if not self.slips:
            self._body.pose = moved

    def _report(self, linear: float, angular: float) -> Report:
        sonar = self.profile.sonar
        pings = tuple(
            Ping(ping.number, max(ping.range, sonar.min_range) if ping.range <= sonar.max_range else math.inf, self.now)
            for ping in self.ring.take()
        )
        return Report(
            stamp=self.now,
            odometry=Odometry(linear=0.0 if self._blocked else linear, angular=angular),
            pings=pings,
            volts=12.0,
            motors_enabled=True,
            sonar_enabled=self.ring.on,
            moving=bool(linear or angular),
            left_stalled=self.stalled,
            right_stalled=self.stalled,
            stop_button=False,
            charging=None,
            charge_state="",
            faults=(),
            celsius=None,
            ports=PortState(None, None, 0, None),
        )


class TestSound:
    """Nothing is said of a ring that is well."""

    @pytest.mark.parametrize("world", available_worlds())
    @pytest.mark.parametrize("robot", PROFILES)
    def test_on_a_long_drive(self, robot: str, world: str) -> None:
        scene = Scene(robot, world)
        scene.run(120, scene.wander)
        assert not scene.seen

    @pytest.mark.parametrize("robot", PROFILES)
    def test_standing(self, robot: str) -> None:
        scene = Scene(robot, "office")
        scene.run(120)
        assert not scene.seen

    def test_switched_off(self) -> None:
        scene = Scene(faults=Faults(mute_sonars=frozenset({3}), cross_talk=0.3))
        scene.run(60)
        assert scene.troubles
        scene.ring.switch(False)
        scene.run(CYCLE)
        assert not scene.troubles

    def test_with_fewer_in_the_sequence(self) -> None:
        scene = Scene()
        scene.run(20)
        scene.ring.set_sequence(bytes([2, 3, 4]))
        scene.sequence = (1, 2, 3)
        scene.run(60, (0.0, TURN))
        assert not scene.seen

    def test_along_a_wall(self) -> None:
        """A wall alongside keeps its distance, however far the robot drives."""
        corridor = World("corridor", segments=tuple(polygon([(-50.0, -0.7), (50.0, -0.7), (50.0, 0.7), (-50.0, 0.7)])))
        scene = Scene(world=corridor)
        scene.run(60, (DRIVE, 0.0))
        assert not scene.seen
        assert min(ear.same.driven for number, ear in scene.health.records.items() if number in (0, 5)) < 15

    def test_with_the_wheels_off_the_floor(self) -> None:
        scene = Scene()
        scene.slips = True
        scene.run(120, (0.1, TURN))
        assert not scene.seen


class TestFaults:
    def test_silent(self) -> None:
        scene = Scene()
        scene.run(5)
        scene.faults(mute_sonars=frozenset({2, 5}))
        scene.run(6)
        assert scene.troubles == ["silent 2", "silent 5"]
        [text, _] = [trouble.text for trouble in scene.health.troubles()]
        assert text.startswith("sonar 2 has given no reading for ") and "cable" in text and "set_sonar_sequence" in text
        scene.faults()
        scene.run(1)
        assert not scene.troubles

    def test_silent_from_the_start_where_it_was_asked_for(self) -> None:
        scene = Scene(faults=Faults(mute_sonars=frozenset({2})))
        scene.sequence = tuple(range(8))
        scene.run(10)
        assert scene.troubles == ["silent 2"]

    def test_all_silent(self) -> None:
        scene = Scene(faults=Faults(mute_sonars=frozenset(range(8))))
        scene.run(10)
        [trouble] = scene.health.troubles()
        assert trouble.number is None and "enable_sonar" in trouble.text

    @pytest.mark.parametrize("velocity", [(0.0, TURN), (0.1, -0.3)])
    def test_deaf(self, velocity: tuple[float, float]) -> None:
        scene = Scene(faults=Faults(dead_sonars=frozenset({6})))
        scene.run(60, velocity)
        assert scene.troubles == ["deaf 6"]

    def test_not_deaf_where_it_looks_at_nothing(self) -> None:
        """Standing, the same silence is an open door."""
        scene = Scene(faults=Faults(dead_sonars=frozenset({6})))
        scene.run(120)
        assert not scene.seen

    def test_stuck_while_turning(self) -> None:
        scene = Scene(faults=Faults(stuck_sonars=frozenset({1})))
        scene.run(1.0, (0.0, TURN))
        assert not scene.troubles
        scene.run(5.0, (0.0, TURN))
        assert scene.troubles == ["stuck 1"]
        [trouble] = scene.health.troubles()
        assert "over the last 0.0 m driven and 1" in trouble.text and "is something in front of it?" in trouble.text
        scene.faults()
        scene.run(2.0, (0.0, TURN))
        assert not scene.troubles

    def test_stuck_while_driving_straight_on(self) -> None:
        """The robot leaves what it has in front of it, and one sonar does not."""
        wall = World("wall", segments=tuple(polygon([(0.4, -1.0), (0.5, -1.0), (0.5, 1.0), (0.4, 1.0)])))
        scene = Scene(world=wall, faults=Faults(stuck_sonars=frozenset({3})))
        scene.run(1.0)
        scene.run(8.0, (-0.2, 0.0))
        assert scene.troubles == ["stuck 3"]

    def test_not_stuck_while_the_wheels_slip(self) -> None:
        scene = Scene(faults=Faults(stuck_sonars=frozenset({1})))
        scene.stalled = True
        scene.run(30, (0.0, TURN))
        assert not scene.seen

    @pytest.mark.parametrize("share", [0.2, 0.4])
    def test_cross_talk(self, share: float) -> None:
        scene = Scene(faults=Faults(cross_talk=share))
        scene.run(60)
        assert len(scene.troubles) >= 4 and all(kind.startswith("cross-talk") for kind in scene.troubles)
        text = scene.health.troubles()[0].text
        assert "another robot's sonar" in text and "set_sonar_sequence" in text
        scene.faults()
        scene.run(WINDOW + 1)
        assert not scene.troubles
        assert max(ear.spikes.total for ear in scene.health.records.values()) >= SPIKES

    def test_a_little_of_it_is_only_counted(self) -> None:
        scene = Scene(faults=Faults(cross_talk=0.01))
        scene.run(200)
        assert not scene.seen
        assert sum(ear.spikes.total for ear in scene.health.records.values()) > 10

    def test_a_thing_at_the_edge_of_the_beam_is_no_cross_talk(self) -> None:
        """Heard now and then, but always at the same place."""
        scene = Scene()
        scene.run(1.0)
        ear, travel = scene.health.records[0], scene.health._travel
        for number in range(100):
            ear.spikes.take(Ping(0, 1.0 if number % 3 else 3.0, scene.now + 0.4 * number), travel)
            ear.spikes.take(Ping(0, 3.0, scene.now + 0.4 * number + 0.1), travel)
        assert ear.spikes.total <= 1
