# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A `Robot` and a simulated robot on one simulated clock, joined by a wire that can be as bad as one likes.

    bench = Bench(Options(max_linear=0.7)).connect()
    bench.run(10, cmd_vel=(0.5, 0.0))
    assert bench.simulator.truth.pose.x > 4.0

Nothing here waits and nothing is random without a seed: minutes pass in a second, the same way every time.
`Robot` gets its time only when it asked for it with `next_time`, as from the real driver.
"""

from __future__ import annotations

import bisect
import itertools
import math
import random
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from amigobot_driver.doctor import History
from amigobot_driver.doctor.table import applying, table
from amigobot_driver.packet_file import Head, RecordedFrame, write_head, write_record
from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Command, FrameDecoder, Instruction, Packet, decode, encode_frame, parse
from amigobot_driver.robot import (
    Event,
    FrameSeen,
    LinkChanged,
    LinkState,
    Notice,
    Odometry,
    Options,
    Outcome,
    Report,
    RequestRefusedError,
    Robot,
    take_snapshot,
)
from amigobot_driver.sim import Simulator
from amigobot_driver.stepped_driver import SteppedDriver

#: What becomes of a frame on its way: the bytes that arrive, b"" for none.
Fault = Callable[[bytes], bytes]

E = TypeVar("E")
T = TypeVar("T")

DEFAULTS = Options()


class Wire:
    """One direction. Notes every frame that is put on it; what arrives depends on `fault` and `delay`."""

    def __init__(self) -> None:
        self.log: list[tuple[float, bytes]] = []  #: when each frame was put on the wire, and its data
        self.fault: Fault | None = None
        self.delay = 0.0  #: s
        self.held_until = -math.inf  #: s; what is sent before arrives then, all at once
        self._tap = FrameDecoder()
        self._travelling: deque[tuple[float, bytes]] = deque()

    def send(self, data: bytes, now: float) -> None:
        frames = [frame.data for frame in self._tap.feed(data, now)]
        self.log += [(now, frame) for frame in frames]
        arriving = b"".join(map(self.fault, map(encode_frame, frames))) if self.fault else data
        if arriving:
            self._travelling.append((max(now + self.delay, self.held_until, self.next_arrival(last=True)), arriving))

    def receive(self, now: float) -> bytes:
        arrived = bytearray()
        while self._travelling and self._travelling[0][0] <= now:
            arrived += self._travelling.popleft()[1]
        return bytes(arrived)

    def next_arrival(self, *, last: bool = False) -> float:
        if not self._travelling:
            return -math.inf if last else math.inf
        return self._travelling[-1 if last else 0][0]

    def cut(self) -> None:
        """What is on its way is lost."""
        self._travelling.clear()


class WiredLine:
    """A robot behind two wires, as the driver's port shows it; `up` leads to the robot, `down` from it."""

    def __init__(self, *, check_baud: bool, bridge: bool) -> None:
        self.up, self.down = Wire(), Wire()
        self.simulator: Simulator
        self.power = False
        self.unplugged = True
        self.baud = 0  #: of the driver's port
        self._check_baud, self._bridge = check_baud, bridge

    @property
    def byte_time(self) -> float | None:
        if self._bridge:
            return None
        return self.simulator.byte_time and 10 / self.baud

    def set_client_baud(self, baud: int) -> None:
        self.baud = baud
        if self._check_baud:
            self.simulator.set_client_baud(baud)

    def receive(self, data: bytes, now: float) -> None:
        self.up.send(data, now)

    def transmit(self, now: float) -> bytes:
        return self.down.receive(now)

    def exchange(self, now: float) -> None:
        """Pass bytes between wires and robot; the driver reads nothing."""
        data = self.up.receive(now)
        if self.power:
            self.simulator.receive(data, now)
            self.down.send(self.simulator.transmit(now), now)

    def next_event(self, now: float, *, read: bool = True) -> float:
        times = [self.up.next_arrival()]
        if read:
            times.append(self.down.next_arrival())
        if self.power:
            times.append(self.simulator.next_event(now))
        return max(now, min(times))


