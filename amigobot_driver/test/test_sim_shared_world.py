# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Several simulated robots in one world: they detect each other, and stop each other."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from amigobot_driver.cli import sim
from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import ACTIVMEDIA_PACKETS, Command, FrameDecoder, Instruction, Sip, parse
from amigobot_driver.sim import SessionState, SharedWorld, Simulator, World, WorldError, WorldPose, load_robots


class Pair:
    """Two robots and their clients, on one simulated clock."""

    def __init__(self, a: WorldPose, b: WorldPose, robots: tuple[str, str] = ("amigo", "amigo")) -> None:
        world = World("plain")
        self.world = SharedWorld(
            {
                name: Simulator(load_profile(robot), world, start=start, baud=0)
                for name, robot, start in zip("ab", robots, (a, b), strict=True)
            }
        )
        self.now = 0.0
        self._decoders = {name: FrameDecoder() for name in "ab"}
        self.newest: dict[str, dict[int, int]] = {"a": {}, "b": {}}  #: ranges by the number of the sonar
        for name in "ab":
            # SYNC0, SYNC1, SYNC2, OPEN
            for command in (Command.PULSE, Command.OPEN, Command.CLOSE, Command.OPEN):
                self.send(name, command())
            self.send(name, Command.ENABLE(1))
            self.send(name, Command.SONAR(1))

    def send(self, name: str, instruction: Instruction) -> None:
        self.world.robots[name].receive(instruction.encode(), self.now)
        self.run(0.1)

    def run(self, seconds: float) -> None:
        """Let time pass while both clients read what arrives."""
        for _ in range(round(seconds / 0.1)):
            self.now += 0.1
            for name, robot in self.world.robots.items():
                for frame in self._decoders[name].feed(robot.transmit(self.now), self.now):
                    packet = parse(frame.data, ACTIVMEDIA_PACKETS)
                    if isinstance(packet, Sip):
                        self.newest[name] |= {reading.number: reading.range for reading in packet.sonar}

    def drive(self, seconds: float, **velocities: int) -> None:
        """Drive with these velocities in mm/s, and repeat them."""
        for _ in range(round(seconds)):
            for name, velocity in velocities.items():
                self.world.robots[name].receive(Command.VEL(velocity).encode(), self.now)
            self.run(1.0)

    def pose(self, name: str) -> WorldPose:
        return self.world.robots[name].truth.pose


def test_a_robot_detects_another_by_sonar_and_sees_it_leave() -> None:
    profile = load_profile("amigo")
    mount = profile.sonar.poses[2]  # looks ahead and to the left
    pair = Pair(WorldPose(0.0, 0.0), WorldPose(1.2, 0.3))
    pair.run(2)
    rear = (1.2 - profile.body.rear - mount.x) / math.cos(mount.heading)
    assert pair.newest["a"][2] / 1000 == pytest.approx(rear, abs=0.05)
    pair.world.robots["b"].place(WorldPose(0.0, 30.0))
    pair.run(2)
    assert min(pair.newest["a"].values()) >= 5000


@pytest.mark.parametrize("other", ["amigo", "p3dx"])
def test_a_robot_that_drives_into_another_stops_at_it(other: str) -> None:
    pair = Pair(WorldPose(0.0, 0.0), WorldPose(1.2, 0.0), ("amigo", other))
    pair.drive(8, a=300)
    front, rear = load_profile("amigo").body.front, load_profile(other).body.rear
    assert pair.pose("a").x == pytest.approx(1.2 - front - rear, abs=0.02)
    assert pair.pose("b") == WorldPose(1.2, 0.0)


# -- the file ---------------------------------------------------------------------------------------------------


def written(folder: Path, text: str) -> str:
    (folder / "robots.yaml").write_text(text)
    return str(folder / "robots.yaml")


def test_options_of_the_file_are_those_of_sim(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "world: empty\nrobots:\n  alpha: {tcp: 8101, start: [1, 2, 90], wear: {left_scale: 1.02, slip: 0.01},"
        " faults: {dead_sonars: 2, no_floor: 1}}\n  beta: {pty: /tmp/beta, robot: p3dx, start: [3, 2, 0]}",
    )
    robots = load_robots(path)
    assert [entry.name for entry in robots.robots] == ["alpha", "beta"]
    assert dict(robots.robots[0].options) == {
        "seed": "0",
        "name": "alpha",
        "start": "1,2,90",
        "wear": "left_scale=1.02;slip=0.01",
        "faults": "dead_sonars=2;no_floor=1",
    }
    world = robots.build()
    assert world.robots["beta"].profile.name == "p3dx"
    assert world.robots["alpha"].truth.pose == WorldPose(1.0, 2.0, math.pi / 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("world: office", "key 'robots' is missing"),
        ("robots: {}", "robots is {}, expected a mapping of 1 to 32 names to the options of each robot"),
        ("robots: {a: {}}", "robot a: no port is given, add one of pty: PATH and tcp: PORT"),
        ("robots: {a: {pty: /tmp/a, tcp: 1}}", "robot a: pty and tcp are both given, leave one of them out"),
        ("robots: {a: {pty: /tmp/a}, b: {pty: /tmp/a}}", "/tmp/a is given twice: give each robot a port of its own"),
        ("robots: {a: {pty: /tmp/a, wolrd: x}}", "robot a: key 'wolrd' is not known, allowed: pty, tcp, robot"),
        ("robots: {a: {pty: /tmp/a, seed: x}}", "robot a: option seed='x': "),
        ("robots: {a: {pty: /tmp/a, robot: r2d2}}", "robot a: robot 'r2d2' is not known, allowed: "),
        ("robots: {a: {pty: /tmp/a}, b: {pty: /tmp/b}}", "another robot would be inside"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place_and_what_is_allowed(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(WorldError) as caught:
        load_robots(path).build()
    assert message in str(caught.value) and path in str(caught.value)


def test_a_served_fleet_ends_after_the_sessions_of_its_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Ctrl-C in the terminal of `ros2 launch` reaches the simulator and the drivers at once."""
    monkeypatch.setattr(sim, "_PATIENCE", math.inf)
    robot: Any = SimpleNamespace(session=SessionState.OPEN)
    signals: list[int] = []
    ended = sim._Ending(signals, [robot])
    assert not ended()
    signals.append(2)
    assert not ended()
    robot.session = SessionState.WAIT
    assert ended()
