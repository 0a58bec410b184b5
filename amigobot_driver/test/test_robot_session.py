# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The connection: from each state of a robot the driver gets into a session, and back into one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from bench import Bench, losing, losing_first

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Command, Reset, SyncReply, encode_frame
from amigobot_driver.robot import Identified, LinkChanged, LinkState, Options, Outcome, RequestRefusedError
from amigobot_driver.sim import Faults, SessionState, Simulator

DISCONNECTED, SYNCING, OPENING, RUNNING, LOST = LinkState


def running(bench: Bench) -> Callable[[], bool]:
    return lambda: bench.robot.running


def left_open(bench: Bench) -> None:
    """A client opened a session and crashed."""
    for command in (Command.PULSE, Command.OPEN, Command.CLOSE, Command.OPEN):
        bench.simulator.receive(command().encode(), bench.now)
        bench.run(0.1)
    assert bench.simulator.session is SessionState.OPEN


class TestConnect:
    def test_a_waiting_robot_is_connected_in_a_second(self) -> None:
        bench = Bench()
        assert bench.open_session() < 1.0
        assert bench.states == [SYNCING, OPENING, RUNNING]
        assert bench.commands()[:5] == ["PULSE", "OPEN", "CLOSE", "OPEN", "PULSE"]
        assert bench.robot.note == "connected to a robot without a name at 9600 baud"
        assert bench.robot.session.connections == 1

    def test_a_tcp_robot_that_comes_later_is_connected(self) -> None:
        """Without a line speed there is nothing to scan: two seconds are enough."""
        bench = Bench(baud=0)
        bench.switch_off()
        bench.plug_in()
        bench.run(60)
        bench.switch_on()
        assert bench.until(running(bench)) < 2.0
        assert not any("baud" in note for note in bench.notes)

    @pytest.mark.parametrize("delay", [0.01, 0.1, 0.2])
    def test_a_slow_radio_delays_only_the_connection(self, delay: float) -> None:
        bench = Bench()
        bench.up.delay = bench.down.delay = delay
        assert bench.open_session() < 3.0
        bench.run(5)
        assert bench.states == [SYNCING, OPENING, RUNNING]

    @pytest.mark.parametrize("lost", [Command.PULSE, Command.OPEN, Command.CLOSE], ids=["SYNC0", "SYNC1", "SYNC2"])
    @pytest.mark.parametrize("direction", ["up", "down"])
    def test_a_lost_frame_of_the_handshake_is_repeated(self, direction: str, lost: Command) -> None:
        bench = Bench()
        getattr(bench, direction).fault = losing_first(1, lost)
        assert bench.open_session() < 10.0


class TestLineSpeed:
    @pytest.mark.parametrize("robot", [9600, 19200, 38400, 57600, 115200])
    @pytest.mark.parametrize("configured", [9600, 38400])
    def test_the_line_speed_is_found(self, configured: int, robot: int) -> None:
        bench = Bench(Options(baud=configured), "amigo-sh", baud=robot, check_baud=True)
        bench.open_session(8)
        assert bench.robot.note == f"connected to Amigo_7 at {robot} baud"

    def test_the_last_line_speed_is_tried_first(self) -> None:
        bench = Bench(baud=38400, check_baud=True)
        bench.open_session(30)
        bench.lose_link()
        bench.run(10)
        bench.restore_link()
        assert bench.until(running(bench)) < 3.0


class TestRadioModem:
    def test_a_radio_modem_is_called(self) -> None:
        bench = Bench(simulator=lambda: Simulator(load_profile("amigo"), faults=Faults(modem=True)))
        assert bench.open_session() < 3.0
        assert "a radio modem calls the modem of the robot" in bench.notes

    @pytest.mark.parametrize("text", [b"\r\nPartner busy!\r\n", b"\r\nPartner not found!\r\n"])
    def test_a_radio_modem_without_partner_is_reported(self, text: bytes) -> None:
        bench = Bench()
        bench.switch_off()
        bench.plug_in()
        for _ in range(200):
            bench.run(0.1)
            bench.down.send(text, bench.now)
        assert text.strip().decode().rstrip("!") in bench.robot.note


class TestSessionLeftOpen:
    @pytest.mark.parametrize("baud", [None, 0], ids=["serial", "TCP"])
    def test_a_session_left_open_is_closed_first(self, baud: int | None) -> None:
        bench = Bench(baud=baud)
        left_open(bench)
        assert bench.open_session() < 2.0
        assert bench.commands()[:3] == ["STOP", "CLOSE", "PULSE"]
        assert any("another program left open" in note for note in bench.notes)

    def test_a_session_left_open_is_closed_once(self) -> None:
        bench = Bench()
        left_open(bench)
        bench.down.held_until = bench.now + 2.0
        bench.run(1.9)
        bench.open_session()
        assert bench.commands()[:3] == ["STOP", "CLOSE", "PULSE"]


