# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The devices of an AmigoBot as a user's program sees them: sounds, auxiliary ports, pins, and the protocol itself."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from ros_bench import Bench, Robot
from std_srvs.srv import SetBool

from amigobot_driver.protocol import Command, decode
from amigobot_driver.sim import LoopBack
from amigobot_driver.sim.sounds import DEFAULT_PLAYLIST
from amigobot_msgs.msg import AuxData, IoState, Packet
from amigobot_msgs.srv import (
    AuxRead,
    AuxWrite,
    ListSounds,
    PlaySound,
    SelectAnalogInput,
    SendCommand,
    SetDigitalOutputs,
)


class Voltmeter(LoopBack):
    """Answers each request with the voltage."""

    def receive(self, data: bytes, now: float) -> None:
        super().receive(b"12.4\r" * data.count(b"?V\r"), now)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """IO_0 and IO_2 are outputs; AUX1 has a device that answers a question, AUX2 a plug that sends everything back."""
    profile = tmp_path_factory.mktemp("profiles") / "wired.yaml"
    profile.write_text("extends: amigo\nname: wired\nflash: {io0: 1, io2: 1, SInfoCycle: 1}\n")
    with Bench(Robot(str(profile), baud=38400, aux={1: Voltmeter(), 2: LoopBack()})) as bench:
        yield bench.connected()


# --- sounds ----------------------------------------------------------------------------------------------------


def play(bench: Bench, **request: Any) -> Any:
    return bench.call(PlaySound, "play_sound", PlaySound.Request(**request))


def sent(bench: Bench, command: Command) -> list[object]:
    return [instruction.value for instruction in bench.robot.received if instruction.command is command]


def test_the_playlist_is_listed(bench: Bench) -> None:
    done = bench.call(ListSounds, "list_sounds")
    assert (done.success, done.enabled) == (True, True)
    assert {sound.number: sound.name for sound in done.sounds} == DEFAULT_PLAYLIST
    groups = [sound.name for sound in done.sounds if sound.group]
    assert groups == ["~greetings", "~animals", "~effects", "~music"]


def test_a_sound_plays_by_number_or_name(bench: Bench) -> None:
    for request, number in (({"number": 58}, 58), ({"name": "Meow"}, 58)):
        before = len(sent(bench, Command.SOUND))
        done = play(bench, **request)
        assert (done.success, done.number) == (True, number), done.message
        bench.pass_sips(5)
        assert sent(bench, Command.SOUND)[before:] == [number]


def test_an_unplayable_sound_is_refused_with_the_reason(bench: Bench) -> None:
    assert play(bench, name="mewo").message == "no sound is called 'mewo'; the nearest: meow"
    assert play(bench).message == "give either a number from 1 to 255 or a name"
    assert play(bench, number=1, name="meow").message == "give either a number from 1 to 255 or a name"


def test_sounds_are_switched_off_and_on(bench: Bench) -> None:
    done = bench.call(SetBool, "enable_sounds", SetBool.Request(data=False))
    assert (done.success, done.message) == (True, "sounds off, confirmed by the robot")
    assert "enable_sounds" in play(bench, number=58).message
    assert bench.call(SetBool, "enable_sounds", SetBool.Request(data=True)).success
    assert play(bench, number=58).success


# --- auxiliary ports -------------------------------------------------------------------------------------------


def write(bench: Bench, port: int, data: bytes) -> Any:
    return bench.call(AuxWrite, "aux_write", AuxWrite.Request(port=port, data=data))


def read(bench: Bench, port: int, **fields: Any) -> Any:
    return bench.call(AuxRead, "aux_read", AuxRead.Request(port=port, **fields))


def text(inbox: Any) -> bytes:
    return b"".join(bytes(message.data) for message in inbox.messages)


def test_aux_services_exchange_bytes_with_a_device(bench: Bench) -> None:
    written = write(bench, 1, b"?V\r")
    assert (written.success, written.written, written.message) == (True, 3, "AUX1: 3 bytes handed to the line")
    answer = read(bench, 1, count=5, timeout=10.0)
    assert (answer.success, bytes(answer.data)) == (True, b"12.4\r")
    assert bench.robot.values(Command.TTY2).count(b"?V\r") == 1


def test_aux_topics_carry_a_stream_in_both_directions(bench: Bench) -> None:
    sent = bytes(range(100))
    inbox = bench.listen(AuxData, "aux2/rx")
    for start in range(0, 100, 10):
        bench.publish("aux2/tx", AuxData(data=sent[start : start + 10]))
    bench.wait_until(lambda: len(text(inbox)) >= 100)
    assert text(inbox) == sent
    assert inbox.last.header.frame_id == "base_link"
    assert inbox.last.header.stamp.sec > 0


