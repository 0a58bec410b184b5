# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A robot behind a network bridge: the serial line behind it, whose speed the connection does not have."""

from __future__ import annotations

import math

import pytest
from bench import Bench, TruthRecord
from bench import connected as connect

from amigobot_driver.protocol import BAUD_RATES
from amigobot_driver.robot import Report


def connected(baud: int = 9600, robot: str = "amigo-sh", *, bridge: bool = True, **options: object) -> Bench:
    return connect(robot, baud=baud, bridge=bridge, **options)


def errors_while_driving(bench: Bench) -> tuple[float, float]:
    """rms of odometry against the truth at its stamps, in m and rad, on a winding path of 20 s."""
    truth, since = TruthRecord(bench), bench.now
    for step in range(200):
        truth.drive(0.3, 0.8 * math.sin(step / 15))
    errors = truth.errors((report.stamp, report.odometry) for report in bench.emitted(Report, since))
    assert len(errors) > 150
    distance, turn = (math.hypot(*column) / math.sqrt(len(errors)) for column in zip(*errors, strict=True))
    return distance, turn


def assert_stamps_of_arrival(bench: Bench, since: float = 0.0) -> None:
    """No line's time is subtracted: the least late packet has its arrival as its stamp, none is later than it came."""
    lateness = [time - event.stamp for time, event in bench.events if isinstance(event, Report) and time > since]
    assert len(lateness) > 10
    assert 0.0 <= min(lateness) < 1e-6
    assert max(lateness) < 0.1


class TestStamps:
    def test_odometry_over_a_bridge_is_as_true_as_cable(self) -> None:
        cable = errors_while_driving(connected(bridge=False))
        bridged = errors_while_driving(connected())
        unknown = errors_while_driving(connected(bridge_baud=0))
        assert bridged == pytest.approx(cable, rel=0.1)
        assert unknown[0] > 5 * bridged[0]
        assert unknown[1] > 5 * bridged[1]

    @pytest.mark.parametrize("baud", BAUD_RATES)
    def test_the_speed_that_the_robot_reports_is_used(self, baud: int) -> None:
        bench = connected(baud)
        assert bench.robot.line.baud == baud
        assert bench.robot.link.decoder.byte_time == pytest.approx(10 / baud)

    def test_the_parameter_overrides_what_the_robot_reports(self) -> None:
        assert connected(57600, bridge_baud=115200).robot.line.baud == 115200

    def test_a_robot_without_bridge_has_stamps_of_arrival(self) -> None:
        bench = connected(robot="amigo")
        assert bench.robot.line.baud == 0
        assert_stamps_of_arrival(bench)


def test_a_simulator_without_a_line_needs_bridge_baud_0() -> None:
    """MobileSim, for instance: it may call itself an amigo-sh, and its bytes take no time."""
    bench = connected(0, bridge_baud=0)
    assert bench.robot.line.baud == 0
    assert_stamps_of_arrival(bench)
