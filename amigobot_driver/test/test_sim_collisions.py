# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Walls: the body stops, the wheels stall, the packets say so, and the way back is free. A robot that is carried."""

from __future__ import annotations

import math

import pytest
from bench import Bench
from sim_client import Client, world

from amigobot_driver.protocol import Command
from amigobot_driver.sim import WorldPose

WALL_AHEAD = world((1.0, -2.0, 1.0, 2.0))


def test_both_wheels_stall_while_pushing_until_it_backs_off() -> None:
    client = Client(where=WALL_AHEAD).open()
    client.send(Command.VEL(300))
    client.run(5.0)
    sips = client.run(2.0)
    assert all(sip.left_stalled and sip.right_stalled and sip.motors_enabled for sip in sips)  # type: ignore[attr-defined]
    assert client.event_texts("stall")[:2] == ["left wheel stalled", "right wheel stalled"]
    client.send(Command.VEL(-200))
    client.run(2.0)
    sip = client.sip()
    assert not sip.left_stalled and not sip.right_stalled
    assert client.speed == pytest.approx(-0.2, abs=0.003)
    assert abs(client.heading) < 1.0


def test_a_carried_robot_is_elsewhere_without_knowing() -> None:
    bench = Bench().connect()
    bench.simulator.place(WorldPose(2.0, -1.0, math.pi / 2))
    bench.run(1.0, cmd_vel=(0.2, 0.0))
    pose = bench.simulator.truth.pose
    assert pose.x == pytest.approx(2.0, abs=0.01) and pose.y > -0.95
    assert abs(bench.robot.estimator.odometer.state.y) < 0.01
