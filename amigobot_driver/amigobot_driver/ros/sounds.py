"""The sound services. A response has what the robot reported, or why it plays nothing."""

from __future__ import annotations

from rclpy.node import Node
from std_srvs.srv import SetBool

from amigobot_msgs.msg import Sound
from amigobot_msgs.srv import ListSounds, PlaySound, Say

from ..driver import Driver
from ..robot import Outcome
from ..robot.devices.sounds import is_group
from ..robot.devices.tones import tone_pairs
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
