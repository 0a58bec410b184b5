# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What fits on the line in one info cycle."""

from __future__ import annotations

import pytest
from bench import Bench

from amigobot_driver.protocol import OVERHEAD, Sip
from amigobot_driver.robot import Options
from amigobot_driver.robot.streams import plan


@pytest.mark.parametrize(
    ("baud", "cycle", "sip_bytes", "requested", "accepted"),
    [
        (9600, 0.1, 36, {"ENCODERpac": 14, "IOpac": 21}, ["ENCODERpac", "IOpac"]),  # 36 + 14 + 21 = 71 of 91
        (9600, 0.1, 60, {"ENCODERpac": 14, "IOpac": 21}, ["ENCODERpac"]),
        (9600, 0.1, 70, {"ENCODERpac": 24, "IOpac": 21}, ["IOpac"]),  # a small one fits where one before it did not
        (9600, 0.05, 33, {"ENCODERpac": 14, "IOpac": 21}, []),  # 45 bytes a cycle, 12 are left
        (10000, 0.1, 60, {"ENCODERpac": 14, "IOpac": 21}, ["ENCODERpac", "IOpac"]),  # all of the 95 bytes
        (19200, 0.05, 33, {"ENCODERpac": 14, "IOpac": 21}, ["ENCODERpac", "IOpac"]),
        (0, 0.05, 33, {"ENCODERpac": 14, "IOpac": 21}, ["ENCODERpac", "IOpac"]),  # a line without a speed
    ],
)
def test_what_fits_beside_the_sip(
    baud: int, cycle: float, sip_bytes: int, requested: dict[str, int], accepted: list[str]
) -> None:
    result = plan(10 / baud if baud else 0.0, cycle, sip_bytes, requested)
    assert list(result.accepted) == accepted
    assert set(result.reasons) == set(requested) - set(accepted)
    assert result.needed == sip_bytes + sum(requested[name] for name in accepted)


@pytest.mark.parametrize("robot", ["amigo", "amigo-sh", "p3dx-sh"])
def test_the_sip_is_counted_with_readings_and_tail(robot: str) -> None:
    bench = Bench(robot=robot).connect()
    bench.run(3.0)
    sizes = [len(packet.encode()) + OVERHEAD for _, packet in bench.packets(bench.now - 2) if isinstance(packet, Sip)]
    assert max(sizes) == bench.robot.streams.sip_bytes()


def test_a_left_out_stream_is_reported_once_each_time() -> None:
    """Behind a bridge the line has the speed that the options say."""

    def options(baud: int) -> Options:
        return Options(io_stream=True, encoder_stream=True, bridge_baud=baud)

    bench = Bench(options(9600), "amigo-sh", bridge=True).connect()
    bench.run(3.0)
    reports = [1, 1, 2]
    for baud, reported in zip((9600, 115200, 9600), reports, strict=True):
        bench.request(lambda baud=baud: bench.robot.configure(options(baud), bench.now))
        bench.run(1.0)
        assert sum(notice.startswith("IOpac is left out") for notice in bench.notices) == reported