class Bench(SteppedDriver[Robot]):
    """`robot` is the driver's side, `simulator` the robot's; the wire `up` leads to the robot, `down` from it."""

    line: WiredLine

    def __init__(
        self,
        options: Options = DEFAULTS,
        robot: str = "amigo",
        *,
        baud: int | None = None,
        check_baud: bool = False,
        bridge: bool = False,
        simulator: Callable[[], Simulator] | None = None,
    ) -> None:
        """`baud` as for the simulator; with `check_baud` a wrong line speed makes noise of every byte.

        With `bridge` the driver's port is a TCP connection, which does not know the speed of the line behind it.
        """
        line = WiredLine(check_baud=check_baud, bridge=bridge)
        super().__init__(Robot(options), line, self._note, url="/dev/ttyUSB0", now=1000.0, check_baud=True)
        self.up, self.down = line.up, line.down
        self.events: list[tuple[float, Event]] = []
        self.make = simulator or (lambda: Simulator(load_profile(robot), baud=baud))
        self.awake = True
        self._spins = 0
        self.switch_on()

    def _note(self, event: Event) -> None:
        self.events.append((self.now, event))

    @property
    def simulator(self) -> Simulator:
        return self.line.simulator

    # -- time -------------------------------------------------------------------------------------------------

    def step(self) -> None:
        if self.awake:
            super().step()
        self.line.exchange(self.now)

    def next_time(self) -> float:
        due = self.line.next_event(self.now, read=self.awake)
        if self.awake:
            due = min(due, self.robot.link.next_time(), self.robot.link.read_deadline)
        self._spins = self._spins + 1 if due <= self.now else 0
        assert self._spins < 100, f"time stands still: next_time() is {self.robot.link.next_time()} at {self.now}"
        return due

    def run(self, seconds: float, *, cmd_vel: tuple[float, float] | None = None, rate: float = 10.0) -> None:
        """Let time pass, while this velocity (m/s, rad/s) is published at this rate (Hz)."""
        end = self.now + seconds
        published = 0
        start = self.now
        while cmd_vel and start + published / rate < end:
            self.advance(start + published / rate)
            self.drive(*cmd_vel)
            published += 1
        self.advance(end)

    def until(self, condition: Callable[[], object], within: float = 10.0) -> float:
        """Let time pass until the condition holds; how long it took."""
        start, end = self.now, self.now + within
        while not condition():
            assert self.now < end, f"not within {within} s; last: {self.robot.note}"
            self.step()
            self.now = min(end, max(self.now + 1e-9, self.next_time()))
        return self.now - start

    def sleep(self, seconds: float, *, writer_first: bool = False) -> None:
        """The computer sleeps, or our process is stopped: time passes for the robot only.

        Of the driver's two threads the reader is the first to go on, or the writer.
        """
        self.awake = False
        self.advance(self.now + seconds)
        self.awake = True
        if writer_first:
            self.emit(self.robot.link.poll(self.now))
            self.write()

    # -- what people do ---------------------------------------------------------------------------------------

    def plug_in(self) -> None:
        """The port is there and opens."""
        self.line.unplugged = False
        self.plug(True)
        self.write()

    def unplug(self) -> None:
        """The port goes."""
        self.line.unplugged = True
        self.up.cut()
        self.down.cut()
        self.plug(False)

    def connect(self) -> Bench:
        """Plug in, and wait until all is as the options want it; this bench."""
        self.open_session()
        self.run(1.0)
        return self

    def open_session(self, within: float = 10.0) -> float:
        """Plug in, and wait until the robot is in a session; how long (s) it took."""
        self.plug_in()
        return self.until(lambda: self.robot.running, within)

    def switch_on(self) -> None:
        """The robot starts anew, from the origin."""
        self.line.power = True
        self.line.simulator = self.make()
        if self.line.baud:
            self.line.set_client_baud(self.line.baud)

    def switch_off(self) -> None:
        """The robot is dead; its line is silent."""
        self.line.power = False
        self.down.cut()

    def lose_link(self) -> None:
        """Nothing gets through any more, either way."""
        self.up.fault = self.down.fault = lost

    def restore_link(self) -> None:
        """Everything gets through."""
        self.up.fault = self.down.fault = None

    def hold(self, seconds: float) -> None:
        """The line holds everything up for so long, and then delivers it in a burst, both ways."""
        self.up.held_until = self.down.held_until = self.now + seconds

    def drive(self, linear: float, angular: float) -> None:
        """One cmd_vel. Raises RequestRefusedError."""
        try:
            self.robot.motion.drive(linear, angular, self.now)
        finally:
            self.write()

    def request(self, make: Callable[[], E]) -> E:
        """Make any other request."""
        result = make()
        self.write()
        return result

    def result(self, request: Callable[[], Future[T]], within: float = 10.0) -> T:
        """Make a request, and let time pass until it has a result. Raises RequestRefusedError."""
        future = self.request(request)
        self.until(future.done, within)
        return future.result()

    def outcome(self, request: Callable[[], Future[Outcome]], within: float = 60.0) -> Outcome:
        """The same; a refusal is a result, too."""
        try:
            return self.result(request, within)
        except RequestRefusedError as reason:
            return Outcome(False, str(reason))

    # -- what can be seen -------------------------------------------------------------------------------------

    def packets(self, since: float = 0.0) -> list[tuple[float, Packet]]:
        """The packets that the robot has put on the wire."""
        return [(time, parse(data)) for time, data in self.down.log if time >= since]

    def sent(self, since: float = 0.0) -> list[tuple[float, Instruction]]:
        """The instructions that were put on the wire."""
        known = ((time, decode(data)) for time, data in self.up.log if time >= since)
        return [(time, instruction) for time, instruction in known if instruction is not None]

    def commands(self, since: float = 0.0) -> list[str]:
        """The same as text: "STOP", "VEL(200)". In a handshake 0, 1, 2 read PULSE, OPEN, CLOSE."""
        return [str(instruction) for _, instruction in self.sent(since)]

    def emitted(self, kind: type[E], since: float = 0.0) -> list[E]:
        """The events of one kind."""
        return [event for time, event in self.events if isinstance(event, kind) and time >= since]

    def save(self, path: Path, since: float) -> None:
        """Write the frames from this time on as a recording of the robot "anna"; the option `trace` must be on."""
        with path.open("wb") as file:
            write_head(file, Head(1.0e9, "", "anna", "Pioneer", "amigo", "amigo", erratic=False))
            for event in self.emitted(FrameSeen, since):
                write_record(file, RecordedFrame(event.stamp - since, event.to_robot, event.data))

    @property
    def reports(self) -> list[Report]:
        return self.emitted(Report)

    @property
    def states(self) -> list[LinkState]:
        """What the link went through, without repetitions."""
        states = [event.state for event in self.emitted(LinkChanged)]
        return [state for state, _ in itertools.groupby(states)]

    @property
    def notes(self) -> list[str]:
        """The notes about the link, in order."""
        return [event.note for event in self.emitted(LinkChanged)]

    @property
    def live_causes(self) -> set[str]:
        """Keys of the rows of the doctor's table that /diagnostics shows, without what was before."""
        history = History()
        history.snapshots.append(take_snapshot(self.robot))
        return {row.key for part in table().values() for row, _ in applying(part, history, live=True)}

    @property
    def notices(self) -> list[str]:
        return [event.text for event in self.emitted(Notice)]


