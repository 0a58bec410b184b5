# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Adapts the Nav2 parameters, written for an AmigoBot, to the body, the sonars and the limits of another robot.

Only `config/nav2.yaml` has tuned numbers. Shapes keep their distance from the body: a corner 0.34 m
before the front of an AmigoBot is 0.34 m before the front of every robot.
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

from amigobot_driver.profiles import Body, Profile, ProfileError, SonarPose, load_profile

#: The robot that Nav2's parameters are written for.
REFERENCE = "amigo"
# Within its minimum range a sonar detects nothing: a shape of the collision monitor ends beyond it.
_BEYOND_AHEAD = 0.07  # m beyond the minimum range, ahead, at least
_BEYOND_BESIDE = 0.035  # m beyond the minimum range, to the side, at least
#: Distributions that need nav2_before_lyrical.yaml, too.
BEFORE_LYRICAL = ("jazzy", "kilted")
#: How much smaller than the body (m) a footprint may be.
_TOLERANCE = 0.01
#: Cosine of the largest angle between a sonar and the driving direction.
_LOOKS_AHEAD = 0.5
#: Linear and angular velocities in the controller parameters.
_LINEAR = ("max_linear_vel", "desired_linear_vel", "regulated_linear_scaling_min_speed")
_ANGULAR = ("max_angular_vel", "min_angular_vel", "rotate_to_heading_angular_vel")

Point = tuple[float, float]
Parameters = dict[str, Any]


def footprint(body: Body) -> list[Point]:
    """Return the corners of the body in base_link (m), from the front left one clockwise."""
    half = body.width / 2
    return [(body.front, half), (body.front, -half), (-body.rear, -half), (-body.rear, half)]


def fit_nav2(content: Parameters, profile: Profile) -> Parameters:
    """Adapt Nav2 parameters for an AmigoBot to another robot.

    Args:
        content: A ROS parameter file as a mapping (node: ros__parameters: ...), with the names of nav2.yaml. Nodes and
            parameters that it lacks stay out.
        profile: The robot. For the profile `amigo` the result equals `content`.

    Returns:
        A copy with footprints, costmap sizes, inflation radii, sonar lists and the shapes of the collision monitor of
        this robot, and with no velocity beyond the limits of its profile.

    Raises:
        ProfileError: The parameters are for sonars, and the robot has none.
    """
    fitted = copy.deepcopy(content)
    for name in ("local_costmap", "global_costmap"):
        _fit_costmap(_parameters(fitted.get(name, {}), name), profile)
    follower = _parameters(fitted, "controller_server").get("FollowPath", {})
    _limit(follower, _LINEAR, profile.limits.linear)
    _limit(follower, _ANGULAR, profile.limits.angular)
    _limit(_parameters(fitted, "behavior_server"), ("max_rotational_vel", "min_rotational_vel"), profile.limits.angular)
    smoother = _parameters(fitted, "velocity_smoother")
    for name in ("max_velocity", "min_velocity"):
        if name in smoother:
            limits = (profile.limits.linear, profile.limits.linear, profile.limits.angular)
            smoother[name] = [_limited(value, limit) for value, limit in zip(smoother[name], limits, strict=True)]
    _fit_monitor(_parameters(fitted, "collision_monitor"), profile)
    return fitted


def add_laser(content: Parameters, topic: str) -> Parameters:
    """Return a copy of Nav2 parameters that uses a laser scanner beside the sonars.

    Args:
        content: The content of nav2.yaml, fitted to a robot or not.
        topic: The topic of the LaserScan messages. The costmaps subscribe to it as an absolute name.
    """
    changed = copy.deepcopy(content)
    _parameters(changed, "amcl").update(scan_topic=topic, max_beams=60, laser_max_range=-1.0, sigma_hit=0.2)
    # Nav2's default of max_obstacle_height is 0.0 m in global_frame: every point of a laser above the floor is dropped.
    source = {
        **{"topic": f"/{topic.lstrip('/')}", "data_type": "LaserScan", "marking": True, "clearing": True},
        "max_obstacle_height": 2.0,
    }
    for name in ("local_costmap", "global_costmap"):
        costmap = _parameters(changed[name], name)
        costmap["plugins"].insert(costmap["plugins"].index("range_layer"), "obstacle_layer")
        layer = {"plugin": "nav2_costmap_2d::ObstacleLayer", "observation_sources": "scan", "scan": dict(source)}
        costmap["obstacle_layer"] = layer
    monitor = _parameters(changed, "collision_monitor")
    monitor["observation_sources"].append("scan")
    monitor["scan"] = {"type": "scan", "topic": topic, "enabled": True}
    return changed


def remove_sonars(content: Parameters) -> Parameters:
    """Return a copy of Nav2 parameters without the sonars, for a robot that has none."""
    changed = copy.deepcopy(content)
    for name in ("local_costmap", "global_costmap"):
        costmap = _parameters(changed[name], name)
        costmap["plugins"].remove("range_layer")
        del costmap["range_layer"]
    monitor = _parameters(changed, "collision_monitor")
    for name in [name for name in monitor["observation_sources"] if name.startswith("sonar_")]:
        monitor["observation_sources"].remove(name)
        del monitor[name]
    return changed


