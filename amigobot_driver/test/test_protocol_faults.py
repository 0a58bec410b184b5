# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Charge state, faults and temperature: said where the packet has them, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

from amigobot_driver.protocol import Sip, parse

VECTORS = json.loads((Path(__file__).parent / "data" / "packets.json").read_text(encoding="utf-8"))


def sip(name: str) -> Sip:
    packet = parse(bytes.fromhex(VECTORS[name])[3:-2])
    assert isinstance(packet, Sip)
    return packet


def test_an_amigos_sip_has_no_faults() -> None:
    packet = sip("sip_stop")
    assert (packet.charge_name, packet.charging, packet.fault_names, packet.celsius) == ("", None, (), None)


def test_an_amigosh_sip_has_the_charge_state() -> None:
    packet = sip("sip_sh")
    assert (packet.charge_name, packet.charging) == ("not charging", False)


def test_an_arcos_sip_has_faults_and_no_temperature() -> None:
    packet = sip("sip_arcos")
    assert packet.fault_names == ("gyro",)
    assert packet.celsius is None
