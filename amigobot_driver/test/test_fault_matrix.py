# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The matrix of faults: each that the simulator has or a robot is found with, and what the user sees of it.

A row says how a fault comes about and what is seen of it. docs/reference/faults.yaml says it in words, and names the
tests of what only real processes, ports and clocks can show. Every row is run on the simulated clock, twice: the sender
of cmd_vel dies with the fault, or goes on through it. What holds for all of them is in `Scene` and `test_a_fault`:

- no robot moves without a command, and none that was at rest starts again by itself (looked at 20 times a second);
- topics go on while the link is up, and are silent while it is not; what the log says, it says once in 30 s at most;
- every service call is answered, with success as soon as all is well again;
- the odometry goes on from where it was, and motors, sonar, sonar sequence, stream and acceleration are as requested.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from unittest.mock import MagicMock

import pytest

pytest.importorskip("rclpy", reason="rclpy is not installed")

from bench import Bench, lost
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Command, Io
from amigobot_driver.robot import (
    LinkChanged,
    LinkState,
    Options,
    Outcome,
    Received,
    Report,
    RequestRefusedError,
    take_snapshot,
)
from amigobot_driver.ros.diagnostics import Diagnostics
from amigobot_driver.ros.log import INTERVAL, MAX_RECOVERIES, EventLog, LogThrottle
from amigobot_driver.sim import Faults, Simulator, Window

DISCONNECTED, SYNCING, OPENING, RUNNING, LOST = LinkState

#: Something of everything that is applied anew in each session.
OPTIONS = Options(max_linear=0.4, sonar_sequence=(1, 4), io_stream=True, tuning={"trans_acc": 250})
DRIVING = 0.2, 0.3
#: s between two looks, and between two velocities.
STEP = 0.05
PERIOD = 0.1
#: s after the last velocity in which every robot rests: its watchdog, or our time-out and lost stops, and the braking.
STOPPED_AFTER = 2.9
#: m that the odometry may be off: a cycle of driving, and whole millimeters and degrees.
CLOSE = 0.03
#: s that a service call may take once the robot is back.
ANSWERED_AFTER = 5.0


class Scene:
    """A robot, a driver, and a user who drives it, reads the log and looks at the diagnostics."""

    def __init__(self, *, baud: int | None = None, check_baud: bool = False) -> None:
        self.bench = Bench(OPTIONS, baud=baud, check_baud=check_baud)
        self.sending = False
        self.stands_after = STOPPED_AFTER
        self.log: list[tuple[float, str]] = []
        self.statuses: list[DiagnosticStatus] = []  #: all that was ever published
        self._last_command = -math.inf
        self._was_at_rest = True  #: since the last velocity that was accepted
        self._steps = self._read = 0
        node = MagicMock()
        node.get_fully_qualified_name.return_value = "/amigobot"
        node.get_clock().now().to_msg.return_value = Time()
        logger = node.get_logger()
        logger.info = logger.warning = logger.error = lambda text: self.log.append((self.bench.now, text))
        node.create_publisher().publish = lambda message: self.statuses.extend(message.status)
        self._diagnostics = Diagnostics(node, "/dev/ttyUSB0")
        self._event_log = EventLog(node, LogThrottle(lambda: self.bench.now))

    # -- what the user does -----------------------------------------------------------------------------------

    def run(self, seconds: float) -> None:
        """Let time pass, and look all the while."""
        for _ in range(round(seconds / STEP)):
            self._steps += 1
            if self.sending and self._steps % round(PERIOD / STEP) == 0:
                self._publish()
            self.bench.run(STEP)
            self.look()
            if self._steps % round(1 / STEP) == 0:
                self._read_diagnostics()

    def until(self, condition: Callable[[], object], within: float) -> float:
        """Let time pass until the condition holds; how long it took."""
        start = self.bench.now
        while not condition():
            assert self.bench.now - start <= within, f"not within {within} s: {self.bench.robot.note}"
            self.run(STEP)
        return self.bench.now - start

    def ask(self) -> list[Future[Outcome]]:
        """Service calls whose answers are known to be yes when all is well."""
        robot, now = self.bench.robot, self.bench.now
        if not robot.running:
            return []
        requests = (lambda: robot.sonar.set(True, now), lambda: robot.tuning.set({}, now))
        return [self.bench.request(request) for request in requests]

    def look(self) -> None:
        """No robot moves without a command; the port goes and comes as the simulator has it."""
        truth, now = self.bench.simulator.truth, self.bench.now
        moving = self.bench.line.power and max(abs(truth.left_velocity), abs(truth.right_velocity)) > 0.005
        held = self.bench.simulator._body.jammed  # it stands, and not because of a command
        since = now - self._last_command
        assert not (moving and since > self.stands_after), f"it still moves {since:.1f} s after the last velocity"
        assert not (moving and self._was_at_rest), f"it stood, and moves again {since:.1f} s after the last velocity"
        self._was_at_rest = self._was_at_rest or (not moving and not held and since > OPTIONS.command_timeout + PERIOD)
        if self.bench.simulator.unplugged is self.bench.plugged:
            self.bench.unplug() if self.bench.plugged else self.bench.plug_in()
        for _, event in self.bench.events[self._read :]:
            self._event_log.on_event(event)
        self._read = len(self.bench.events)

    def _publish(self) -> None:
        try:
            self.bench.drive(*DRIVING)
        except RequestRefusedError:
            return
        self._last_command, self._was_at_rest = self.bench.now, False

    def _read_diagnostics(self) -> None:
        self._diagnostics.publish(take_snapshot(self.bench.robot))

    # -- what the user sees -----------------------------------------------------------------------------------

    def diagnostics_of(self, part: str, since: int) -> list[DiagnosticStatus]:
        """What the diagnostics have said of a part from the `since`-th status on."""
        return [status for status in self.statuses[since:] if status.name == f"amigobot: {part}"]

    def count(self, key: str) -> int:
        """A counter of the link's diagnostics, as it is now."""
        self._read_diagnostics()
        return int(next(pair.value for pair in self.diagnostics_of("link", 0)[-1].values if pair.key == key))

    def reports(self, since: float) -> list[Report]:
        return self.bench.emitted(Report, since)

    def faults(self, **faults: object) -> None:
        """What is to go wrong from now on; nothing, without an argument."""
        self.bench.simulator.faults = Faults(**faults)

    def window(self, duration: float) -> Window:
        """From now on, for so many seconds, in the simulator's time."""
        started = self.bench.simulator._started
        assert started is not None
        return Window(self.bench.now - started, duration)