def footprint_problem(content: Parameters, profile: Profile) -> str:
    """Compare the footprint in a user's parameter file with the body of a robot.

    Returns:
        The problem, with both sizes; "" if the footprint covers the body or the file has none.
    """
    costmap = _parameters(content.get("local_costmap") or {}, "local_costmap")
    try:
        corners = [(float(x), float(y)) for x, y in json.loads(costmap.get("footprint", "[]"))]
    except (TypeError, ValueError):
        return ""  # Nav2 reports this error itself
    if not corners:
        return ""
    body, (xs, ys) = profile.body, zip(*corners, strict=True)
    front, rear, left, right = max(xs), -min(xs), max(ys), -min(ys)
    extents = ((front, body.front), (rear, body.rear), (left, body.width / 2), (right, body.width / 2))
    if all(found >= needed - _TOLERANCE for found, needed in extents):
        return ""
    return (
        f"its footprint of {front + rear:.3f} x {left + right:.3f} m does not cover a {profile.name}, which is "
        f"{body.front + body.rear:.3f} x {body.width:.3f} m: Nav2 may drive the robot into walls"
    )


def _fit_costmap(costmap: Parameters, profile: Profile) -> None:
    body, reference = profile.body, load_profile(REFERENCE).body
    larger = body.radius - reference.radius
    if "footprint" in costmap:
        costmap["footprint"] = _text(footprint(body))
    for name in ("width", "height"):
        if name in costmap:
            costmap[name] = max(costmap[name], math.ceil(costmap[name] - 0.5 + 2 * larger))
    if "range_layer" in costmap:
        costmap["range_layer"]["topics"] = [f"/{topic}" for topic in _topics(profile)]
    if "inflation_layer" in costmap:
        inflation = costmap["inflation_layer"]
        inflation["inflation_radius"] = _rounded(inflation["inflation_radius"] + larger)


def _fit_monitor(monitor: Parameters, profile: Profile) -> None:
    if not monitor:
        return
    for name in monitor.get("polygons", []):
        polygon = monitor[name]
        if "points" in polygon:
            polygon["points"] = _text(_shifted(json.loads(polygon["points"]), profile.body))
        for shape_name in polygon.get("velocity_polygons", []):
            shape = polygon[shape_name]
            points = _shifted(json.loads(shape["points"]), profile.body)
            for direction, driven in ((1, shape["linear_min"] > 0.0), (-1, shape["linear_max"] < 0.0)):
                if driven:
                    points = _extended(points, profile, direction)
            shape["points"] = _text(points)
    sources = monitor.get("observation_sources", [])
    if example := next((monitor[name] for name in sources if name.startswith("sonar_")), None):
        others = [name for name in sources if not name.startswith("sonar_")]
        for name in set(sources) - set(others):
            del monitor[name]
        topics = {f"sonar_{number}": topic for number, topic in enumerate(_topics(profile))}
        monitor["observation_sources"] = [*topics, *others]
        monitor.update({name: {**example, "topic": topic} for name, topic in topics.items()})


def _topics(profile: Profile) -> list[str]:
    if not profile.sonar.poses:
        raise ProfileError(
            f"robot {profile.name} has no sonars, and Nav2's parameters are for sonars: give a robot with sonars, or "
            f"params_file:=FILE, which `ros2 run amigobot_navigation nav2_params {profile.name} --laser scan` writes"
        )
    return [f"sonar/range_{number}" for number in range(len(profile.sonar.poses))]


def _shifted(points: Iterable[Sequence[float]], body: Body) -> list[Point]:
    """Return points with the same distance from this body as from the body of the reference robot."""
    reference = load_profile(REFERENCE).body
    ahead, behind = body.front - reference.front, reference.rear - body.rear
    beside = (body.width - reference.width) / 2
    return [(x + (ahead if x > 0 else behind), y + math.copysign(beside, y)) for x, y in points]


def _extended(points: list[Point], profile: Profile, direction: int) -> list[Point]:
    """Move points ahead (direction 1) or back (-1) until a sonar detects objects at the edge of the shape."""
    sonar = profile.sonar
    looking = [pose for pose in sonar.poses if direction * math.cos(pose.heading) > _LOOKS_AHEAD]
    reach = max((direction * _nearest(pose, sonar.min_range)[0] for pose in looking), default=0.0) + _BEYOND_AHEAD
    beside = max((abs(_nearest(pose, sonar.min_range)[1]) for pose in looking), default=0.0) + _BEYOND_BESIDE
    return [
        (direction * max(reach, direction * x), math.copysign(max(beside, abs(y)), y)) if direction * x > 0 else (x, y)
        for x, y in points
    ]


def _nearest(pose: SonarPose, reach: float) -> Point:
    """Return the nearest point that a sonar detects, m in base_link."""
    return pose.x + reach * math.cos(pose.heading), pose.y + reach * math.sin(pose.heading)


def _parameters(content: Parameters, node: str) -> Parameters:
    found: Parameters = content.get(node, {}).get("ros__parameters", {})
    return found


def _limit(parameters: Parameters, names: Iterable[str], limit: float) -> None:
    for name in names:
        if name in parameters:
            parameters[name] = _limited(parameters[name], limit)


def _limited(value: float, limit: float) -> float:
    return max(-limit, min(value, limit))


def _text(points: Iterable[Point]) -> str:
    """Return a polygon as Nav2 reads it."""
    return json.dumps([[_rounded(x), _rounded(y)] for x, y in points])


def _rounded(meters: float) -> float:
    """Round to a tenth of a millimeter, without a negative zero."""
    return round(meters, 4) + 0.0
