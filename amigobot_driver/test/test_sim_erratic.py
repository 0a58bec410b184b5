# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The simulated Erratic: what its manual promises, with the frames of the reference.

Source: docs/protocol 4.2, 5.11-5.15.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from sim_client import Client, world

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import ERRATIC_COMMANDS, Command, ErraticCommand, Packet, erratic
from amigobot_driver.sim import Faults, Window, World
from amigobot_driver.sim.erratic import commands

FRAMES: dict[str, str] = json.loads((Path(__file__).parent / "data" / "packets.json").read_text())
ERRATIC = load_profile("erratic")
#: s between two motor packets
CYCLE = 0.05


class Robot(Client):
    """An Erratic and its client."""

    table = erratic.ERRATIC_PACKETS

    def __init__(
        self,
        where: World | str = "empty",
        **options: Any,
    ) -> None:
        super().__init__(dataclasses.replace(ERRATIC, flash={}), where, **options)

    def opened(self, *, motors: bool = True) -> Robot:
        self.send(Command.OPEN())
        if motors:
            self.send(Command.ENABLE(1))
        return self

    def motor(self) -> erratic.Motor:
        """The next motor packet that was made after everything sent so far was executed."""
        self.run(0.02)
        return self.next(erratic.Motor)

    def parameters(self) -> erratic.ErraticConfig:
        self.send(Command.CONFIG())
        return self.next(erratic.ErraticConfig)

    def inputs(self) -> erratic.Analog:
        self.send(ErraticCommand.ANALOG(1))
        self.run(CYCLE)
        return self.next(erratic.Analog)


def count(packets: list[Packet], kind: type[Packet]) -> int:
    return sum(isinstance(packet, kind) for packet in packets)


def test_motor_packets_come_20_times_a_second_from_start() -> None:
    robot = Robot(baud=38400)
    robot.run(1.0, alive=False)
    robot.run(10.0, alive=False)
    arrivals = [time for time, packet in robot.packets if isinstance(packet, erratic.Motor)]
    assert len(arrivals) == pytest.approx(220, abs=1)
    assert len(arrivals) == len(robot.packets)
    assert max(b - a for a, b in itertools.pairwise(arrivals)) < CYCLE + 0.011


@pytest.mark.parametrize("save", ["er_save", "er_save_player"])
def test_only_what_was_saved_outlives_the_power(save: str) -> None:
    robot = Robot()
    robot.send(Command.SETV(500), ErraticCommand.NAME(b"Kermit"))
    robot.write(FRAMES[save])
    robot.run(0.05)
    robot.send(Command.SETV(600), ErraticCommand.NAME(b"Gonzo"))
    assert robot.parameters().name == "Gonzo"
    robot.sim.reset()
    robot.run(1.2)
    after = robot.parameters()
    assert (after.trans_vel_max, after.name) == (500, "Kermit")


class TestTheRest:
    def test_a_wheel_that_cannot_turn_draws_much_and_stalls(self) -> None:
        robot = Robot().opened()
        robot.send(ErraticCommand.ANALOG(1))
        robot.sim.faults = Faults(jam=Window(0.0, 1000.0))
        robot.send(Command.VEL(500))
        packets = robot.run(3.0)
        assert max(packet.analog[0] for packet in packets if isinstance(packet, erratic.Analog)) * 0.025 > 10.0
        stalls = [packet.stall for packet in packets if isinstance(packet, erratic.Motor)]
        assert stalls[-1] == 0b1100
        robot.sim.faults = Faults()
        robot.run(3.0)
        assert robot.motor().stall == 0 and robot.speed == pytest.approx(0.5, abs=0.01)

    def test_a_low_battery_is_told_an_empty_one_stops(self) -> None:
        robot = Robot().opened()
        robot.sim.battery.test_volts = 10.8
        robot.send(Command.VEL(300))
        robot.run(1.5)
        assert robot.motor().battery == 108
        assert robot.event_texts("battery") == ["10.8 V: the LED blinks"]
        assert robot.speed > 0.2
        robot.sim.battery.test_volts = 9.7
        robot.run(3.0)
        assert robot.speed == 0.0 and robot.motor().battery == 97


def test_a_drop_is_seen_by_the_sensor_above_it() -> None:
    place = dataclasses.replace(world(), drops=(((1.0, -1.0), (2.0, -1.0), (2.0, 0.0), (1.0, 0.0)),))
    robot = Robot(place).opened()
    robot.send(ErraticCommand.ANALOG(1), Command.VEL(200))
    robot.run_until(lambda: bool(robot.inputs().digital & 0b11), 10.0)
    assert robot.inputs().digital & 0b11 == 0b10
    assert robot.sim.truth.pose.x == pytest.approx(1.0 - ERRATIC.floor.poses[1].x, abs=0.05)


def test_every_command_of_the_table_has_a_row() -> None:
    assert commands.HANDLERS.keys() == set(ERRATIC_COMMANDS.values())