Act = Callable[[Scene], None]


def nothing(scene: Scene) -> None:
    """It ends by itself."""


@dataclass(frozen=True, slots=True)
class Row:
    """One fault: how to bring it about, and what is seen of it."""

    name: str  #: in docs/reference/faults.yaml
    begin: Act
    end: Act = Scene.faults
    lasts: float = 0.0  #: s
    link: LinkState | None = RUNNING  #: when it has lasted so long; None: now this, now that
    says: str = ""  #: in the log, and in the diagnostics of the link
    warns: tuple[str, str] = ("", "")  #: part of the diagnostics and words that it says, not as OK
    counts: str = ""  #: a value of the link's diagnostics that grows; each new session is counted anyway
    within: float = 0.0  #: s from its end until the link is up
    baud: int | None = None  #: of the robot; None for its profile's
    check_baud: bool = False
    stands_after: float = STOPPED_AFTER  #: s after the last velocity


class Found(Row):
    """The robot is found so, instead of: it happens while it drives."""


def simulated(**faults: object) -> Act:
    return lambda scene: scene.faults(**faults)


def windowed(name: str, duration: float) -> Act:
    return lambda scene: scene.faults(**{name: scene.window(duration)})


def jam(scene: Scene) -> None:
    """While a user drives on for a moment: a wheel that has nowhere to go does not stall."""
    sending, scene.sending = scene.sending, True
    scene.faults(jam=scene.window(4.0))
    scene.run(1.0)
    scene.sending = sending


def at_bench(act: Callable[[Bench], object]) -> Act:
    return lambda scene: act(scene.bench)


def losing_all(wire: str) -> Act:
    return lambda scene: setattr(getattr(scene.bench, wire), "fault", lost)


def back_one_way_first(scene: Scene) -> None:
    scene.bench.up.fault = None
    scene.run(4.0)
    scene.bench.restore_link()


def exchanged(make: Callable[[], Simulator]) -> Act:
    """Another robot at the same line."""

    def act(scene: Scene) -> None:
        scene.bench.make = make
        scene.bench.switch_on()

    return act


def charged(share: float) -> Act:
    def act(scene: Scene) -> None:
        scene.bench.simulator.battery.charge = share

    return act


def asleep(seconds: float) -> Act:
    """What the robot does meanwhile is seen when the computer wakes; its watchdog has stopped it."""
    return lambda scene: scene.bench.sleep(seconds)


def enable_motors(bench: Bench) -> None:
    bench.request(lambda: bench.robot.enable_motors(True, bench.now))


def instructed(*instructions: object) -> Act:
    """By a client that has gone since."""

    def act(scene: Scene) -> None:
        for instruction in instructions:
            scene.bench.simulator.receive(instruction.encode(), scene.bench.now)
            scene.bench.run(0.1)

    return act


