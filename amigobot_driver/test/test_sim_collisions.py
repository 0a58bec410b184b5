# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Walls: the body stops, the wheels stall, the packets say so, and the way back is free."""

from __future__ import annotations

import math

import pytest
from sim_client import Client, world

from amigobot_driver.protocol import Command
from amigobot_driver.sim import WorldPose

WALL_AHEAD = world((1.0, -2.0, 1.0, 2.0))
#: the AmigoBot's front is 160 mm ahead of its axle
CONTACT = 1.0 - 0.160


def test_both_wheels_stall_and_the_bits_stay_while_it_pushes() -> None:
    client = Client(where=WALL_AHEAD).open()
    client.send(Command.VEL(300))
    client.run(5.0)
    sips = client.run(2.0)
    assert all(sip.left_stalled and sip.right_stalled and sip.motors_enabled for sip in sips)  # type: ignore[attr-defined]
    assert client.event_texts("stall")[:2] == ["left wheel stalled", "right wheel stalled"]


def test_backing_off_clears_the_stall() -> None:
    client = Client(where=WALL_AHEAD).open()
    client.send(Command.VEL(300))
    client.run(6.0)
    client.send(Command.VEL(-200))
    client.run(2.0)
    sip = client.sip()
    assert not sip.left_stalled and not sip.right_stalled
    assert client.speed == pytest.approx(-0.2, abs=0.003)
    assert abs(client.heading) < 1.0


def test_a_wall_at_a_shallow_angle_turns_it_away() -> None:
    """The corner that touches slides along, and the robot with it; a steep wall just stops it."""
    headings = []
    for degrees in (10, 50):
        dx, dy = 3 * math.cos(math.radians(-degrees)), 3 * math.sin(math.radians(-degrees))
        client = Client(where=world((0.5 - dx, 0.2 - dy, 0.5 + dx, 0.2 + dy))).open()
        client.send(Command.VEL(200))
        client.run(6.0)
        headings.append(client.heading)
    assert -20 < headings[0] < -5
    assert headings[1] == pytest.approx(0, abs=1)


def test_it_never_enters_a_wall() -> None:
    """A box of a room, driven through blindly for two minutes."""
    client = Client("amigo", "room", seed=3).open()
    walls = client.sim.world.segments
    for turn in range(30):
        client.send(Command.VEL(400 if turn % 3 else -300), Command.RVEL((-70, 10, 55)[turn % 3]))
        for _ in range(8):
            client.run(0.5)
            pose = client.sim.truth.pose
            nearest = min(wall.distance_to(pose.x, pose.y) for wall in walls)
            assert nearest > 0.139, (pose, turn)
    assert client.event_texts("stall")


def test_a_start_inside_a_wall_is_refused() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        Client(where=world((0.0, 0.1, 1.0, 0.1), start=WorldPose(0.5, 0.1, math.pi / 2)))