def connected(
    robot: str = "amigo", *, baud: int | None = None, bridge: bool = False, profile: str = "", **options: object
) -> Bench:
    """A driver with these options in a session with a robot. An Erratic must be asked for by its profile."""
    profile = profile or ("erratic" if robot == "erratic" else "")
    return Bench(Options(profile=profile, **options), robot, baud=baud, bridge=bridge).connect()  # type: ignore[arg-type]


#: x and y in m, heading in rad.
Place = tuple[float, float, float]


class TruthRecord:
    """Where the simulated robot was at each moment of a drive."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._places: dict[float, Place] = {}  #: by the time in s
        self._note()

    def _note(self) -> None:
        truth = self._bench.simulator.truth
        self._places[truth.time] = truth.pose.x, truth.pose.y, truth.pose.heading

    def drive(self, linear: float, angular: float) -> None:
        """Drive for 0.1 s, and note the truth every 10 ms."""
        self._bench.drive(linear, angular)
        for _ in range(10):
            self._bench.run(0.01)
            self._note()

    def errors(self, states: Iterable[tuple[float, Odometry]]) -> list[tuple[float, float]]:
        """m and rad by which each state is off the truth at its time (s); states outside the record are left out."""
        errors = []
        for time, state in states:
            if min(self._places) < time < max(self._places):
                x, y, heading = place_at(time, self._places)
                errors.append((math.hypot(state.x - x, state.y - y), math.remainder(state.yaw - heading, math.tau)))
        return errors


def place_at(time: float, places: Mapping[float, Place]) -> Place:
    """Interpolate places, given by ascending times; the last one holds on."""
    times = list(places)
    after = min(bisect.bisect(times, time), len(times) - 1)
    early, late = times[after - 1 : after + 1]
    share = min((time - early) / (late - early), 1.0)
    (x, y, heading), (next_x, next_y, next_heading) = places[early], places[late]
    turned = math.remainder(next_heading - heading, math.tau)
    return x + share * (next_x - x), y + share * (next_y - y), heading + share * turned


# -- faults ---------------------------------------------------------------------------------------------------


def lost(frame: bytes) -> bytes:
    """Every frame is lost."""
    return b""


def losing(*numbers: Command | int) -> Fault:
    """Frames with these numbers, of commands or packets, are lost; all others arrive."""
    unwanted = {_number(number) for number in numbers}
    return lambda frame: b"" if frame[3] in unwanted else frame


def losing_first(count: int, number: Command | int) -> Fault:
    """The first frames with this number are lost, later ones arrive."""
    left = [count]

    def fault(frame: bytes) -> bytes:
        if frame[3] != _number(number) or not left[0]:
            return frame
        left[0] -= 1
        return b""

    return fault


def _number(command: Command | int) -> int:
    return command if isinstance(command, int) else command.number


def losing_some(seed: int, share: float) -> Fault:
    """Each frame is lost with this chance."""
    chance = random.Random(seed)
    return lambda frame: b"" if chance.random() < share else frame
