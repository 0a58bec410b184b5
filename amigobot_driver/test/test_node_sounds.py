# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Sounds through the node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ros_bench import Bench, Robot
from std_srvs.srv import SetBool

from amigobot_driver.protocol import Command
from amigobot_driver.sim.sounds import DEFAULT_PLAYLIST
from amigobot_msgs.srv import ListSounds, PlaySound, Say


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with Bench(Robot("amigo", baud=9600)) as bench:
        yield bench.connected()


def play(bench: Bench, **request: Any) -> Any:
    return bench.call(PlaySound, "play_sound", PlaySound.Request(**request))


def sent(bench: Bench, command: Command) -> list[object]:
    return [instruction.value for instruction in bench.robot.received if instruction.command is command]


def test_the_playlist_is_listed(bench: Bench) -> None:
    done = bench.call(ListSounds, "list_sounds")
    assert (done.success, done.enabled) == (True, True)
    assert {sound.number: sound.name for sound in done.sounds} == {
        number: sound.name for number, sound in DEFAULT_PLAYLIST.items()
    }
    groups = [sound.name for sound in done.sounds if sound.group]
    assert groups == ["~greetings", "~animals", "~effects", "~music"]


def test_a_sound_is_played_by_number_by_name_and_by_group(bench: Bench) -> None:
    for request, number in (({"number": 58}, 58), ({"name": "Meow"}, 58), ({"name": "music"}, 69)):
        before = len(sent(bench, Command.SOUND))
        done = play(bench, **request)
        assert (done.success, done.number) == (True, number), done.message
        bench.pass_sips(5)
        assert sent(bench, Command.SOUND)[before:] == [number]


def test_a_sound_that_cannot_be_played_is_refused_with_the_reason(bench: Bench) -> None:
    assert play(bench, name="mewo").message == "no sound is called 'mewo'; the nearest: meow"
    assert play(bench, number=200).message == "there is no sound 200"
    assert play(bench).message == "give either a number from 1 to 255 or a name"
    assert play(bench, number=1, name="meow").message == "give either a number from 1 to 255 or a name"


def test_sounds_are_switched_off_and_on(bench: Bench) -> None:
    done = bench.call(SetBool, "enable_sounds", SetBool.Request(data=False))
    assert (done.success, done.message) == (True, "sounds off, confirmed by the robot")
    assert "enable_sounds" in play(bench, number=58).message
    assert bench.call(SetBool, "enable_sounds", SetBool.Request(data=True)).success
    assert play(bench, number=58).success


def test_say_is_refused_if_the_firmware_has_no_tones(bench: Bench) -> None:
    done = bench.call(Say, "say", Say.Request(durations=[0.5], frequencies=[440.0]))
    assert (done.success, done.message) == (False, "AmigoBot (AmigOS) has no SAY")


def test_tone_pairs_encodes_tones_and_checks_their_range() -> None:
    with Bench(Robot("amigo-sh")) as bench:
        bench.connected()

        def say(durations: list[float], frequencies: list[float]) -> Any:
            return bench.call(Say, "say", Say.Request(durations=durations, frequencies=frequencies))

        assert say([0.5, 0.1], [250.0, 0.0]).message == (
            "sent SAY with 2 tones once; the robot does not report what it plays"
        )
        bench.wait_until(lambda: sent(bench, Command.SAY))
        assert sent(bench, Command.SAY) == [bytes((25, 20, 5, 0))]
        assert "expected equal numbers of both, 1 to 20" in say([0.5], []).message
        assert "expected equal numbers of both, 1 to 20" in say([0.1] * 21, [440.0] * 21).message
        assert say([5.2], [440.0]).message == "a duration is 5.2 s, allowed: 0.02 to 5.1 s"
        assert say([float("nan")], [440.0]).message == "a duration is nan s, allowed: 0.02 to 5.1 s"
        assert "allowed: 0 (a rest) or 19.6 to 5000 Hz" in say([1.0], [6000.0]).message
        assert "allowed: 0 (a rest)" in say([1.0], [float("nan")]).message
        assert play(bench, number=50).message == "AmigoBot-SH (AmigoSH) has no SOUND"
        assert play(bench, name="meow").message == "AmigoBot-SH (AmigoSH) has no PLAYLIST"
        assert bench.call(ListSounds, "list_sounds").message == "AmigoBot-SH (AmigoSH) has no PLAYLIST"
