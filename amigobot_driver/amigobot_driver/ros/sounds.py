"""The sound services. A response has what the robot reported, or why it plays nothing."""

from __future__ import annotations

from rclpy.node import Node
from std_srvs.srv import SetBool

from amigobot_msgs.msg import Sound
from amigobot_msgs.srv import ListSounds, PlaySound, Say

from ..driver import Driver
from ..robot import Outcome
from ..robot.devices.sounds import MAX_TONES, TONE_STEP, is_group
from ..wording import counted
from .parameters import NodeParameters
from .requests import await_result, fill_response, service_factory


class SoundServices:
    """Serves play_sound, list_sounds, enable_sounds and say."""

    def __init__(self, node: Node, driver: Driver, parameters: NodeParameters) -> None:
        self._node = node
        self._driver = driver
        self._parameters = parameters
        create_service = service_factory(node)
        create_service(PlaySound, "play_sound", self._play)
        create_service(ListSounds, "list_sounds", self._list)
        create_service(SetBool, "enable_sounds", self._enable)
        create_service(Say, "say", self._say)

    async def _play(self, request: PlaySound.Request, response: PlaySound.Response) -> PlaySound.Response:
        if bool(request.number) == bool(request.name):
            return fill_response(response, Outcome(False, "give either a number from 1 to 255 or a name"))
        number = request.number
        if request.name:
            listed = await self._playlist(refresh=False)
            try:
                with self._driver.robot() as robot:
                    number = robot.sounds.find(request.name)
            except LookupError as error:
                # The name may be missing because the playlist is incomplete.
                return fill_response(response, Outcome(False, str(error) if listed.success else listed.message))
        with self._driver.robot() as robot:
            pending = robot.sounds.play(number, self._driver.clock())
        outcome = await await_result(self._node, pending)
        response.number = number if outcome.success else 0
        return fill_response(response, outcome)

    async def _list(self, request: ListSounds.Request, response: ListSounds.Response) -> ListSounds.Response:
        outcome = await self._playlist(request.refresh)
        with self._driver.robot() as robot:
            response.enabled, playlist = bool(robot.sounds.enabled), tuple(robot.sounds.playlist)
        response.sounds = [
            Sound(
                number=entry.number,
                name=entry.name,
                group=is_group(entry),
                offset=entry.offset,
                length=entry.length,
            )
            for entry in playlist
        ]
        return fill_response(response, outcome)

    async def _enable(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        with self._driver.robot() as robot:
            pending = robot.sounds.switch(request.data, self._driver.clock())
        return fill_response(response, await await_result(self._node, pending))

    async def _say(self, request: Say.Request, response: Say.Response) -> Say.Response:
        try:
            half_cycle = float(self._parameters["say_half_cycle"])
            tones = tone_pairs(list(request.durations), list(request.frequencies), half_cycle)
        except ValueError as error:
            return fill_response(response, Outcome(False, str(error)))
        with self._driver.robot() as robot:
            pending = robot.sounds.say(tones, self._driver.clock())
        return fill_response(response, await await_result(self._node, pending))

    async def _playlist(self, refresh: bool) -> Outcome:
        with self._driver.robot() as robot:
            pending = robot.sounds.list(refresh, self._driver.clock())
        return await await_result(self._node, pending)


def tone_pairs(durations: list[float], frequencies: list[float], half_cycle: float) -> bytes:
    """Encode tones as the text argument of the SAY command.

    Args:
        durations: Seconds of each tone.
        frequencies: Hz of each tone; 0 is a rest.
        half_cycle: Seconds per half-cycle count.

    Returns:
        Two bytes for each tone: duration and half-cycle, in counts.

    Raises:
        ValueError: A value does not fit a byte, or the lists have different or bad lengths.
    """
    if not 1 <= len(durations) == len(frequencies) <= MAX_TONES:
        raise ValueError(
            f"{counted(len(durations), 'duration')} and {counted(len(frequencies), 'frequency', 'frequencies')}: "
            f"equal numbers are required, 1 to {MAX_TONES}"
        )
    lowest, highest = 1 / (2 * 255 * half_cycle), 1 / (2 * half_cycle)
    pairs = bytearray()
    for duration, frequency in zip(durations, frequencies, strict=True):
        steps = duration / TONE_STEP
        if not 0.5 <= steps < 255.5:
            raise ValueError(f"a duration is {duration:g} s, allowed: {TONE_STEP} to {255 * TONE_STEP:.1f} s")
        if not (frequency == 0 or lowest * 0.999 <= frequency <= highest * 1.001):
            raise ValueError(
                f"a frequency is {frequency:g} Hz, allowed: 0 (a rest) or {lowest:.1f} to {highest:.0f} Hz"
            )
        tone = round(1 / (2 * frequency * half_cycle)) if frequency else 0
        pairs += bytes((round(steps), min(tone, 255)))
    return bytes(pairs)
