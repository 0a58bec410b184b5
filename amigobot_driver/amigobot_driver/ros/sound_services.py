# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The sound services. A response has what the robot reported, or why it plays nothing."""

from __future__ import annotations

from std_srvs.srv import SetBool

from amigobot_msgs.msg import Sound
from amigobot_msgs.srv import ListSounds, PlaySound, Say

from ..robot import Outcome, Robot, is_group
from .conversions import message_of
from .interface import Answer, Interface, fill_response, refuse, robot_service, service


class SoundServices(Interface):
    """Serves the sounds of the robot."""

    @service(PlaySound, "play_sound")
    async def _play(self, request: PlaySound.Request, response: PlaySound.Response) -> PlaySound.Response:
        if bool(request.number) == bool(request.name):
            return refuse(response, "give either a number from 1 to 255 or a name")
        number = request.number
        if request.name:
            listed = await self._playlist(refresh=False)
            try:
                number = self._context.call(lambda robot, now: robot.sounds.find(request.name))
            except LookupError as error:
                # The name may be missing because the playlist is incomplete.
                return refuse(response, str(error) if listed.success else listed.message)
        outcome = await self.outcome(lambda robot, now: robot.sounds.play(number, now))
        response.number = number if outcome.success else 0
        return fill_response(response, outcome)

    @service(ListSounds, "list_sounds")
    async def _list(self, request: ListSounds.Request, response: ListSounds.Response) -> ListSounds.Response:
        outcome = await self._playlist(request.refresh)
        enabled, playlist = self._context.call(lambda robot, now: (robot.sounds.enabled, robot.sounds.playlist))
        response.enabled = bool(enabled)
        response.sounds = [message_of(Sound, entry, group=is_group(entry)) for entry in playlist]
        return fill_response(response, outcome)

    @robot_service(SetBool, "enable_sounds")
    def _enable(self, robot: Robot, request: SetBool.Request, now: float) -> Answer:
        return robot.sounds.switch(request.data, now)

    @robot_service(Say, "say")
    def _say(self, robot: Robot, request: Say.Request, now: float) -> Answer:
        half_cycle = float(self._context.parameters["say_half_cycle"])
        return robot.sounds.say(list(request.durations), list(request.frequencies), half_cycle)

    async def _playlist(self, refresh: bool) -> Outcome:
        outcome: Outcome = await self.outcome(lambda robot, now: robot.sounds.list(refresh, now))
        return outcome
