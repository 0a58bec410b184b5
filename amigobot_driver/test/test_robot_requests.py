# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Requests while the command queue is full: each completes, and the robot does what the answer says."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from concurrent.futures import Future

import pytest
from bench import Bench, losing

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Command, ErraticCommand, Sip
from amigobot_driver.robot import LinkChanged, LinkState, Notice, Options, Outcome
from amigobot_driver.robot.command_queue import MAX_OVERTAKEN, MAX_ROUTINE, CommandQueue, Priority
from amigobot_driver.sim import Simulator

#: s in which every request must be answered, however full the queue is.
BOUND = 8.0


def flood(bench: Bench, count: int = MAX_ROUTINE + 20) -> list[Outcome]:
    """Commands that change nothing else in these tests, as `send_command` sends them."""
    bench.run(0.1)  # the line is at rest
    return [bench.ask(lambda: bench.robot.send_raw(Command.BATTEST.number, [125], b"")) for _ in range(count)]


def answer(bench: Bench, request: Callable[[Bench], Future[Outcome]]) -> Outcome:
    future = bench.ask(lambda: request(bench))
    bench.until(future.done, within=BOUND)
    return future.result()


REQUESTS: dict[str, tuple[str, Callable[[Bench], Future[Outcome]], Callable[[Bench], object]]] = {
    "aux_write": (
        "amigo",
        lambda bench: bench.robot.aux[0].writer.write(b"hello"),  # type: ignore[dict-item,return-value]
        lambda bench: "TTY2(b'hello')" in bench.words(),
    ),
    "say": (
        "amigo-sh",
        lambda bench: bench.robot.sounds.say([0.5], [250.0], bench.now),
        lambda bench: str(Command.SAY(bytes((25, 20)))) in bench.words(),
    ),
    "play_sound": (
        "amigo",
        lambda bench: bench.robot.sounds.play(58, bench.now),
        lambda bench: "SOUND(58)" in bench.words(),
    ),
    "enable_sounds": (
        "amigo",
        lambda bench: bench.robot.sounds.switch(False, bench.now),
        lambda bench: bench.simulator._firmware.hardware.sounds.enabled is False,
    ),
    "set_digital_outputs": (
        "amigo",
        lambda bench: bench.robot.digital_outputs.set(0x03, 0x02, bench.now),
        lambda bench: bench.simulator.pins.outputs & 0x03 == 0x02,
    ),
    "select_analog_input": (
        "amigo",
        lambda bench: bench.robot.analog_input.select(3, bench.now),
        lambda bench: bench.simulator._firmware.hardware.pins.selected == 3,
    ),
    "set_pid": (
        "amigo",
        lambda bench: bench.robot.tuning.set({"rot_kp": 33}, bench.now),
        lambda bench: bench.simulator._firmware.working.rot_kp == 33,
    ),
    "set_sonar_sequence": (
        "amigo",
        lambda bench: bench.robot.poll_sonars((2, 5), bench.now),
        lambda bench: str(Command.POLLING(bytes((3, 6)))) in bench.words(),
    ),
    "enable_motors": (
        "amigo",
        lambda bench: bench.robot.enable_motors(False, bench.now),
        lambda bench: not bench.reports[-1].motors_enabled,
    ),
    "enable_sonar": (
        "amigo",
        lambda bench: bench.robot.enable_sonar(False, bench.now),
        lambda bench: not bench.reports[-1].sonar_enabled,
    ),
    "reset_robot": (
        "amigo-sh",
        lambda bench: bench.robot.reset(bench.now),
        lambda bench: bench.robot.session.connections == 2,
    ),
}


@pytest.mark.parametrize("speed", [0.0, 0.2], ids=["at rest", "while a joystick drives"])
@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_completes_and_is_done_although_200_raw_commands_wait(name: str, speed: float) -> None:
    profile, request, done = REQUESTS[name]
    model = load_profile(profile)
    model = dataclasses.replace(model, flash={**model.flash, "io0": 1, "io1": 1})  # outputs
    bench = Bench(Options(), simulator=lambda: Simulator(model))
    bench.connect()
    flood(bench)
    if speed:
        bench.run(0.5, cmd_vel=(speed, 0.0), rate=50.0)
    outcome = answer(bench, request)
    assert outcome.success, outcome.message
    assert done(bench)


