# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The driver core under any order of calls, faults and people: every invariant holds (see state_machine/).

A short run with fixed seeds; `make soak` has the long one. A failure is printed as a script that runs by itself.
"""

from __future__ import annotations

from math import inf, nan

import pytest

pytest.importorskip("rclpy", reason="the node's parameter table needs rclpy")

from state_machine.failure import Step
from state_machine.machine import DriverMachine, Statistics, explore
from state_machine.put_back import FAULTS
from state_machine.reproduction import run, shorten
from state_machine.setup import Setup

from amigobot_driver.sim import Faults

#: Each of these runs has so many sequences.
SEQUENCES = 12


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(1, 7))
def test_every_invariant_holds_in_any_order_of_calls(seed: int) -> None:
    statistics = Statistics()
    explore(SEQUENCES, seed, statistics, enough=lambda: bool(statistics.failures))
    if statistics.failures:
        pytest.fail(shorten(DriverMachine, statistics.failures[0]).script(), pytrace=False)
    assert statistics.sequences >= SEQUENCES
    assert statistics.steps > 5 * SEQUENCES


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_past_can_be_put_back_into_the_driver_of_today(fault: str) -> None:
    for change in FAULTS[fault].changes:
        change.compiled()


#: What was found once, is fixed, and no smaller test shows.
FOUND: dict[str, tuple[Step, ...]] = {
    "a move that begins before the session has its deceleration: the robot overshoots and comes back": (
        ("begin", {"setup": Setup(), "connected": 0.0}),
        ("tune", {"change": ("trans_decel", 777), "pause": 0.0}),
        ("move_in_a_new_session", {"distance": 0.1, "within": 0.0}),
    ),
    "a result after another robot was switched on": (
        ("begin", {"setup": Setup(profile="amigo-sh"), "connected": 1.0}),
        ("turn", {"angle": 2.6, "absolute": False, "pause": 0.8}),
        ("emergency_stop", {"pause": 0.0}),
        ("power_cycle", {"seconds": 0.5}),
    ),
    "an Erratic that is switched off and on while it is not looked at has the limits of its FLASH": (
        ("begin", {"setup": Setup(profile="erratic-player", asked=True, layout="player"), "connected": 1.0}),
        ("power_cycle", {"seconds": 0.0}),
        ("get_ready_and_drive", {"linear": 0.0, "angular": -0.5}),
    ),
    "a velocity that the power of an Erratic's wheels does not reach": (
        ("begin", {"setup": Setup(profile="erratic-player"), "connected": 1.0}),
        ("get_ready_and_drive", {"linear": 1.0, "angular": 0.0}),
    ),
    "a motion soon after OPEN, which zeroes the counters": (
        (
            "begin",
            {
                "setup": Setup(profile="erratic", asked=True, paced=False, layout="player", sonar_on_connect=False),
                "connected": 0.0,
            },
        ),
        ("save_config", {}),
        ("freeze", {"seconds": 0.3, "writer_first": True, "pause": 0.0}),
        ("drive_on", {"linear": -1.0, "angular": -0.333, "duration": 1.0}),
    ),
    "the gyro's rate behind a long answer: the samples had the time of another cycle": (
        ("begin", {"setup": Setup(profile="amigo-sh", moving_bit=False, fast_limits=False), "connected": None}),
        ("drive", {"linear": 0.0, "angular": 1.0, "pause": 0.5}),
        ("say", {"tones": b"\x05\x10", "pause": 2.1}),
        ("read_config", {"pause": 0.8}),
        ("read_config", {"pause": 0.5}),
        ("read_config", {"pause": 0.1}),
        ("move", {"distance": 0.336, "pause": 0.013}),
        ("say", {"tones": b"\x05\x10", "pause": 0.0}),
        ("charger", {"out": True, "pause": 0.5}),
        ("drive", {"linear": 0.0, "angular": 0.25, "pause": 0.31}),
        ("say", {"tones": bytes(40), "pause": 0.31}),
        ("drive", {"linear": 0.251, "angular": 0.953, "pause": 0.25}),
        ("charger", {"out": True, "pause": 0.8}),
        ("drive", {"linear": 0.017, "angular": -0.747, "pause": 0.8}),
        ("say", {"tones": b"", "pause": 0.05}),
        ("read_config", {"pause": 0.8}),
    ),
    "an ENCODERpac whose SIP was lost: the yaw was one cycle ahead at the next SIP": (
        (
            "begin",
            {
                "setup": Setup(profile="amigo-sh", paced=False, layout="player", brisk=False, encoders=True),
                "connected": 1.0,
            },
        ),
        ("press_reset_button", {"pause": 1.0}),
        ("select_analog_input", {"port": 0, "pause": 0.013}),
        ("emergency_stop", {"pause": 0.05}),
        ("tune", {"change": ("rot_decel", 200), "pause": 0.1}),
        ("turn", {"angle": 1.5, "absolute": False, "pause": 0.31}),
        ("set_parameter", {"change": ("odometry_source", "encoders"), "pause": 0.05}),
        ("servo", {"joint": "nonsense", "angle": -inf}),
        ("press_reset_button", {"pause": 0.05}),
        ("heal", {"pause": 0.013}),
        ("emergency_stop", {"pause": 0.05}),
        ("heal", {"pause": 0.5}),
        ("heal", {"pause": 0.25}),
        ("aux_read", {"port": 2, "count": 8193, "timeout": 2.0, "pause": 0.31}),
        ("get_ready_and_drive", {"linear": -1.0, "angular": -1.0}),
        ("disturb_line", {"faults": Faults(delay=0.05), "pause": 0.0}),
        ("gripper", {"name": "close", "duration": inf, "pause": 0.0}),
        ("servo", {"joint": "pan_joint", "angle": 0.0}),
        ("aux_read", {"port": 3, "count": -1, "timeout": 3601.0, "pause": 0.8}),
        ("enable_sonar", {"on": False, "pause": 0.0}),
        ("disturb_line", {"faults": Faults(lose_packets=0.3), "pause": 0.31}),
    ),
    "a wheel that a wall stops within a cycle: its ticks counted as a jump": (
        ("begin", {"setup": Setup(profile="powerbot-sh", encoders=True, walls=True), "connected": None}),
        ("enable_motors", {"on": True, "pause": 0.5}),
        ("enable_sounds", {"on": True, "pause": 0.0}),
        ("freeze", {"seconds": 1.0, "writer_first": False, "pause": 0.0}),
        ("get_ready_and_drive", {"linear": 0.0, "angular": 0.0}),
        ("drive_on", {"linear": 1.0, "angular": 1.0, "duration": 0.3}),
    ),
    "the twist behind a long answer: the SIP had the time of the next cycle": (
        ("begin", {"setup": Setup(profile="amigo"), "connected": 1.0}),
        ("set_pid", {"servo": 1, "terms": (0, 0, 100), "set_zeros": False, "pause": 0.0}),
        ("servo", {"joint": "", "angle": 0.0}),
        ("press_reset_button", {"pause": 0.8}),
        ("move_joystick", {"x": 0.0, "y": 1.0, "buttons": (True, True)}),
        ("aux_read", {"port": 2, "count": 8192, "timeout": 0.0, "pause": 0.0}),
        ("set_pid", {"servo": 1, "terms": (0, 20, 0), "set_zeros": False, "pause": 0.31}),
        ("drive_on", {"linear": 0.0, "angular": 1.0, "duration": 0.6}),
        ("servo", {"joint": "servo_joint", "angle": 0.0}),
        ("set_odometry", {"pose": (-2.0, -5.0, 0.0), "pause": 0.5}),
    ),
    "the first sample of a gyro that is switched on while the robot turns": (
        ("begin", {"setup": Setup(profile="amigo-sh", sonar_on_connect=False, fast_limits=False), "connected": None}),
        ("turn", {"angle": 2.162, "absolute": False, "pause": 0.31}),
        ("list_sounds", {"refresh": True, "pause": 0.25}),
        ("drive_wheels", {"left": -0.936, "right": 0.836, "pause": 0.8}),
    ),
    "packets that wait for a line that is never free: their interval became the cycle": (
        ("begin", {"setup": Setup(profile="powerbot-sh", brisk=False), "connected": 0.0}),
        ("delay_line", {"delay": 0.02, "pause": 0.8}),
        *(
            ("limit_what_is_driven", {"linear": linear, "limit": limit})
            for linear, limit in ((-1.0, 0.1), (0.5, 0.3), (0.5, 0.3), (1.0, 0.1))
        ),
        ("delay_line", {"delay": 0.0, "pause": 0.1}),
        *(
            ("limit_what_is_driven", {"linear": linear, "limit": limit})
            for linear, limit in ((0.5, 0.1), (-1.0, 0.1), (1.0, 0.3), (1.0, 0.1))
        ),
    ),
    "a link that was lost while the robot span near the origin: its counters counted as zeroed": (
        ("begin", {"setup": Setup(profile="amigo"), "connected": 0.0}),
        ("get_ready_and_drive", {"linear": 0.25, "angular": 1.0}),
        ("send_many_raw", {"count": 201}),
        ("set_range", {"to_robot": True, "from_robot": False, "pause": 0.0}),
        ("set_odometry_on_the_way", {"distance": 0.0, "angle": 1.0, "after": 0.0, "pose": (5.0, 0.0, 1.0)}),
    ),
    "a cycle counted too many behind a freeze: it was taken for a difference between the clocks": (
        ("begin", {"setup": Setup(profile="amigo-1.0", layout="player", encoders=True), "connected": 1.0}),
        ("wait_for_link", {"within": 1.0}),
        ("charger", {"out": False, "pause": 0.8}),
        ("list_sounds", {"refresh": True, "pause": 0.8}),
        ("freeze", {"seconds": 0.95, "writer_first": False, "pause": 1.0}),
        ("set_digital_outputs", {"mask": 255, "states": 1, "pause": 0.0}),
        ("enable_sounds", {"on": False, "pause": 0.5}),
        ("set_parameter", {"change": ("ticks_per_mm", 3275), "pause": 0.25}),
        ("enable_sonar", {"on": True, "pause": 0.5}),
        ("read_config", {"pause": 0.8}),
        ("delay_line", {"delay": 0.0, "pause": 0.5}),
    ),
    "a freeze during a listing: how many SIPs there were is known with one that finds the line free": (
        ("begin", {"setup": Setup(profile="amigo", encoders=True), "connected": 1.0}),
        ("list_sounds", {"refresh": True, "pause": 0.1}),
        ("freeze", {"seconds": 1.0, "writer_first": False, "pause": 0.0}),
        ("set_parameter", {"change": ("ticks_per_mm", 3275), "pause": 0.25}),
    ),
    "a robot that did not receive the limits at the start of the session": (
        ("begin", {"setup": Setup(profile="erratic"), "connected": 1.0}),
        ("set_range", {"from_robot": True, "to_robot": False, "pause": 0.0}),
        ("move_to_the_end", {"distance": 0.0}),
        ("get_ready_and_drive", {"linear": 1.0, "angular": 1.0}),
    ),
    "the odometry set while a robot that span is switched off and on": (
        ("begin", {"setup": Setup(profile="p3at-sh", asked=True, paced=False, layout="player"), "connected": None}),
        ("heal", {"pause": 0.8}),
        ("enable_motors", {"on": True, "pause": 0.5}),
        ("drive_on", {"linear": 0.0, "angular": -0.5, "duration": 0.1}),
        ("enable_motors", {"on": True, "pause": 0.05}),
        ("power_cycle", {"seconds": 0.5}),
        ("set_odometry", {"pose": (40.0, -5.0, -2.0), "pause": 0.8}),
    ),
    "a spin of half a turn while SIPs were lost: its counters counted as zeroed": (
        ("begin", {"setup": Setup(profile="amigo-1.0", asked=True, layout="player"), "connected": 1.0}),
        ("get_ready_and_drive", {"linear": 0.0, "angular": 0.35}),
        ("get_ready_and_drive", {"linear": 0.0, "angular": 1.0}),
        ("set_range", {"to_robot": True, "from_robot": False, "pause": 0.05}),
        ("charger", {"out": True, "pause": 0.5}),
        ("get_ready_and_drive", {"linear": 0.0, "angular": 0.25}),
    ),
    "a robot with a low deceleration, which ends with its session: it brakes as it is set at each time": (
        ("begin", {"setup": Setup(profile="amigo-sh", sonar_on_connect=False), "connected": 1.0}),
        ("send_raw", {"number": 5, "arguments": [-1], "text": b"", "pause": 0.1}),
        ("set_range", {"to_robot": True, "from_robot": False, "pause": 0.25}),
        ("limit_what_is_driven", {"linear": -1.0, "limit": 0.3}),
        ("get_ready_and_drive", {"linear": 0.25, "angular": 0.0}),
    ),
    "SIPs lost in the heap behind a freeze: the turn between two of them counted as impossible": (
        ("begin", {"setup": Setup(profile="amigo", encoders=True), "connected": None}),
        ("get_ready_and_drive", {"linear": 0.0, "angular": 1.0}),
        ("disturb_line", {"faults": Faults(lose_packets=0.3), "pause": 0.0}),
        ("freeze", {"seconds": 2.1, "writer_first": False, "pause": 0.0}),
    ),
    "SETO right before a freeze: the SIP that showed it came too late to be its effect": (
        ("begin", {"setup": Setup(profile="amigo", paced=False), "connected": 1.0}),
        ("get_ready_and_drive", {"linear": 0.5, "angular": 1.0}),
        ("zero_counters", {"pause": 0.0}),
        ("freeze", {"seconds": 2.1, "writer_first": True, "pause": 0.5}),
    ),
    "an Erratic whose servo oscillates: its heading was taken for degrees": (
        ("begin", {"setup": Setup(profile="erratic-player", walls=True), "connected": 1.0}),
        ("move_in_a_new_session", {"distance": -0.4, "within": 0.0}),
        ("move_to_the_end", {"distance": 1.0}),
        ("move_in_a_new_session", {"distance": 0.1, "within": 0.0}),
        ("tune", {"change": ("rot_kv", 32767), "pause": 0.0}),
        ("move", {"distance": 1.0, "pause": 0.0}),
        ("set_range", {"to_robot": True, "from_robot": True, "pause": 1.0}),
        ("turn_to_the_end", {"angle": 0.0}),
    ),
    "a reset in the moment in which the robot begins to turn, 0.1 m from where its counters began": (
        (
            "begin",
            {
                "setup": Setup(profile="powerbot-sh", asked=True, sonar_on_connect=False, fast_limits=True),
                "connected": 1.0,
            },
        ),
        ("limit_what_is_driven", {"linear": -1.0, "limit": 0.3}),
        ("send_raw", {"number": 18, "arguments": [1, 2], "text": bytes(range(1, 9)), "pause": 1.0}),
        ("send_raw", {"number": 200, "arguments": [300], "text": b"", "pause": 0.25}),
        ("drive_wheels", {"left": 0.25, "right": -1.0, "pause": 0.05}),
        ("press_reset_button", {"pause": 0.25}),
        ("send_many_raw", {"count": 201}),
        ("press_motors_button", {"pause": 1.0}),
    ),
    "a reset in a turn whose counters then read as if the robot had turned on": (
        ("begin", {"setup": Setup(profile="amigo-sh", walls=True, layout="player"), "connected": 1.0}),
        ("drive", {"linear": 0.0, "angular": 1e9, "pause": 2.1}),
        ("aux_write", {"port": 2, "size": 8193, "pause": 0.25}),
        ("turn", {"angle": 0.75, "absolute": True, "pause": 0.31}),
        ("aux_write", {"port": 2, "size": 300, "pause": 0.25}),
        ("press_reset_button", {"pause": 2.1}),
    ),
    "a turn the other way that is requested of a robot out of range: it still comes to rest": (
        (
            "begin",
            {
                "setup": Setup(
                    profile="erratic-degrees",
                    asked=True,
                    paced=False,
                    moving_bit=False,
                    layout="player",
                    sonar_on_connect=False,
                    fast_limits=False,
                ),
                "connected": 1.0,
            },
        ),
        ("tune", {"change": ("rot_decel", 50), "pause": 2.1}),
        ("drive_on", {"linear": 0.25, "angular": 0.25, "duration": 3.5}),
        ("motor_pwm", {"duty": inf, "frequency": 16000.0}),
        ("gripper", {"duration": 5.1, "name": "carry", "pause": 0.31}),
        ("save_config", {}),
        ("enable_sonar", {"on": False, "pause": 0.05}),
        ("drive_heading", {"linear": -0.007, "yaw": nan, "pause": 0.1}),
        ("aux_write", {"port": 1, "size": 0, "pause": 0.1}),
        ("save_config", {}),
        ("aux_write", {"port": 3, "size": 8193, "pause": 0.1}),
        ("set_range", {"from_robot": False, "to_robot": False, "pause": 0.0}),
        ("drive_on", {"linear": 0.0, "angular": -0.863, "duration": 0.3}),
    ),
    "a raw command that sets a gain of an Erratic": (
        ("begin", {"setup": Setup(profile="erratic", asked=True, paced=False), "connected": 1.0}),
        ("send_raw", {"number": 85, "arguments": [1], "text": b"", "pause": 0.0}),
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_a_sequence_that_failed_once(name: str) -> None:
    failure = run(DriverMachine, FOUND[name])
    if failure:
        pytest.fail(failure.script(), pytrace=False)
