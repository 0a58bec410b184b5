# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A robot whose motors are off is at rest: its pose stays, and its wheels report no velocity."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from ...protocol import Sip
from ...wording import counted
from ..check import Case, Row, Stage, check, wrong
from ..finding import Finding, Severity

#: m and rad by which the pose of a robot at rest may change, by rounding and by a nudge; m and rad in one step that no
#: robot drives in one packet.
_MOVED, _TURNED = 0.02, math.radians(1)
_JUMP, _JUMP_TURN = 0.25, math.radians(20)
#: m/s of a wheel at rest: controllers report some mm/s (docs/reference/field.md).
_REST = 0.02
#: Units of the heading in a turn.
_TURN = 4096
#: Packets that must show it, and that a judgment needs.
_SOME, _ENOUGH = 3, 5


def _poses(case: Case) -> list[tuple[float, float, float]]:
    poses = [report.odometry for report in case.observation.reports]
    return [(pose.x, pose.y, pose.yaw) for pose in poses]


def _changes(case: Case) -> tuple[float, float]:
    """How far the pose was from the first one, m and rad."""
    poses = _poses(case)
    if not poses:
        return 0.0, 0.0
    x, y, yaw = poses[0]
    return (
        max(math.hypot(pose[0] - x, pose[1] - y) for pose in poses),
        max(abs(math.remainder(pose[2] - yaw, math.tau)) for pose in poses),
    )


def _jumps(case: Case) -> str:
    observation = case.observation
    refused = observation.after.odometry_jumps - observation.before.odometry_jumps
    steps = [
        (math.hypot(late[0] - early[0], late[1] - early[1]), abs(math.remainder(late[2] - early[2], math.tau)))
        for early, late in pairwise(_poses(case))
    ]
    jumps = max(refused, sum(step > _JUMP or turn > _JUMP_TURN for step, turn in steps))
    if not jumps:
        return ""
    furthest = max((step for step, _ in steps), default=0.0)
    return f"the pose jumps {counted(jumps, 'time')}{f', by up to {furthest:.2f} m' if furthest > _JUMP else ''}"


def _velocity(case: Case) -> float:
    """Velocity of a wheel, m/s, that some packets exceed."""
    fastest = sorted(
        max(abs(report.odometry.left_velocity), abs(report.odometry.right_velocity))
        for report in case.observation.reports
    )
    return fastest[-_SOME] if len(fastest) >= _ENOUGH else 0.0


def _moves(case: Case) -> str:
    moved, turned = _changes(case)
    if moved <= _MOVED and turned <= _TURNED:
        return ""
    motors = "on, without a command" if case.observation.reports[-1].motors_enabled else "off"
    velocity = _velocity(case)
    wheels = f", wheels at {velocity:.2f} m/s" if velocity > _REST else ", wheels at rest"
    return f"the pose changes by {moved:.2f} m and {math.degrees(turned):.0f} deg with the motors {motors}{wheels}"


def _heading_only(case: Case) -> str:
    moved, turned = _changes(case)
    return _moves(case) if turned > _TURNED and moved <= _MOVED and _velocity(case) <= _REST else ""


def _velocity_alone(case: Case) -> str:
    velocity = _velocity(case)
    return f"the wheels report {velocity:.2f} m/s, and the pose stays" if velocity > _REST else ""


def _flag_alone(case: Case) -> str:
    kinds = [data[0] for _, data in case.traffic.sips]
    if _velocity(case) > _REST or not kinds or kinds.count(Sip.MOVING) <= len(kinds) / 2:
        return ""
    return f"{100 * kinds.count(Sip.MOVING) // len(kinds)} % of the packets say that it moves"


def _impossible_heading(case: Case) -> str:
    wrong = [packet.heading for packet in case.traffic.decoded if abs(packet.heading) > _TURN]
    return f"{counted(len(wrong), 'packet')} with a heading of {wrong[0]}" if len(wrong) > 2 else ""


_AT_REST = (
    Row(
        "heading-range",
        Severity.ERROR,
        _impossible_heading,
        f"{{}}, where a turn has {_TURN}: the packets are not those of this robot, or the controller is damaged.",
        "Choose a profile with --robot, or press RESET on the robot. Then:",
    ),
    Row(
        "pose-jumps",
        Severity.ERROR,
        _jumps,
        "{} at rest: the controller restarts, another program sets its odometry, or encoder signals are disturbed.",
        "End other programs; check battery, encoder cables and ground. Then:",
    ),
    Row(
        "heading-drifts",
        Severity.ERROR,
        _heading_only,
        "{}: the gyro that corrects the heading drifts, or an encoder counts without turning.",
        "Let the robot stand still after power-on, so that its gyro calibrates; set HasGyro to 0 if it has none. Then:",
    ),
    Row(
        "moves-at-rest",
        Severity.ERROR,
        _moves,
        "{}: it rolls, is pushed or driven by another program, or an encoder counts without turning.",
        "Hold the robot, end other programs, and check the encoder cables. Then:",
    ),
    Row(
        "velocity-at-rest",
        Severity.ERROR,
        _velocity_alone,
        "{}: velocity and encoders contradict each other; the controller or an encoder is broken.",
        "Press RESET on the robot, and check the encoder cables. Then:",
    ),
    Row(
        "moving-flag",
        Severity.WARNING,
        _flag_alone,
        "{}, and no wheel turns: the controller contradicts itself.",
        "Press RESET on the robot. Then:",
    ),
)


@check("rest", Stage.CONNECTED)
def rest(case: Case) -> Iterator[Finding]:
    """The pose of a robot with motors off stays, and its wheels are at rest."""
    if len(case.observation.reports) < _ENOUGH:
        return
    found = list(wrong("rest", _AT_REST, case, first=True))
    yield from found
    if not found:
        moved, turned = _changes(case)
        text = f"at rest: the pose stays within {1000 * moved:.0f} mm and {math.degrees(turned):.1f} deg"
        yield Finding("rest", Severity.OK, text)
