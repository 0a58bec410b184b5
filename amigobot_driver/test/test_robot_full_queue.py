# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Requests while the command queue is full: each completes, and the robot does what the answer says."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Future

import pytest
from bench import Bench

from amigobot_driver.protocol import Command, Sip
from amigobot_driver.robot import Notice, Options, Outcome
from amigobot_driver.robot.command_queue import MAX_ROUTINE, Priority

#: s in which every request must be answered, however full the queue is.
BOUND = 8.0


def flood(bench: Bench, count: int = MAX_ROUTINE + 20) -> list[Outcome]:
    """Commands that change nothing else in these tests, as `send_command` sends them."""
    bench.run(0.1)  # the line is at rest
    return [bench.request(lambda: bench.robot.send_raw(Command.BATTEST.number, [125], b"")) for _ in range(count)]


def answer(bench: Bench, request: Callable[[Bench], Future[Outcome]]) -> Outcome:
    future = bench.request(lambda: request(bench))
    bench.until(future.done, within=BOUND)
    return future.result()


REQUESTS: dict[str, tuple[str, Callable[[Bench], Future[Outcome]], Callable[[Bench], object]]] = {
    "aux_write": (
        "amigo",
        lambda bench: bench.robot.aux[0].write(b"hello"),  # type: ignore[dict-item,return-value]
        lambda bench: "TTY2(b'hello')" in bench.commands(),
    ),
    "say": (
        "amigo-sh",
        lambda bench: bench.robot.sounds.say([0.5], [250.0]),
        lambda bench: str(Command.SAY(bytes((25, 20)))) in bench.commands(),
    ),
    "play_sound": (
        "amigo",
        lambda bench: bench.robot.sounds.play(58, bench.now),
        lambda bench: "SOUND(58)" in bench.commands(),
    ),
    "set_pid": (
        "amigo",
        lambda bench: bench.robot.tuning.set({"rot_kp": 33}, bench.now),
        lambda bench: bench.simulator._firmware.tuning.rot_kp == 33,
    ),
    "set_sonar_sequence": (
        "amigo",
        lambda bench: bench.robot.sequence.set((2, 5), bench.now),
        lambda bench: str(Command.POLLING(bytes((3, 6)))) in bench.commands(),
    ),
    "enable_motors": (
        "amigo",
        lambda bench: bench.robot.enable_motors(False, bench.now),
        lambda bench: not bench.reports[-1].motors_enabled,
    ),
    "reset_robot": (
        "amigo-sh",
        lambda bench: bench.robot.reset(bench.now),
        lambda bench: bench.robot.session.connections == 2,
    ),
}


@pytest.mark.parametrize("speed", [0.0, 0.2], ids=["at rest", "while a joystick drives"])
@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_completes_beside_200_raw_commands(name: str, speed: float) -> None:
    profile, request, done = REQUESTS[name]
    bench = Bench(Options(), profile).connect()
    flood(bench)
    if speed:
        bench.run(0.5, cmd_vel=(speed, 0.0), rate=50.0)
    outcome = answer(bench, request)
    assert outcome.success, outcome.message
    bench.run(0.2)
    assert done(bench)


def test_every_raw_command_is_sent_or_refused_with_reason() -> None:
    bench = Bench(Options()).connect()
    since = bench.now
    answers = flood(bench)
    accepted = [outcome for outcome in answers if outcome.success]
    # The first of them went out at once.
    assert len(accepted) == MAX_ROUTINE + 1
    assert answers[-1].message == ("BATTEST(125) is not sent: 200 commands are waiting already: send fewer at a time")
    assert bench.robot.queue.stats.refused == len(answers) - len(accepted)
    assert "full-queue" in bench.live_causes
    bench.run(6.0)
    assert bench.commands(since).count("BATTEST(125)") == len(accepted)
    assert bench.robot.queue.stats.dropped == 0


def test_raw_commands_lost_with_the_link_are_reported() -> None:
    bench = Bench(Options()).connect()
    flood(bench, 30)
    bench.unplug()
    assert bench.robot.queue.stats.dropped >= 28
    [text] = [notice.text for notice in bench.emitted(Notice) if "requested" in notice.text]
    assert "requested commands had not been sent when the connection ended" in text


def test_the_drivers_own_queue_stays_short() -> None:
    bench = Bench(Options(io_stream=True, encoder_stream=True, sonar_sequence=(0, 1), tuning={"rot_kp": 33}), "p3dx")
    longest = 0
    bench.plug_in()
    for step in range(400):
        if bench.robot.running:
            bench.request(lambda step=step: bench.robot.tuning.set({"rot_kp": 30 + step % 2}, bench.now))
            bench.robot.aux[0].write(b"x" * 20)
        bench.run(0.02)
        longest = max(longest, bench.robot.queue.waiting(Priority.ROUTINE))
    assert bench.robot.queue.stats.refused == 0
    assert longest < MAX_ROUTINE / 4
    assert any(isinstance(packet, Sip) for _, packet in bench.packets())


@pytest.mark.parametrize("seconds", [0.0, 0.1, 1.2])
@pytest.mark.parametrize("name", REQUESTS)
def test_closing_answers_every_request_and_leaves_no_deadline(name: str, seconds: float) -> None:
    profile, request, _ = REQUESTS[name]
    bench = Bench(Options(), profile).connect()
    future = bench.request(lambda: request(bench))
    bench.run(seconds)
    bench.request(bench.robot.link.close)
    assert future.done()
    bench.run(0.5)
    assert bench.robot.link.next_time() == math.inf
