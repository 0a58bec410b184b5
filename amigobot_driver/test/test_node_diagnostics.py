# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What /diagnostics says of a robot in trouble, and that each trouble comes with its remedy."""

from __future__ import annotations

import pytest

pytest.importorskip("rclpy", reason="rclpy is not installed")

from diagnostic_msgs.msg import DiagnosticStatus
from ros_bench import Bench, shared_bench

FAULTS = "mute_sonars=2;stuck_sonars=5;jam=0:100000"


bench = shared_bench(port=f"sim://amigo?world=room&charge=0.05&faults={FAULTS}", sonar_sequence="0 1 2 3 4 5 6 7")


@pytest.mark.parametrize(
    ("part", "level", "expected"),
    [
        ("sonar", DiagnosticStatus.WARN, ("Sonar 2 gave no reading", "check the cable")),
        ("battery", DiagnosticStatus.WARN, ("Low: 10.", "Bring the robot to its charger")),
        ("motors", DiagnosticStatus.ERROR, ("Both wheels stalled for ", "free the robot")),
    ],
)
def test_a_fault_has_its_level_and_remedy(bench: Bench, part: str, level: bytes, expected: tuple[str, ...]) -> None:
    with bench.driving(0.2):
        # Not the first one of this level: the packets of a busy machine may be late, which is another error.
        bench.wait_until(lambda: all(words in bench.diagnostic(part).message for words in expected))
        assert bench.diagnostic(part).level == level


def test_every_sonar_has_a_diagnostics_value(bench: Bench) -> None:
    bench.wait_until(lambda: len(bench.values("sonar")) == 9)
    assert bench.values("sonar")["sonar_0"].startswith("range ")
    assert bench.values("sonar")["sonar_2"] == "range none yet, age not measured"


def test_sent_and_resent_commands_are_counted(bench: Bench) -> None:
    values = bench.values("commands", fresh=True)
    assert int(values["sent"]) > 10
    assert {"motors_resent", "sonar_resent", "tuning_resent", "streams_resent", "dropped", "raw_refused"} <= set(values)
    # A median; it is 0 where most of the packets came together, as they may on a busy machine.
    bench.wait_until(lambda: float(bench.values("link")["packet_period"]) == pytest.approx(0.1, abs=0.05))
