# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Sounds against the simulated robot: the playlist with lost packets, on and off, and playing once."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest
from bench import Bench, Fault, losing, losing_first

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import Command
from amigobot_driver.robot import Options, Outcome
from amigobot_driver.robot.devices.sounds import SoundPlayer
from amigobot_driver.sim import Simulator
from amigobot_driver.sim.sounds import playlist

ANIMALS = playlist(("~greetings", "hello", "good bye", "~animals", "Whoosh", "meow", "", "moo", "~empty"))


class SoundBench(Bench):
    """A bench that notes what can be heard."""

    def __init__(self, robot: str = "amigo", sounds: dict[int, str] = ANIMALS, baud: int = 9600) -> None:
        self.heard_sounds: list[str] = []
        super().__init__(
            Options(),
            simulator=lambda: Simulator(
                load_profile(robot),
                baud=baud,
                sounds=sounds,
                on_event=lambda event: self.heard_sounds.append(event.text) if event.kind == "sound" else None,
            ),
        )
        self.connect()
        self.heard_sounds.clear()

    def list(self, refresh: bool = False, within: float = 120.0) -> Outcome:
        return self.outcome(lambda: self.robot.sounds.list(refresh, self.now), within)

    def play(self, number: int) -> Outcome:
        return self.outcome(lambda: self.robot.sounds.play(number, self.now))

    def switch(self, on: bool) -> Outcome:
        return self.outcome(lambda: self.robot.sounds.switch(on, self.now))

    @property
    def names(self) -> dict[int, str]:
        return {entry.number: entry.name for entry in self.robot.sounds.playlist}


def named(sounds: dict[int, str]) -> dict[int, str]:
    return {number: name for number, name in sounds.items() if name}


@pytest.fixture
def bench() -> SoundBench:
    return SoundBench()


# -- the playlist ---------------------------------------------------------------------------------------------


def test_the_whole_playlist_is_fetched_system_sounds_too() -> None:
    sounds = {3: "stall", **ANIMALS}
    bench = SoundBench(sounds=sounds)
    assert bench.list() == Outcome(True, f"{len(named(sounds))} sounds")
    assert bench.names == named(sounds)


def test_the_playlist_is_fetched_once_a_session(bench: SoundBench) -> None:
    bench.list()
    before = len(bench.up.log)
    assert bench.list().success
    assert bench.commands().count("PLAYLIST(0)") == 1
    assert bench.list(refresh=True).success
    assert bench.commands().count("PLAYLIST(0)") == 2
    bench.simulator.reset()
    bench.run(20.0)
    assert bench.robot.sounds.playlist == (), "other sounds may have been loaded"
    assert bench.list().success
    assert bench.commands().count("PLAYLIST(0)") == 3
    assert len(bench.up.log) > before


def test_a_playlist_gap_is_reported_and_filled_later() -> None:
    bench = SoundBench()
    bench.down.fault = losing_answers([52, 54])
    assert bench.list() == Outcome(False, "lost 2 of 9 sounds: list them again")
    assert bench.names == {number: name for number, name in named(ANIMALS).items() if number not in (52, 54)}
    assert bench.list().success
    assert bench.names == named(ANIMALS)


def test_a_count_that_comes_twice_is_no_empty_entry() -> None:
    bench = SoundBench(sounds=playlist(["x"] * 60))
    bench.down.delay = 1.5 * SoundPlayer.retries.interval
    assert bench.list().success
    assert bench.commands().count("PLAYLIST(0)") == 2
    assert bench.names == dict.fromkeys(range(50, 110), "x")


def losing_answers(numbers: Iterable[int]) -> Fault:
    left = list(numbers)

    def fault(frame: bytes) -> bytes:
        if frame[3] == 0xD0 and frame[6] and frame[4] in left:
            left.remove(frame[4])
            return b""
        return frame

    return fault


def test_the_duration_of_a_listing_is_announced() -> None:
    bench = SoundBench(sounds=playlist(["x"] * 120))
    assert bench.list().success
    assert bench.notices == ["playlist: 169 entries to read, about 22 s; it is kept until the connection ends"]


