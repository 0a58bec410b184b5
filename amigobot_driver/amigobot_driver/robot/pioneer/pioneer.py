"""What a Pioneer has beside an AmigoBot, as one part of the robot: there with every robot, and silent with most."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...profiles import Profile
from ...protocol import Command, Packet, Parameters
from ..events import Event
from ..feature import Feature
from ..options import Options
from ..parts.blind import Blind
from ..parts.streams import COMPASS, GRIPPER, JOYSTICK, Streams
from . import compass, joystick
from .bumpers import STALLS, Bumpers
from .charger import Charger
from .compass import CompassInSip
from .gripper import Gripper, fitted
from .reset import Reset


class Pioneer(Feature):
    """Bumpers, compass, gripper, joystick, docking charger, and the reset of the controller."""

    def __init__(self, profile: Profile, streams: Streams, blind: Blind, lacks: Callable[[Command], str]) -> None:
        self.bumpers = Bumpers(profile)
        self.gripper = Gripper(profile, lacks)
        self.charger = Charger(lacks)
        self.reset = Reset(lacks)
        self._compass = CompassInSip(lacks)
        self._streams = streams
        self._blind = blind
        self._lacks = lacks
        self._bumper_stall: int | None = None
        #: in the order in which they may speak: this one before the blind part, the compass behind the streams
        self.features = (self, self.gripper, self.charger, self.reset, self._compass)

    def adopt(self, profile: Profile) -> None:
        """The robot is of this profile."""
        self.bumpers.adopt(profile)
        self.gripper.adopt(profile)

    def arrange(self, options: Options, config: Parameters | None, now: float) -> None:
        """What the options say, and CONFIGpac, if it has come."""
        self._streams.want(COMPASS, options.compass == "packets", now)
        self._streams.want(GRIPPER, options.gripper_stream and config is not None and fitted(config), now)
        self._streams.want(JOYSTICK, options.joystick_stream, now)
        self._compass.want(options.compass == "sip", now)
        before, self._bumper_stall = self._bumper_stall, STALLS.get(options.bumper_stall)
        if self._bumper_stall != before:
            self._set_bumper_stall()

    def perceive(self, packet: Packet, stamp: float) -> Iterator[Event]:
        """Take a packet with the values of the time `stamp`."""
        yield from self.bumpers.perceive(packet, stamp)
        yield from self.gripper.perceive(packet, stamp)
        yield from compass.perceive(packet, stamp)
        yield from joystick.perceive(packet, stamp)

    def begin(self, now: float) -> None:
        self._set_bumper_stall()

    def _set_bumper_stall(self) -> None:
        if self._bumper_stall is not None and not self._lacks(Command.BUMPSTALL):
            self._blind.want(Command.BUMPSTALL, Command.BUMPSTALL(self._bumper_stall))