SYNCED = Command.PULSE(), Command.OPEN(), Command.CLOSE()
OPENED = *SYNCED, Command.OPEN()
DRIVEN = *OPENED, Command.ENABLE(1), Command.VEL(300)


def restart(scene: Scene) -> None:
    scene.faults(reset=Window(scene.window(0.0).start + 0.05))


def left_driving(scene: Scene) -> None:
    instructed(*DRIVEN)(scene)
    scene.bench.run(1.2)
    assert scene.bench.simulator.truth.left_velocity > 0.2
    scene._last_command, scene._was_at_rest = scene.bench.now, False


def left_braked(scene: Scene) -> None:
    instructed(*DRIVEN)(scene)
    scene.bench.run(5.0)


# What the log or the diagnostics say.
GONE = "is the robot switched on and in range?"
SILENT = f"no packet for 1.0 s: {GONE}"
NO_PORT = "the port has disappeared"
NOT_MAX = "another robot answers at this port, Max"
LEFT_OPEN = "in a session that another program left open"
CLOSING = f"{LEFT_OPEN}: stopping it and closing that session"
AT_ITS_SPEED = "connected to a robot without a name at 38400 baud"
NO_SPEED = "no robot answers at 9600, 38400, 115200, 57600, 19200 baud: is it switched on"
CABLE = "link", "Check cable, radio and line speed"
DAMAGED = "link", "damaged packets in the last second"
UNKNOWN = "motors", "unknown: no packets from the robot"
STUCK = "motors", "free the robot or drive it back"
PRESS = "motors", "press MOTORS on the robot"
LOW = "battery", " V"
EMPTY = "battery", "switches itself off. Stop and charge it now"

OFF, ON, BACK = at_bench(Bench.switch_off), at_bench(Bench.switch_on), at_bench(Bench.restore_link)
AWAY = at_bench(Bench.lose_link)
FASTER, FIRST = exchanged(Bench(baud=38400).make), exchanged(Bench().make)
MAX = exchanged(lambda: Simulator(load_profile("amigo"), name="Max"))
PRESSED = at_bench(lambda bench: bench.simulator.press_motors_button())

ROWS = (
    # -- the line ---------------------------------------------------------------------------------------------
    Row("bit errors", simulated(corrupt=0.002), lasts=20.0, warns=CABLE, counts="checksum_errors"),
    Row("lost bytes", simulated(lose_bytes=0.002), lasts=20.0, warns=DAMAGED, counts="checksum_errors"),
    Row("lost packets", simulated(lose_packets=0.1), lasts=20.0, counts="packet_gaps"),
    Row("delay", simulated(delay=0.3), lasts=10.0),
    # -- the link ---------------------------------------------------------------------------------------------
    Row("a short silence", windowed("silence", 0.6), lasts=0.6),
    Row("silence", windowed("silence", 10.0), lasts=10.0, link=LOST, says=SILENT, warns=UNKNOWN, within=3.0),
    Row("deaf", losing_all("up"), BACK, lasts=6.0),
    Row("mute", losing_all("down"), BACK, lasts=6.0, link=LOST, says=GONE, within=6.0, stands_after=1.5),
    Row("one-way link", AWAY, back_one_way_first, lasts=10.0, link=LOST, says=GONE, within=3.0),
    Row("cable", windowed("unplug", 5.0), lasts=5.0, link=DISCONNECTED, says=NO_PORT, warns=UNKNOWN, within=2.0),
    # -- the robot --------------------------------------------------------------------------------------------
    Row("reset", restart, lasts=1.2, link=LOST, within=6.0),
    Row("battery swapped", OFF, ON, lasts=5.0, link=LOST, says=GONE, within=3.0),
    Row("another line speed", FASTER, nothing, lasts=5.0, link=LOST, says=GONE, within=90.0, check_baud=True),
    Row("another robot", MAX, FIRST, lasts=20.0, link=LOST, says=NOT_MAX, within=10.0),
    Row("stall", jam, lasts=3.0, warns=STUCK, stands_after=4.0),  # its servo goes the rest of its distance
    Row("MOTORS button", PRESSED, at_bench(enable_motors), lasts=6.0, warns=PRESS),
    Row("low battery", charged(0.05), charged(1.0), lasts=10.0, warns=LOW),
    Row("flat battery", charged(0.0), charged(1.0), lasts=20.0, link=None, warns=EMPTY, within=4.0),
    # -- the computer -----------------------------------------------------------------------------------------
    Row("frozen", asleep(1.6), nothing, within=3.0),
    Row("suspended", asleep(60.0), nothing, within=3.0),
    # -- as it is found ---------------------------------------------------------------------------------------
    Found("left open", instructed(*OPENED), nothing, says=CLOSING, within=3.0),
    Found("left driving", left_driving, nothing, says=LEFT_OPEN, within=3.0),
    Found("left braked", left_braked, nothing, says=LEFT_OPEN, within=3.0),
    Found("synchronized", instructed(*SYNCED), nothing, within=20.0),
    Found("wrong line speed", nothing, nothing, says=AT_ITS_SPEED, within=8.0, baud=38400, check_baud=True),
    Found("switched off", OFF, ON, lasts=30.0, link=SYNCING, says=NO_SPEED, within=30.0),
)


