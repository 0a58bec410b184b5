# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The node with an Erratic: the same names as for the rest of the family, and those that only it has."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from rclpy.qos import DurabilityPolicy, QoSProfile
from ros_bench import Bench, Robot
from sensor_msgs.msg import JointState, Range

from amigobot_driver.protocol import ErraticCommand
from amigobot_driver.sim import Faults, Simulator, SimulatorEvent
from amigobot_msgs.msg import IoState, MotorCurrents, RobotConfig
from amigobot_msgs.srv import SaveConfig, SetMotorPwm

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
#: V of full scale and the counts of it (Erratic manual 5.6.2).
FULL_SCALE, COUNTS = 3.5, 1023


class Watched(Robot):
    """A simulated Erratic in an office, with the state that an observer would see."""

    def __init__(self) -> None:
        self.seen: list[SimulatorEvent] = []
        super().__init__("erratic", world="office", on_event=self.seen.append)

    def happened(self, kind: str) -> list[str]:
        return [event.text for event in self.seen if event.kind == kind]


@pytest.fixture(scope="module")
def robot() -> Watched:
    return Watched()


@pytest.fixture(scope="module")
def bench(robot: Watched) -> Iterator[Bench]:
    """No parameter names the robot: the node identifies it."""
    with Bench(robot, enable_stamped_cmd_vel=False, motor_pwm_max_duty=0.5) as bench:
        yield bench.connected()


class TestWhatItIs:
    def test_the_log_says_how_an_erratic_was_recognized(self, bench: Bench) -> None:
        assert bench.node.logged("Erratic-1, Erratic/Rev E", "profile erratic", "the robot reports Erratic/Rev E")

    def test_robot_config_has_only_values_of_an_erratic(self, bench: Bench) -> None:
        inbox = bench.listen(RobotConfig, "robot_config", LATCHED)
        bench.wait_until(lambda: inbox.messages and inbox.last.received)
        config = inbox.last
        assert (config.name, config.robot_class, config.robot_subclass) == ("Erratic-1", "Erratic", "Rev E")
        assert (config.serial_number, config.firmware_version, config.host_baud) == ("1234", "1.0", 38400)
        assert (config.low_battery, config.watchdog, config.info_cycle) == (11.0, 2.0, 0.05)
        assert config.max_linear_velocity == 1.0
        assert (config.translation_pid[0], config.rev_count) == (40, 38400)
        raw = dict(zip(config.raw_names, config.raw_values, strict=True))
        assert (raw["pwm_wrap"], raw["sonar_conv"]) == ("1000", "350")
        # Its packet has no such fields.
        for name in ("shutdown_voltage", "top_linear_velocity", "sonar_cycle", "drift_factor", "ticks_per_mm"):
            assert math.isnan(getattr(config, name)), name


class TestWhatItMeasures:
    def test_each_sonar_of_an_erratic_has_its_topic(self, bench: Bench) -> None:
        inboxes = [bench.listen(Range, f"sonar/range_{number}") for number in range(8)]
        bench.wait_until(lambda: all(len(inbox) for inbox in inboxes))
        assert all(inbox.last.min_range <= inbox.last.range <= inbox.last.max_range for inbox in inboxes)
        assert any(inbox.last.range < inbox.last.max_range for inbox in inboxes), "the office has walls"

    def test_a_floor_sensor_says_minus_infinity_for_floor(self, bench: Bench, robot: Watched) -> None:
        floors = [bench.listen(Range, f"floor/range_{number}") for number in range(2)]
        bench.wait_until(lambda: all(len(inbox) for inbox in floors))
        assert [inbox.last.range for inbox in floors] == [-math.inf, -math.inf]
        assert floors[0].last.header.frame_id == "floor_0_link"
        assert floors[0].last.radiation_type == Range.INFRARED
        assert floors[0].last.min_range == floors[0].last.max_range

        def take_away(which: frozenset[int]) -> None:
            def change(simulator: Simulator) -> None:
                simulator.faults = Faults(no_floor=which)

            robot.do(change)

        take_away(frozenset({0}))
        bench.wait_until(lambda: [inbox.last.range for inbox in floors] == [math.inf, -math.inf])
        take_away(frozenset())
        bench.wait_until(lambda: [inbox.last.range for inbox in floors] == [-math.inf, -math.inf])

    def test_an_erratic_publishes_motor_currents_and_user_inputs(self, bench: Bench, robot: Watched) -> None:
        def wire(simulator: Simulator) -> None:
            simulator.pins.volts[:2] = [1.0, 3.5]
            simulator.pins.levels = 1

        robot.do(wire)
        ports = bench.listen(IoState, "io")
        volts = pytest.approx([1.0, 3.5], abs=2 * FULL_SCALE / COUNTS)
        bench.wait_until(lambda: ports.messages and list(ports.last.analog)[2:] == volts)
        assert len(ports.last.analog) == 4
        assert ports.last.digital_inputs == 0b100
        at_rest = bench.client.receive(MotorCurrents, "motor_currents")
        currents = bench.listen(MotorCurrents, "motor_currents")
        with bench.driving(0.0, 1.0):
            bench.wait_until(lambda: currents.messages and currents.last.left > at_rest.left + 0.05)
        assert 0.0 <= at_rest.left < currents.last.left < 30.0
        bench.wait_until(lambda: robot.stopped)


class TestWhatItDoes:
    def test_servo_commands_turn_a_servo(self, bench: Bench, robot: Watched) -> None:
        bench.publish("servo_commands", JointState(name=["tilt_joint"], position=[math.radians(20)]))
        bench.wait_until(lambda: robot.happened("servo"))
        assert robot.happened("servo")[-1] == "1 to 1780"

    def test_motor_pwm_is_set_at_start_and_by_service(self, bench: Bench, robot: Watched) -> None:
        assert robot.values(ErraticCommand.PWM_DUTY)[:1] == [50]
        done = bench.call(SetMotorPwm, "set_motor_pwm", SetMotorPwm.Request(frequency=8000.0, max_duty=0.7))
        assert done.success
        for command, expected in ((ErraticCommand.PWM_DUTY, 70), (ErraticCommand.PWM_FREQ, 8000)):
            bench.wait_until(lambda command=command, expected=expected: expected in robot.values(command))
        refused = bench.call(SetMotorPwm, "set_motor_pwm", SetMotorPwm.Request(frequency=100.0))
        assert (refused.success, refused.message) == (
            False,
            "frequency is 100, allowed: 0 (keeps the robot's value) or 4000 to 16000 Hz",
        )

    def test_save_config_writes_flash_only_with_overwrite_flash(self, bench: Bench, robot: Watched) -> None:
        refused = bench.call(SaveConfig, "save_config")
        assert not refused.success
        assert "overwrite_flash must be true" in refused.message
        assert bench.call(SaveConfig, "save_config", SaveConfig.Request(overwrite_flash=True)).success
        bench.wait_until(lambda: robot.values(ErraticCommand.SAVE))
        bench.pass_sips(4)
        assert len(robot.values(ErraticCommand.SAVE)) == 1
