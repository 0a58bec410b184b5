# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Scenarios on simulated time: noise for an hour, senders that die, emergency stops, cables, a whole day."""

from __future__ import annotations

import gc
import math
import os
import random
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

from bench import Bench, Noise

from amigobot_driver.connection_policy import OPEN_RETRY_MAX
from amigobot_driver.protocol import Sip
from amigobot_driver.robot import Options
from amigobot_driver.robot.sensing.odometry import Odometer

from .figure import Figure, Share

_HOUR = 3600.0


class Witness:
    """Adds up the counters as the robot put them on the wire, before anything was lost or damaged."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._seen = 0.0
        self._sessions = -1
        self._odometer = Odometer(bench.robot.profile)
        self.error()

    def error(self) -> float:
        """How far the driver's pose is from that of the robot's counters, m; the robot must stand."""
        robot = self._bench.robot
        for time, packet in self._bench.heard(self._seen):
            if isinstance(packet, Sip):
                self._odometer.update(packet, time)
        self._seen = math.nextafter(self._bench.now, math.inf)
        here, there = robot.estimator.odometer.state, self._odometer.state
        if robot.session.connections != self._sessions or not robot.running:
            # A new session may begin with any counters: the motion in between is unknown.
            self._sessions = robot.session.connections
            self._odometer.restart()
            self._odometer.set(here.x, here.y, here.yaw)
            return 0.0
        return math.hypot(here.x - there.x, here.y - there.y)


def noise(share: Share) -> Iterator[Figure]:
    """An hour at one damaged byte in a thousand and two lost packets in a hundred, each way."""
    bench = Bench(Options(max_linear=0.3))
    bench.connect()
    bench.up.fault = Noise(share.seed, frames=0.02, damage=1e-3)
    bench.down.fault = Noise(share.seed + 1, frames=0.02, damage=1e-3)
    rng = random.Random(share.seed)
    answers: list[Future] = []
    worst, length = 0.0, max(60.0, _HOUR * share.size)
    start, witness = bench.now, Witness(bench)
    while bench.now - start < length:
        velocity = rng.uniform(-0.25, 0.25), rng.uniform(-1.0, 1.0)
        bench.run(rng.uniform(2.0, 8.0), cmd_vel=velocity)
        answers += _ask_everything(bench)
        bench.run(3.0)
        worst = max(worst, witness.error())
        _forget(bench)
    bench.run(10.0)
    unanswered = sum(not answer.done() for answer in answers)
    sessions = bench.robot.session.connections
    yield Figure(
        f"{length:.0f} s at 1 byte in 1000 damaged and 2 % of packets lost, each way",
        "no exit, every request answered, the pose within 5 mm of the counters'",
        f"{len(answers)} requests, {unanswered} unanswered, {sessions} sessions, pose off by {1000 * worst:.1f} mm",
        not unanswered and worst < 0.005,
    )


def dying_publishers(share: Share) -> Iterator[Figure]:
    """A sender of velocities dies at full speed."""
    rng = random.Random(share.seed)
    times: list[float] = []
    timeout = 0.5
    bench = Bench(Options(max_linear=0.3, command_timeout=timeout))
    bench.connect()
    for _ in range(share.of(200)):
        bench.run(rng.uniform(0.5, 1.5), cmd_vel=(0.3, 0.0), rate=rng.choice((5, 10, 20, 50)))
        bench.drive(0.3, 0.0)
        last = bench.now
        bench.run(1.0)
        times.append(next(time for time, what in bench.sent(last) if str(what) in ("VEL(0)", "STOP")) - last)
        _forget(bench)
    yield Figure(
        f"{len(times)} publishers of cmd_vel die at full speed",
        f"a stop on the wire within {timeout * 1000:.0f} + 50 ms",
        f"{1000 * min(times):.0f} to {1000 * max(times):.0f} ms",
        max(times) <= timeout + 0.050,
    )


def emergency(share: Share) -> Iterator[Figure]:
    """An emergency stop while the line is as busy as it gets."""
    rng = random.Random(share.seed)
    places = [_frames_before_the_stop(Bench(Options(max_linear=0.3)), rng) for _ in range(share.of(20))]
    yield Figure(
        f"{len(places)} emergency stops during a playlist and an AUX stream at 9600 baud",
        "E_STOP is the next frame on the wire",
        "it was, every time" if not any(places) else f"up to {max(places)} frames before it",
        not any(places),
    )


def _frames_before_the_stop(bench: Bench, rng: random.Random) -> int:
    bench.connect()
    bench.ask(lambda: bench.robot.sounds.list(True, bench.now))
    bench.ask(lambda: bench.robot.aux[0].writer.write(bytes(range(256)) * 8))
    bench.run(rng.uniform(0.2, 2.0), cmd_vel=(0.3, 0.2), rate=50)
    pressed = math.nextafter(bench.now, math.inf)
    bench.ask(bench.robot.emergency_stop)
    bench.run(0.2)
    return bench.words(pressed).index("E_STOP")


def cable(share: Share) -> Iterator[Figure]:
    """The cable is pulled while driving and put back."""
    rng = random.Random(share.seed)
    times, jumps = [], []
    bench = Bench(Options(max_linear=0.3))
    bench.connect()
    for _ in range(share.of(100)):
        bench.run(1.0, cmd_vel=(rng.uniform(-0.2, 0.2), rng.uniform(-1, 1)))
        before = bench.robot.estimator.odometer.state
        bench.unplug()
        bench.run(10 ** rng.uniform(-1, math.log10(60)))
        bench.plug_in()
        times.append(bench.until(lambda: bench.robot.running, 20.0) + OPEN_RETRY_MAX)
        bench.run(0.2)
        after = bench.robot.estimator.odometer.state
        jumps.append(math.hypot(after.x - before.x, after.y - before.y))
        bench.run(1.0)
        _forget(bench)
    yield Figure(
        f"the cable out for 0.1 to 60 s, {len(times)} times",
        "running within 2 s of its return, the pose goes on from where it was",
        f"{max(times):.2f} s at most, of which {OPEN_RETRY_MAX:g} s between two looks at the port; "
        f"pose moved by {1000 * max(jumps):.0f} mm at most",
        max(times) <= 2.0 and max(jumps) < 0.10,
    )


def day(share: Share) -> Iterator[Figure]:
    """A day of driving in circles, the counters wrapping all the time."""
    bench = Bench(Options(max_linear=0.3), baud=0)
    bench.connect()
    bench.run(60.0, cmd_vel=(0.25, 0.3))
    bench.run(3.0)
    _forget(bench)
    length = max(120.0, 24 * _HOUR * share.size)
    start, first, witness, drift = bench.now, _memory(), Witness(bench), 0.0
    while bench.now - start < length:
        bench.run(30.0, cmd_vel=(0.25, 0.3))
        bench.run(3.0)
        drift = max(drift, witness.error())
        _forget(bench)
        bench.simulator.battery.charge = 1.0  # it would be flat after three hours
    blocks, resident = (now - then for now, then in zip(_memory(), first, strict=True))
    late = bench.now - bench.robot.estimator.report.stamp
    yield Figure(
        f"{length / _HOUR:.1f} h of driving, simulated",
        "memory flat, one session, no drift in stamps or odometry",
        f"{blocks:+d} objects, {resident / 1024:+.0f} KiB, {bench.robot.session.connections} session, "
        f"newest stamp {1000 * late:.0f} ms old, pose off by {1000 * drift:.1f} mm",
        # A leak of one object in a turn would be 2600.
        blocks < 1000
        and resident < 2 * 1024 * 1024
        and bench.robot.session.connections == 1
        and late < 0.3
        and drift < 0.005,
    )


def _memory() -> tuple[int, int]:
    """Objects that are alive, and bytes of this process in memory."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return sys.getallocatedblocks(), pages * os.sysconf("SC_PAGE_SIZE")


def _ask_everything(bench: Bench) -> list[Future]:
    robot = bench.robot
    return [
        bench.ask(lambda: robot.enable_sonar(True, bench.now)),
        bench.ask(lambda: robot.working_values.read(bench.now)),
        bench.ask(lambda: robot.poll_sonars((), bench.now)),
    ]


def _forget(bench: Bench) -> None:
    """The bench keeps everything it saw; hours of it would fill the memory."""
    for log in (bench.up.log, bench.down.log, bench.events):
        log.clear()