@pytest.mark.parametrize(
    ("row", "goes_on"),
    [
        pytest.param(row, goes_on, id=f"{row.name}, sender {'goes on' if goes_on else 'dies'}")
        for row in ROWS
        # No velocity before the robot is found.
        for goes_on in ((False,) if isinstance(row, Found) else (False, True))
    ],
)
def test_a_fault(row: Row, goes_on: bool) -> None:
    scene = Scene(baud=row.baud, check_baud=row.check_baud)
    scene.stands_after = row.stands_after
    bench = scene.bench
    if not isinstance(row, Found):
        bench.connect()
        scene.sending = True
        scene.run(3.0)
        assert scene.count("connections") == 1
    counter = row.counts or ("connections" if row.link in (LOST, DISCONNECTED) else "")
    begun, statuses, before = bench.now, len(scene.statuses), counter and scene.count(counter)
    switched_on = bench.simulator

    # It happens.
    scene.sending = goes_on
    row.begin(scene)
    if isinstance(row, Found):
        bench.plug_in()
    asked = scene.ask() if row.lasts else []
    scene.run(row.lasts)
    if row.lasts and row.link:
        assert bench.robot.state is row.link
        received = scene.reports(bench.now - 1.0)
        assert bool(received) is (row.link is RUNNING), "topics go on while the link is up, and then only"
    part, words = row.warns
    warnings = [
        status.message for status in scene.diagnostics_of(part, statuses) if status.level != DiagnosticStatus.OK
    ]
    assert any(words in message for message in warnings) or not part
    last = scene.reports(0.0)[-1].odometry if scene.reports(0.0) else None

    # It ends.
    row.end(scene)
    returned = bench.now
    scene.until(lambda: bench.robot.running and scene.reports(returned), within=row.within or 0.5)
    if last and bench.emitted(LinkChanged, begun):
        first = scene.reports(returned)[0].odometry
        # The distance rolled until the robot stopped is in it, unless the robot was switched off.
        expected = bench.simulator.truth.pose if bench.simulator is switched_on else last
        assert math.hypot(first.x - expected.x, first.y - expected.y) < CLOSE + 0.3 * PERIOD, "odom goes on from there"
    scene.run(6.0)
    truth, odometry = bench.simulator.truth, scene.reports(0.0)[-1].odometry
    if not bench.emitted(LinkChanged, begun):
        assert math.hypot(odometry.x - truth.pose.x, odometry.y - truth.pose.y) < CLOSE, "odom missed nothing"
    assert (truth.left_velocity > 0.1) is goes_on

    # The user drives, and stops driving.
    scene.sending = True
    scene.run(2.0)
    assert bench.simulator.truth.left_velocity > 0.1
    scene.sending = False
    scene.run(STOPPED_AFTER)

    # The requested state is back, each request has its result, and each line was logged once.
    assert all(request.done() for request in asked)
    answers = scene.ask()
    scene.run(ANSWERED_AFTER)
    assert [request.result(0).success for request in answers] == [True, True]
    report, since = scene.reports(0.0)[-1], bench.now - 2.0
    assert report.motors_enabled and report.sonar_enabled
    assert {ping.number for report in scene.reports(since) for ping in report.pings} == {1, 4}
    assert any(isinstance(event.packet, Io) for event in bench.emitted(Received, since))
    assert bench.robot.tuning.config is not None and bench.robot.tuning.config.trans_acc == 250
    assert not row.says or [text for _, text in scene.log if row.says in text]
    assert not counter or scene.count(counter) > before
    # Late packets are reported for a minute.
    assert scene.diagnostics_of("link", 0)[-1].level in (DiagnosticStatus.OK, DiagnosticStatus.WARN)
    for text in {text for _, text in scene.log}:
        times = [time for time, said in scene.log if said == text]
        often = MAX_RECOVERIES if text.startswith("connected to") else 1
        assert all(b - a >= INTERVAL for a, b in zip(times, times[often:], strict=False)), f"said too often: {text}"