def test_a_full_playlist_at_9600_baud_delays_no_driving() -> None:
    sounds = {number: f"sound {number}" for number in range(50, 256)}
    bench = SoundBench(sounds=sounds)
    future = bench.request(lambda: bench.robot.sounds.list(False, bench.now))
    start = bench.now
    while not future.done():
        bench.run(1.0, cmd_vel=(0.2, 0.1))
    assert future.result() == Outcome(True, "206 sounds")
    stamps = [time for time, instruction in bench.sent(start) if instruction.command is Command.VEL]
    assert max(after - before for before, after in itertools.pairwise(stamps)) <= 0.1 + bench.robot.queue.spacing + 1e-6
    sips = [time for time, packet in bench.packets(start) if packet.id in (0x32, 0x33)]
    assert max(after - before for before, after in itertools.pairwise(sips)) < 0.15


# -- names ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "number"),
    [("hello", 51), ("whoosh", 54), (" MEOW ", 55)],
)
def test_a_sound_is_found_by_its_name(bench: SoundBench, name: str, number: int) -> None:
    bench.list()
    assert bench.robot.sounds.find(name) == number


def test_an_unknown_name_is_answered_with_the_nearest(bench: SoundBench) -> None:
    bench.list()
    with pytest.raises(LookupError, match=r"^no sound is called 'helo'; the nearest: hello$"):
        bench.robot.sounds.find("helo")
    with pytest.raises(LookupError, match="no sound is called 'zzzz'; the list names 5 sounds"):
        bench.robot.sounds.find("zzzz")


# -- playing --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [Command.SOUND, Command.PLAYLIST])
def test_a_sound_is_never_sent_twice_whatever_is_lost(bench: SoundBench, command: Command) -> None:
    bench.up.fault = losing_first(3, command)
    assert bench.play(51).success
    bench.run(10.0)
    assert bench.commands().count("SOUND(51)") == 1
    assert bench.heard_sounds == ([] if command is Command.SOUND else ["51 hello"])


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, "sound is 0, allowed: 1 to 255"),
        (256, "sound is 256, allowed: 1 to 255"),
        (56, "there is no sound 56"),
        (200, "there is no sound 200"),
        (53, "53 is the group ~animals, which has no sound itself: play one that follows it"),
    ],
)
def test_what_has_no_sound_is_not_played(bench: SoundBench, number: int, expected: str) -> None:
    assert bench.play(number) == Outcome(False, expected)
    assert not any("SOUND" in command for command in bench.commands())


# -- on and off -----------------------------------------------------------------------------------------------


def test_a_failed_switch_says_what_the_robot_reports(bench: SoundBench) -> None:
    bench.up.fault = losing(Command.SOUNDTOG)
    outcome = bench.switch(False)
    assert not outcome.success
    sent = f"sent SOUNDTOG(0) and PLAYLIST(50) {SoundPlayer.retries.limit} times in 3.2 s"
    assert outcome.message == f"{sent}; the robot reports sounds on"


def test_off_stays_off_after_a_reset(bench: SoundBench) -> None:
    bench.switch(False)
    bench.simulator.reset()
    bench.run(20.0)
    assert bench.robot.running
    assert bench.robot.sounds.enabled is False
    bench.heard_sounds.clear()
    assert not bench.play(51).success


# -- other firmware -------------------------------------------------------------------------------------------


def test_the_amigobot_sh_says_that_it_has_no_sounds() -> None:
    bench = SoundBench("amigo-sh", sounds={})
    assert bench.play(51) == Outcome(False, "AmigoBot-SH (AmigoSH) has no SOUND")
    assert bench.list() == Outcome(False, "AmigoBot-SH (AmigoSH) has no PLAYLIST")
    expected = "sounds off, sent 3 times; this robot's packets do not report it"
    assert bench.switch(False) == Outcome(True, expected)


@pytest.mark.parametrize(
    ("frequency", "note"), [(440.0, 69), (442.0, 69), (261.6, 60), (0.0, 0), (12000.0, 126), (9.0, 2)]
)
def test_arcos_takes_notes(frequency: float, note: int) -> None:
    bench = SoundBench("p3dx-sh", sounds={})
    assert bench.outcome(lambda: bench.robot.sounds.say([0.5], [frequency])).success
    bench.run(1.0)
    assert bench.commands().count(f"SAY({bytes((25, note))!r})") == 1