def test_every_raw_command_that_was_accepted_is_sent_and_the_others_are_refused_with_the_reason() -> None:
    bench = Bench(Options())
    bench.connect()
    since = bench.now
    answers = flood(bench)
    accepted = [outcome for outcome in answers if outcome.success]
    # The first of them went out at once.
    assert len(accepted) == MAX_ROUTINE + 1
    assert answers[-1].message == ("BATTEST(125) is not sent: 200 commands are waiting already: send fewer at a time")
    assert bench.robot.queue.stats.refused == len(answers) - len(accepted)
    bench.run(6.0)
    assert bench.words(since).count("BATTEST(125)") == len(accepted)
    assert bench.robot.queue.stats.dropped == 0


def test_a_raw_command_says_how_many_go_before_it() -> None:
    bench = Bench(Options())
    bench.connect()
    first, second, third = (outcome.message for outcome in flood(bench, 3))
    confirms_none = "once; the robot confirms no single command"
    assert first == f"sent BATTEST(125) {confirms_none}"
    assert second == f"sent BATTEST(125) {confirms_none}"
    assert third == f"BATTEST(125) waits behind 1 command, is sent {confirms_none}"


def test_a_raw_command_is_sent_although_velocities_and_settings_fill_the_line() -> None:
    queue = CommandQueue(0.02)
    queue.put(Command.BATTEST(125), Priority.RAW)
    taken = []
    for step in range(3 * MAX_OVERTAKEN):
        queue.put(Command.VEL(step), Priority.VELOCITY)
        queue.put(Command.RVEL(step), Priority.VELOCITY)
        queue.put(Command.SONAR(1))
        taken.append(queue.take(step * 0.02))
    assert Command.BATTEST(125) in taken[: MAX_OVERTAKEN + 2]
    assert Command.SONAR(1) in taken[: MAX_OVERTAKEN + 2]


def test_a_stop_overtakes_all_that_waits_however_long_it_has_waited() -> None:
    queue = CommandQueue(0.02)
    for step in range(2 * MAX_OVERTAKEN):
        queue.put(Command.VEL(step), Priority.VELOCITY)
        queue.put(Command.SONAR(1))
        queue.put(Command.BATTEST(125), Priority.RAW)
        queue.take(step * 0.02)
    queue.put(Command.STOP(), Priority.STOP)
    assert queue.take(1.0) == Command.STOP()


def test_the_time_out_of_a_velocity_stops_the_robot_although_the_queue_is_full() -> None:
    bench = Bench(Options())
    bench.connect()
    for number in range(MAX_ROUTINE):
        bench.robot.queue.put(Command.SOUND(1 + number % 255))
    bench.drive(0.3, 0.0)
    since = bench.now
    bench.run(0.7)
    assert bench.robot.motion.stats.timeouts == 1
    assert "VEL(0)" in bench.words(since)


def test_closing_stops_the_robot_and_ends_the_session_although_200_raw_commands_wait() -> None:
    bench = Bench(Options())
    bench.connect()
    bench.run(1.0, cmd_vel=(0.3, 0.0))
    flood(bench)
    since = bench.now
    bench.ask(bench.robot.link.close)
    bench.run(0.5)
    assert [word for word in bench.words(since + 1e-6) if "BATTEST" not in word] == [
        "STOP",
        "ENABLE(0)",
        "SONAR(0)",
        "CLOSE",
    ]
    assert bench.simulator.session.name == "WAIT"


def test_raw_commands_that_a_lost_link_makes_void_are_counted_and_reported() -> None:
    bench = Bench(Options())
    bench.connect()
    flood(bench, 30)
    bench.unplug()
    assert bench.robot.queue.stats.dropped >= 28
    [told] = [notice.text for notice in bench.told(Notice) if "send_command" in notice.text]
    assert "commands of send_command or save_config had not been sent when the connection ended" in told


def test_save_config_saves_what_the_raw_commands_before_it_set() -> None:
    bench = Bench(Options(), "erratic")
    bench.connect()
    for name in (b"Rover", b"Rover two", b"Rover three"):
        bench.ask(lambda name=name: bench.robot.send_raw(ErraticCommand.NAME.number, [], name))
    assert bench.ask(bench.robot.flash.save).success
    bench.run(1.0)
    bench.simulator.reset()
    bench.run(8.0)
    assert "Rover three" in bench.robot.note  # to the driver it is another robot now


def test_the_queue_of_the_driver_itself_stays_short_while_every_component_has_much_to_do() -> None:
    bench = Bench(Options(io_stream=True, encoder_stream=True, sonar_sequence=(0, 1), tuning={"rot_kp": 33}), "p3dx")
    longest = 0
    bench.plug_in()
    for step in range(400):
        if bench.robot.running:
            bench.ask(lambda step=step: bench.robot.tuning.set({"rot_kp": 30 + step % 2}, bench.now))
            bench.robot.aux[0].writer.write(b"x" * 20)
        bench.run(0.02)
        longest = max(longest, bench.robot.queue.waiting(Priority.ROUTINE))
    assert bench.robot.queue.stats.refused == 0
    assert longest < MAX_ROUTINE / 4
    assert any(isinstance(packet, Sip) for _, packet in bench.packets())


