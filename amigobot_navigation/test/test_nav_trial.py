# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What tools/nav_trial and its pictures do without Nav2: goals, clearance, parameters for a fast clock, costmaps."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("tools.nav_trial", reason="run from the root of the repository: tools/ is not installed")

from tools.nav_trial.office import Floor
from tools.nav_trial.parameters import for_speed, override, tree_for_speed
from tools.pictures import navigation
from tools.pictures.missing import Missing
from tools.pictures.navigation import Pose as TruePose
from tools.pictures.navigation import corners_of_cells

from amigobot_driver.profiles import load_profile
from amigobot_driver.sim import World, WorldPose
from amigobot_driver.sim.world import box

NAV2 = Path(__file__).resolve().parents[1] / "config" / "nav2.yaml"
AMIGO = load_profile("amigo").body


def two_rooms() -> World:
    """A room of 4 x 3 m in which robots start, and one beside it without a door."""
    return World("two rooms", tuple(box(2.0, 1.5, 4.0, 3.0) + box(5.0, 1.5, 2.0, 3.0)), WorldPose(1.0, 1.0))


def nav2() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(NAV2.read_text(encoding="utf-8"))
    return content


def test_goals_are_in_the_room_that_the_robot_can_reach_and_far_enough_from_its_walls() -> None:
    floor = Floor(two_rooms(), AMIGO)
    for goal in itertools.islice(floor.goals(seed=1), 50):
        assert 0.0 < goal.x < 4.0
        assert floor.distance(goal.x, goal.y) > AMIGO.radius + 0.1


def test_a_trial_can_ask_for_goals_near_walls_only() -> None:
    floor = Floor(two_rooms(), AMIGO)
    distances = [floor.distance(goal.x, goal.y) for goal in itertools.islice(floor.goals(seed=1, within=0.4), 50)]
    assert max(distances) <= 0.4


def test_the_same_seed_gives_the_same_goals() -> None:
    floor = Floor(two_rooms(), AMIGO)
    first, second = (list(itertools.islice(floor.goals(seed=3), 5)) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("pose", "clearance"),
    [
        (WorldPose(3.0, 1.5), 1.0 - AMIGO.front),
        (WorldPose(3.0, 1.5, math.pi), 1.0 - AMIGO.rear),
        (WorldPose(2.0, 2.5), 0.5 - AMIGO.width / 2),
        (WorldPose(2.0, 2.5, math.pi / 2), 0.5 - AMIGO.front),
    ],
)
def test_the_clearance_is_that_of_the_body_not_of_its_center(pose: WorldPose, clearance: float) -> None:
    assert Floor(two_rooms(), AMIGO).clearance(pose) == pytest.approx(clearance, abs=1e-6)


def test_a_faster_clock_keeps_the_rates_and_accelerations_in_simulated_time() -> None:
    slow, fast = nav2(), for_speed(nav2(), 2.0, Path("/tmp/tree.xml"))
    for node in ("velocity_smoother", "controller_server"):
        before, after = slow[node]["ros__parameters"], fast[node]["ros__parameters"]
        for name in ("smoothing_frequency", "controller_frequency"):
            assert after.get(name) == (2.0 * before[name] if name in before else None)
    before, after = (content["velocity_smoother"]["ros__parameters"] for content in (slow, fast))
    # Nav2 divides by the rate, which is that of the wall clock: the change of velocity in each step stays.
    steps = [node["max_accel"][0] / node["smoothing_frequency"] for node in (before, after)]
    assert steps[0] == steps[1]
    assert after["max_velocity"] == before["max_velocity"]


def test_the_tree_replans_as_often_in_simulated_time() -> None:
    assert tree_for_speed('<RateController hz="1.0">', 2.5) == '<RateController hz="2.5">'


def test_a_costmap_in_the_frame_of_the_odometry_is_drawn_where_it_is_in_the_world() -> None:
    costs = {"x": -1.0, "y": -1.0, "resolution": 0.5, "width": 4, "cells": [0] * 12}
    moment = {"odometry": {"t": 1.0, "x": 0.5, "y": 0.0, "heading": math.pi / 2}, "costs": costs}
    # The odometry's frame is turned by -90 deg in the world, and its point (0.5, 0) is where the robot stands.
    x, y = corners_of_cells(moment, TruePose(3.0, 2.0, 0.0))
    assert (x[0, 0], y[0, 0]) == pytest.approx((3.0 - 1.0, 2.0 + 1.5))
    assert (x[3, 4], y[3, 4]) == pytest.approx((3.0 + 0.5, 2.0 - 0.5))


def test_a_picture_of_nav2_that_has_no_trial_says_how_to_make_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(navigation, "TRIAL", tmp_path)
    for draw in (navigation.draw_run, navigation.draw_costmap):
        with pytest.raises(Missing, match="--moments"):
            draw(tmp_path / "picture.png")


def test_a_parameter_of_a_node_a_plugin_and_a_costmap_can_be_set() -> None:
    assignments = ["amcl.max_beams=60", "controller_server.FollowPath.lookahead_dist=0.5", "local_costmap.width=4"]
    content = override(nav2(), assignments)
    assert content["amcl"]["ros__parameters"]["max_beams"] == 60
    assert content["controller_server"]["ros__parameters"]["FollowPath"]["lookahead_dist"] == 0.5
    assert content["local_costmap"]["local_costmap"]["ros__parameters"]["width"] == 4