class TestAnotherRobot:
    """The cable, the link of a pty or an address leads to another robot after a loss."""

    @pytest.fixture(params=["name", "subclass", "serial number", "protocol"])
    def other(self, request: pytest.FixtureRequest) -> Simulator:
        profile = load_profile({"subclass": "p3dx", "protocol": "erratic"}.get(request.param, "amigo"))
        if request.param == "serial number":
            profile = replace(profile, flash={**profile.flash, "Serial": "4321"})
        return Simulator(profile, name="Max" if request.param == "name" else "Rob")

    def test_another_robot_is_left_alone(self, other: Simulator) -> None:
        bench = Bench(simulator=lambda: Simulator(load_profile("amigo"), name="Rob")).connect()
        bench.run(1.0)
        bench.request(lambda: bench.robot.tuning.set({"rot_kp": 33}, bench.now))
        bench.run(3.0)
        first, bench.make = bench.make, lambda: other
        bench.switch_off()
        bench.run(3.0)
        since, reports = bench.now, len(bench.reports)
        bench.switch_on()
        bench.until(lambda: bench.robot.session.refused, within=10.0)
        bench.run(20.0)
        assert bench.robot.state is LOST
        assert bench.emitted(LinkChanged)[-1].refused
        assert "another robot answers at this port" in bench.robot.note
        assert "instead of Rob (amigo, serial number 1234)" in bench.robot.note
        with pytest.raises(RequestRefusedError, match="another robot answers at this port"):
            bench.robot.motion.drive(0.1, 0.0, bench.now)
        allowed = {"STOP", "PULSE", "OPEN", "CLOSE", "CONFIG"}
        assert {command.partition("(")[0] for command in bench.commands(since)} <= allowed
        assert len(bench.reports) == reports
        bench.make = first
        bench.switch_off()
        bench.run(2.0)
        bench.switch_on()
        bench.until(running(bench), within=10.0)
        bench.run(3.0)
        assert bench.robot.tuning.config.rot_kp == 33
        assert bench.reports[-1].motors_enabled

    def test_an_erratic_without_name_is_no_other_robot(self) -> None:
        """It is taken for connected by its stream, though all its answers to the greetings are lost."""
        bench = Bench(Options(profile="erratic"), "erratic").connect()
        bench.run(2.0)
        for fault in losing(0x20), None:
            bench.switch_off()
            bench.run(2.0)
            bench.down.fault = fault
            bench.switch_on()
            bench.until(running(bench))
        assert not any("another robot" in note for note in bench.notes)


class TestLostSession:
    @pytest.mark.parametrize("baud", [None, 0], ids=["serial", "TCP"])
    def test_a_robot_that_is_not_heard_is_stopped_first(self, baud: int | None) -> None:
        bench = Bench(baud=baud).connect()
        bench.run(3, cmd_vel=(0.2, 0.0))
        bench.lose_link()
        bench.run(10)
        bench.up.fault = None
        start, since = bench.simulator.truth.pose.x, bench.now
        bench.run(10)
        assert bench.commands(since)[0] == "STOP"
        assert bench.simulator.truth.pose.x - start < 0.001

    def test_a_new_tcp_connection_gets_only_the_handshake(self) -> None:
        """MobileSim takes a STOP before SYNC0 for one of its own and never answers again."""
        bench = Bench(baud=0).connect()
        bench.unplug()
        bench.switch_on()
        since = bench.now
        bench.open_session()
        assert bench.commands(since)[0] == "PULSE"


class TestReset:
    @pytest.fixture
    def bench(self) -> Bench:
        return Bench(robot="amigo-sh").connect()

    @staticmethod
    def losses(bench: Bench) -> list[tuple[str, bool]]:
        """The note of each loss of the link, and whether it was requested."""
        return [(event.note, event.requested) for event in bench.emitted(LinkChanged) if event.state is LOST]

    def test_the_silence_after_a_requested_reset_is_expected(self, bench: Bench) -> None:
        outcome = bench.result(lambda: bench.robot.reset(bench.now))
        assert outcome == Outcome(True, "the robot was reset and is connected again")
        assert self.losses(bench) == [("the robot restarts after RESET; connecting again", True)]

    def test_an_unrequested_reset_is_trouble(self, bench: Bench) -> None:
        bench.result(lambda: bench.robot.reset(bench.now))
        bench.down.send(encode_frame(Reset().encode()), bench.now)
        bench.until(lambda: bench.robot.session.connections == 3)
        assert self.losses(bench)[1:] == [("the robot's controller was reset", False)]