def test_tones_without_number_do_not_fill_the_memory() -> None:
    bench = Bench(Options(), "amigo-sh")
    bench.connect()
    futures = [bench.robot.sounds.say([0.5], [250.0], bench.now) for _ in range(500)]
    bench.ask(lambda: None)
    bench.until(lambda: all(future.done() for future in futures), within=BOUND)
    outcomes = [future.result() for future in futures]
    since_said = bench.words().count(str(Command.SAY(bytes((25, 20)))))
    assert since_said == sum(outcome.success for outcome in outcomes) == 20
    assert outcomes[-1].message == "SAY is not sent: 20 sounds wait to be sent already"


def reset_bench() -> Bench:
    bench = Bench(Options(), "amigo-sh")
    bench.connect()
    return bench


def test_the_silence_after_a_requested_reset_is_no_trouble() -> None:
    bench = reset_bench()
    outcome = answer(bench, lambda bench: bench.robot.reset(bench.now))
    assert outcome == Outcome(True, "the robot was reset and is connected again")
    lost = [event for event in bench.told(LinkChanged) if event.state is LinkState.LOST]
    assert [(event.note, event.requested) for event in lost] == [
        ("the robot restarts after RESET; connecting again", True)
    ]


def test_a_reset_that_nobody_requested_is_trouble() -> None:
    bench = reset_bench()
    answer(bench, lambda bench: bench.robot.reset(bench.now))
    since = bench.now
    bench.simulator.reset()
    bench.until(lambda: bench.robot.session.connections == 3)
    lost = [event for event in bench.told(LinkChanged, since) if event.state is LinkState.LOST]
    assert [event.requested for event in lost] == [False]


def test_a_reset_after_which_the_robot_stays_away_is_answered_within_a_minute() -> None:
    bench = reset_bench()
    since = bench.now
    future = bench.ask(lambda: bench.robot.reset(bench.now))
    bench.run(0.1)
    bench.switch_off()
    bench.until(future.done, within=61.0)
    outcome = future.result()
    assert not outcome.success
    assert outcome.message.startswith("RESET was sent, and the robot is not connected again: there is no")
    assert bench.now - since == pytest.approx(60.0, abs=0.5)


@pytest.mark.parametrize("seconds", [0.0, 0.1, 1.2])
@pytest.mark.parametrize("name", REQUESTS)
def test_closing_answers_every_request_and_leaves_no_deadline(name: str, seconds: float) -> None:
    profile, request, _ = REQUESTS[name]
    bench = Bench(Options(), profile)
    bench.connect()
    future = bench.ask(lambda: request(bench))
    bench.run(seconds)
    bench.ask(bench.robot.link.close)
    assert future.done()
    bench.run(0.5)
    assert bench.robot.link.next_time() == math.inf


def test_closing_after_a_reset_is_the_reason_in_its_answer() -> None:
    bench = reset_bench()
    future = bench.ask(lambda: bench.robot.reset(bench.now))
    bench.run(0.1)
    bench.ask(bench.robot.link.close)
    why = "there is no robot: the driver is closing"
    assert future.result(0) == Outcome(False, f"RESET was sent, and the robot is not connected again: {why}")


def test_closing_after_a_reset_that_failed_leaves_no_deadline() -> None:
    bench = reset_bench()
    bench.up.fault = losing(Command.RESET)
    outcome = answer(bench, lambda bench: bench.robot.reset(bench.now))
    assert "sent RESET 3 times" in outcome.message
    bench.ask(bench.robot.link.close)
    bench.run(0.5)
    assert bench.robot.link.next_time() == math.inf


def test_a_playlist_says_at_the_start_how_long_it_takes_and_how_far_it_is() -> None:
    bench = Bench(Options(), "amigo", baud=9600)
    bench.connect()
    start = bench.now
    future = bench.ask(lambda: bench.robot.sounds.list(False, bench.now))
    bench.until(future.done, within=20.0)
    took = bench.now - start
    told = [notice.text for notice in bench.told(Notice) if notice.text.startswith("playlist: ")]
    assert told[0] == "playlist: 72 entries to read, about 9 s; it is kept until the connection ends"
    assert took == pytest.approx(9.5, abs=1.5)
    assert [text.split()[1] for text in told[1:]] == ["20", "40", "60"]
    again = bench.ask(lambda: bench.robot.sounds.list(False, bench.now))
    assert again.result().success