def test_a_missing_aux_port_is_refused_with_the_range(bench: Bench) -> None:
    answer = write(bench, 3, b"x")
    assert (answer.success, answer.written) == (False, 0)
    assert answer.message == "AUX3: AmigoBot (AmigOS) has no TTY4"
    assert read(bench, 0, count=1).message == "port is 0, allowed: 1 to 3"
    assert "aux3/tx" not in {name for name, _ in bench.client.node.get_topic_names_and_types()}


# --- digital and analog ports ----------------------------------------------------------------------------------


def set_outputs(bench: Bench, mask: int, states: int) -> Any:
    return bench.call(SetDigitalOutputs, "set_digital_outputs", SetDigitalOutputs.Request(mask=mask, states=states))


def select(bench: Bench, port: int) -> Any:
    return bench.call(SelectAnalogInput, "select_analog_input", SelectAnalogInput.Request(port=port))


def test_digital_outputs_are_set_as_the_response_says(bench: Bench) -> None:
    done = set_outputs(bench, 0b101, 0b101)
    assert (done.success, done.outputs) == (True, 0b101)
    assert done.message == "outputs 0x05, confirmed by the robot"
    assert bench.client.receive(IoState, "io").digital_outputs == 0b101
    done = set_outputs(bench, 0b001, 0b000)
    assert (done.success, done.outputs) == (True, 0b100)


def test_the_selected_analog_port_is_confirmed_and_published(bench: Bench) -> None:
    done = select(bench, 3)
    assert (done.success, done.message) == (True, "analog port 3, confirmed by the robot")
    state = bench.client.receive(IoState, "io")
    assert state.selected_port == 3
    assert state.selected_analog == pytest.approx(5.0, abs=0.02)
    assert state.header.frame_id == "base_link"


def test_io_packets_bring_every_analog_input_in_volts(bench: Bench) -> None:
    assert list(bench.client.receive(IoState, "io").analog) == []
    bench.parameter("io_stream", True)
    inbox = bench.listen(IoState, "io")
    bench.wait_until(lambda: len(inbox) and len(inbox.last.analog) == 5)
    assert list(inbox.last.analog[:4]) == pytest.approx([2.5, 0.0, 5.0, 1.25], abs=0.02)
    assert not math.isnan(inbox.last.selected_analog)
    bench.parameter("analog_volts_per_count", 0.01)
    bench.wait_until(lambda: inbox.last.analog[0] == pytest.approx(5.12, abs=0.02))
    assert bench.diagnostic("streams", fresh=True).message == "received: IOpac"
    bench.parameter("io_stream", False)
    bench.wait_until(lambda: not inbox.last.analog)


# --- the protocol ----------------------------------------------------------------------------------------------


def send(bench: Bench, number: int, *argument: int, text: bytes = b"") -> Any:
    request = SendCommand.Request(number=number, argument=list(argument), text=list(text))
    return bench.call(SendCommand, "send_command", request)


def test_raw_commands_are_refused_until_they_are_allowed(bench: Bench) -> None:
    assert bench.parameter("allow_raw_commands", False).successful
    done = send(bench, Command.SONAR.number, 1)
    assert (done.success, "allow_raw_commands" in done.message) == (False, True)


def test_every_frame_is_published_both_ways_to_a_subscriber(bench: Bench) -> None:
    inbox = bench.listen(Packet, "packets")
    bench.wait_until(lambda: len(inbox))
    bench.parameter("allow_raw_commands", True)
    assert bench.parameter("publish_tf", False).successful, "a change of another parameter must not end the frames"
    send(bench, 200, text=b"ab")
    bench.wait_until(lambda: any(packet.id == 200 for packet in inbox.messages))
    raw = next(packet for packet in inbox.messages if packet.id == 200)
    assert (raw.to_robot, raw.name, bytes(raw.data)) == (True, "command 200", b"\xc8\x2b\x02ab")
    bench.wait_until(lambda: any(not packet.to_robot for packet in inbox.messages))
    sip = next(packet for packet in inbox.messages if not packet.to_robot)
    assert sip.name in ("Sip", "Config")
    bench.wait_until(lambda: any(packet.name == "PULSE" for packet in inbox.messages))
    pulse = next(packet for packet in inbox.messages if packet.name == "PULSE")
    assert (pulse.to_robot, decode(bytes(pulse.data))) == (True, Command.PULSE())
