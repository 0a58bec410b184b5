# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""`amigobot doctor` names each fault of a table, and finds nothing at a healthy robot; on simulated time."""

from __future__ import annotations

import pytest
from doctor_faults import BATTERY, FAULTS, byte, config, flash
from fault_proxy import Fault, VirtualPort

from amigobot_driver.doctor import Case, Finding, examine, parse_target, verdict
from amigobot_driver.profiles import available_profiles
from amigobot_driver.protocol import Command


def findings(fault: Fault, **options: object) -> list[Finding]:
    port = VirtualPort(fault)
    case = Case(target=parse_target("sim://"), opener=port.open, clock=port.clock, **options)  # type: ignore[arg-type]
    return list(examine(case))


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_first(name: str) -> None:
    fault, keys = FAULTS[name]
    found = verdict(findings(fault))
    assert found, "All is well"
    assert found[0][1].key in keys, [(cause.key, cause.text) for _, cause in found]
    assert len({cause.text.split(":")[0] for _, cause in found}) == len(found), "One cause is found twice"


#: Profiles that a robot must be asked for by name, as it calls itself as another one does.
_ASKED = ("amigo-1.0", "erratic-")
_OTHERS = {
    "gyro of kind 4": flash("seekurjr", HasGyro=4),
    "capitals": config(subclass="AMIGO"),
    "charger of 14 V": byte(BATTERY, lambda now, old: 140),  # AmigoBot manual ch. 7
}


@pytest.mark.parametrize("name", [*(name for name in available_profiles() if name != "generic"), *_OTHERS])
def test_all_is_well_with_a_healthy_robot(name: str) -> None:
    fault = _OTHERS.get(name) or Fault(robot=name)
    found = findings(fault, profile=name if name.startswith(_ASKED) else "")
    assert [(cause.key, cause.text) for _, cause in verdict(found)] == []


def test_a_robot_that_hangs_up_at_close_is_well() -> None:
    closes: list[bytes] = []  # SYNC2 has the number of CLOSE: each second one is a CLOSE

    def hangs_up(sent: bytes) -> bool:
        closes.extend([sent] * (sent == Command.CLOSE().encode()))
        return sent in closes and len(closes) % 2 == 0

    found = findings(Fault(network=True, hangs_up=hangs_up))
    assert [cause.key for _, cause in verdict(found)] == []


def test_nothing_is_well_that_was_not_measured() -> None:
    found = findings(Fault(), seconds=0.2)
    assert [cause.key for _, cause in verdict(found)] == ["unproven"]
