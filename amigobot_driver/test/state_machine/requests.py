# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Requests that the robot confirms: each with the time it may take, and who judges its answer."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

from amigobot_driver.robot import (
    Outcome,
    Refused,
)
from amigobot_driver.robot.command_queue import MAX_ROUTINE
from amigobot_driver.robot.devices import (
    charger,
    controller_reset,
    digital_io,
    gripper,
    sonar_sequence,
    sounds,
    switch,
    working_values,
)

from .observed import LEEWAY, ObservedWorld
from .records import Request

#: s that each kind of request may take while the link is up.
BOUNDS = {
    "motors": switch.Switch.retries.duration,
    "sonar": switch.Switch.retries.duration,
    "sonar sequence": sonar_sequence.SonarSequence.retries.interval * (sonar_sequence.SonarSequence.retries.limit + 1),
    "tuning": working_values.RETRIES.duration,
    "digital outputs": digital_io.RETRIES.duration,
    "analog input": digital_io.RETRIES.duration,
    "sounds": 2 * sounds.SoundPlayer.retries.duration,  # one at a time: the switch waits for the playlist
    "play": 2 * sounds.SoundPlayer.retries.duration + sounds.QUIET,
    "say": sounds.SoundPlayer.retries.duration,
    "gripper": gripper.GripperControl.retries.duration,
    "charger": charger.Charger.retries.duration,
    "reset": controller_reset.ControllerReset.retries.duration,
}


class Requests(ObservedWorld):
    """How something is asked for."""

    def request(
        self,
        kind: str,
        text: str,
        action: Callable[[], Future[Outcome]],
        judge: Callable[[Outcome], str] = lambda outcome: "",
        *documented: type[Exception],
        bound: float | None = None,
        ends_with_session: bool = True,
    ) -> Request | Exception:
        """Ask for something; `judge` says what is wrong with the answer at the moment it comes."""
        future = self.call(action, Refused, *documented)
        if isinstance(future, Exception):
            return future
        own = BOUNDS[kind] if bound is None else bound
        queue = MAX_ROUTINE * self.robot.queue.spacing
        request = Request(
            kind, text, self.now, future, own + queue + LEEWAY, judge, ends_with_session=ends_with_session
        )

        def ended(future: Future[Outcome]) -> None:
            request.ended, request.outcome = self.now, future.result()
            request.wrong = request.judge(request.outcome)

        if kind == "reset":
            for other in self.requests:
                if other.kind == kind:
                    other.waited = 0.0  # both wait for the same reset, which begins anew
        self.requests.append(request)
        future.add_done_callback(ended)
        return request

    def _differs(self, outcome: Outcome, asked: float, subject: str, held: object, wanted: object) -> str:
        if not outcome.success or held == wanted or self.meddling.since(asked, subject):
            return ""
        return f"success, but at the robot it is {held}"