class TestFrozenProcess:
    """The process is stopped and continued; the robot talks on, and its packets wait in the port."""

    @pytest.mark.parametrize("writer_first", [False, True], ids=["reader first", "writer first"])
    @pytest.mark.parametrize("seconds", [1.05, 1.3, 3.0, 9.0])
    def test_a_frozen_process_keeps_its_robot(self, seconds: float, writer_first: bool) -> None:
        bench = Bench().connect()
        bench.run(1, cmd_vel=(0.3, 0.0))
        bench.sleep(seconds, writer_first=writer_first)
        since = bench.now
        with pytest.raises(RequestRefusedError):
            # The sender died meanwhile: this velocity waited in a queue.
            bench.drive(0.3, 0.0)
            bench.drive(0.3, 0.0)
        bench.run(3)
        assert bench.states == [SYNCING, OPENING, RUNNING]
        assert bench.robot.session.connections == 1
        assert bench.commands(since)[0] == "STOP"
        velocities = {command for command in bench.commands(since) if command.startswith(("VEL", "RVEL"))}
        assert velocities <= {"VEL(0)", "RVEL(0)"}
        assert bench.simulator.truth.left_velocity == 0.0

    @pytest.mark.parametrize("writer_first", [False, True], ids=["reader first", "writer first"])
    def test_a_frozen_process_loses_a_silent_robot(self, writer_first: bool) -> None:
        bench = Bench().connect()
        bench.switch_off()
        bench.sleep(1.3, writer_first=writer_first)
        assert bench.until(lambda: bench.robot.state is LOST) < 0.3


class TestIdentity:
    @staticmethod
    def calling_itself(robot_class: str, subclass: str, name: str = "x") -> Callable[[bytes], bytes]:
        reply = encode_frame(SyncReply(name=name, robot_class=robot_class, subclass=subclass).encode())
        return lambda frame: reply if frame[3] == 2 else frame

    @pytest.mark.parametrize("identity", [("Pioneer", "zx81"), ("Roomba", "amigo"), ("", "")])
    def test_an_unknown_identity_gets_generic_factors_and_a_warning(self, identity: tuple[str, str]) -> None:
        bench = Bench()
        bench.down.fault = self.calling_itself(*identity)
        bench.connect()
        [identified] = bench.emitted(Identified)
        assert identified.profile.name == bench.robot.profile.name == "generic"
        assert "distances may be wrong; the profiles are" in identified.reason
        assert not identified.known

    @pytest.mark.parametrize(("profile", "known"), [("p3dx", False), ("amigo-1.0", True), ("amigo", True)])
    def test_a_model_that_was_not_requested_is_a_warning(self, profile: str, known: bool) -> None:
        bench = Bench(Options(profile=profile))
        bench.connect()
        [identified] = bench.emitted(Identified)
        assert (identified.profile.name, identified.known) == (profile, known), identified.reason

    def test_a_missing_identity_gets_generic_factors(self) -> None:
        """One manual says that SYNC2 is echoed as it is (docs/protocol E-13): then the robot has no name."""
        bench = Bench()
        bench.down.fault = lambda frame: Command.CLOSE().encode() if frame[3] == 2 else frame
        bench.connect()
        assert bench.robot.profile.name == "generic"


class TestRefusingRobot:
    def test_a_robot_that_refuses_to_open_is_explained(self) -> None:
        bench = Bench()
        refuse = losing(Command.OPEN)
        bench.up.fault = lambda frame: refuse(frame) if bench.simulator.session is SessionState.SYNCED else frame
        bench.plug_in()
        bench.until(lambda: "opens no session" in bench.robot.note, within=20)
        assert "battery" in bench.robot.note
        bench.restore_link()
        bench.until(running(bench), within=20)

    def test_a_robot_without_config_answers_runs_anyway(self) -> None:
        bench = Bench()
        bench.up.fault = losing(Command.CONFIG)
        bench.connect()
        bench.run(10, cmd_vel=(0.3, 0.0))
        assert bench.robot.running
        assert bench.simulator.truth.pose.x > 2
        assert bench.robot.tuning.config is None
        assert bench.commands().count("CONFIG") == 7  # six in 3 s, then one each 10 s
        assert any("CONFIG" in notice for notice in bench.notices)


class TestClose:
    def test_closing_stops_the_robot_and_ends_the_session(self) -> None:
        bench = Bench().connect()
        bench.run(3, cmd_vel=(0.3, 0.0))
        since = bench.now
        bench.request(bench.robot.link.close)
        bench.until(lambda: bench.robot.link.next_time() == float("inf"))
        bench.run(0)
        bench.write()
        bench.run(2)
        assert bench.commands(since) == ["STOP", "ENABLE(0)", "SONAR(0)", "CLOSE"]
        assert bench.simulator.session is SessionState.WAIT
        assert bench.robot.state is DISCONNECTED
        notes = list(bench.notes)
        bench.unplug()  # MobileSim closes the connection at CLOSE
        assert bench.notes == notes

    def test_closing_sends_nothing_to_an_absent_robot(self) -> None:
        bench = Bench()
        bench.switch_off()
        bench.plug_in()
        bench.run(5)
        since = bench.now
        bench.request(bench.robot.link.close)
        bench.run(2)
        assert bench.commands(since) == []
