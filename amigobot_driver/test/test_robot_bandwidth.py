# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What fits on the line in one info cycle."""

from __future__ import annotations

import pytest
from component_bench import ComponentBench

from amigobot_driver.protocol import OVERHEAD, Packet, Sip, SipSonarReading
from amigobot_driver.robot import Notice
from amigobot_driver.robot.bandwidth import BandwidthPlanner, plan

STREAMS = {"ENCODERpac": 14, "IOpac": 21}
BAUD_9600 = 10 / 9600


def size(packet: Packet) -> int:
    return len(packet.encode()) + OVERHEAD


def sip(readings: int, **tail: int) -> Sip:
    zeros = "x y heading left_velocity right_velocity battery left_stall_bumpers right_stall_bumpers control flags"
    ports = "compass port_low port_high analog digital_in digital_out"
    sonar = tuple(SipSonarReading(number=number, range=500) for number in range(readings))
    return Sip(sonar=sonar, **dict.fromkeys(f"{zeros} {ports}".split(), 0), **tail)


@pytest.mark.parametrize(
    ("baud", "cycle", "sip_bytes", "accepted"),
    [
        (9600, 0.1, 36, ["ENCODERpac", "IOpac"]),  # 36 + 14 + 21 = 71 of 91
        (9600, 0.1, 60, ["ENCODERpac"]),
        (9600, 0.1, 70, ["IOpac"]),  # a small one fits where the one before it did not
        (9600, 0.05, 33, []),  # 45 bytes a cycle, 12 are left
        (19200, 0.05, 33, ["ENCODERpac", "IOpac"]),
        (0, 0.05, 33, ["ENCODERpac", "IOpac"]),  # a line without a speed
    ],
)
def test_what_fits_beside_the_sip(baud: int, cycle: float, sip_bytes: int, accepted: list[str]) -> None:
    wanted = {"ENCODERpac": 24, "IOpac": 21} if sip_bytes == 70 else STREAMS
    result = plan(10 / baud if baud else 0.0, cycle, sip_bytes, wanted)
    assert list(result.accepted) == accepted
    assert set(result.refused) == set(wanted) - set(accepted) == set(result.reasons)
    assert result.needed == sip_bytes + sum(wanted[name] for name in accepted)


class PlannerBench(ComponentBench):
    """The planner of one robot, on a line of a certain speed, in a session that has just started."""

    def __init__(self, baud: int, robot: str = "amigo") -> None:
        super().__init__(robot)
        self.planner = BandwidthPlanner(self.context)
        self.set_baud(baud)
        self.planner.on_session_start(0.0)

    def set_baud(self, baud: int) -> None:
        self.planner.set_byte_time(10 / baud, 0.0)

    @property
    def notices(self) -> list[str]:
        """The beginnings of all notices so far."""
        return [event.text[:17] for event in self.events if isinstance(event, Notice)]


def test_the_sip_is_counted_with_the_readings_of_a_cycle_and_its_own_tail() -> None:
    bench = PlannerBench(9600)
    assert bench.planner.sip_bytes == size(sip(2))
    bench.receive(sip(0), 0.0)
    assert bench.planner.sip_bytes == size(sip(2))
    amigo_sh = PlannerBench(9600, "amigo-sh")
    amigo_sh.receive(sip(1, battery_x10=120, charge_state=0), 0.0)
    assert amigo_sh.planner.sip_bytes == size(sip(3, battery_x10=120, charge_state=0))


def test_a_stream_is_accepted_while_it_is_requested_and_fits() -> None:
    bench = PlannerBench(9600)
    planner = bench.planner
    assert not planner.accepts("IOpac")
    planner.request("IOpac", 21, 0.0)
    assert planner.accepts("IOpac")
    planner.request("ENCODERpac", 50, 0.0)
    assert planner.accepts("ENCODERpac"), "odometry comes first, whichever was requested first"
    assert not planner.accepts("IOpac")
    bench.set_baud(38400)
    assert planner.accepts("IOpac")
    planner.request("IOpac", 0, 0.0)
    assert not planner.accepts("IOpac")


def test_a_stream_that_is_left_out_is_reported_once_and_again_when_it_becomes_true_again() -> None:
    bench = PlannerBench(9600)
    bench.planner.request("IOpac", 90, 0.0)
    for _ in range(5):
        bench.receive(sip(2), 0.0)
    assert bench.notices == ["IOpac is left out"]
    bench.set_baud(19200)
    assert bench.notices == ["IOpac is left out"]
    bench.set_baud(9600)
    assert bench.notices == ["IOpac is left out"] * 2
