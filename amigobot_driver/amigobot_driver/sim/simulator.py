"""One simulated robot as an object: bytes in, bytes out, and a clock that the caller holds.

    robot = Simulator(load_profile("amigo"), load_world("room"), seed=1)
    robot.receive(Command.PULSE().encode(), now=0.0)       # SYNC0
    robot.transmit(now=0.05)                               # its echo

Time is whatever the caller says, in s, and never runs backwards; an hour can pass in seconds. The same bytes
at the same times give the same answers, however often the simulator is asked in between.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass

from ..profiles import Profile, ProfileError
from ..protocol import BAUD_RATES, Command
from .auxiliary import AuxDevice, AuxPort, LoopBack
from .battery import BatteryModel
from .body import Body, Wear
from .bumpers import BumperRings
from .compass import CompassSensor
from .controller import TICK, Controller
from .dialect import dialect_for
from .erratic import ErraticFirmware, Revision, RevisionError, build_erratic, revision_names, revision_of
from .events import Listener, ignore
from .faults import FaultInjector, Faults
from .firmware import Firmware
from .flash import flash_of
from .floor import FloorSensors
from .gripper import GripperModel
from .gyro import GyroSensor
from .handshake import Session
from .hardware import Hardware
from .joystick import JoystickModel
from .line import Line, LineStats, Priority
from .pins import Pins
from .sonar import SonarModel, SonarRing
from .sounds import DEFAULT_PLAYLIST, Sound, SoundBoard
from .world import Pose, World, blocked
from .worlds import WorldError


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What the robot really does, which its packets do not show. World frame, m, rad, s."""

    time: float
    pose: Pose
    left_velocity: float
    right_velocity: float
    turn_rate: float
    touching: bool  #: a wall holds it


class Simulator:
    """A robot of the given profile in a world.

    `start` overrides where the world has a robot start, `baud` the profile's line speed, and 0 makes the line
    infinitely fast. `name` is what the robot calls itself, `charge` (0 to 1) what is left in its battery. `aux` plugs
    devices into the auxiliary ports, which otherwise loop back. With `refuse_low_battery` it does not answer a client
    below its alarm voltage, as one manual has it (docs/protocol.md E-34). `revision` says which of its firmwares an
    Erratic has, else its profile. `on_event` is told what happens, as it happens.

    Raises ProfileError, WorldError or RevisionError when the parts do not go together.
    """

    def __init__(
        self,
        profile: Profile,
        world: World | None = None,
        *,
        start: Pose | None = None,
        seed: int = 0,
        baud: int | None = None,
        name: str | None = None,
        charge: float = 1.0,
        refuse_low_battery: bool = False,
        wear: Wear | None = None,
        sonar: SonarModel | None = None,
        sounds: Mapping[int, Sound] | None = None,
        aux: Mapping[int, AuxDevice] | None = None,
        faults: Faults | None = None,
        revision: Revision | None = None,
        on_event: Listener = ignore,
    ) -> None:
        self.profile = profile
        self.world = world or World("empty")
        if start is not None:
            self.world = dataclasses.replace(self.world, start=start)
        dialect = dialect_for(profile.firmware)
        if not 0.0 <= charge <= 1.0:
            raise ProfileError(f"charge {charge}: what is left in the battery is between 0 and 1")
        body = Body(profile, self.world, wear or Wear(), f"{seed}")
        if blocked(body.footprint, self.world.start, self.world.segments):
            raise WorldError(f"world {self.world.name}: a {profile.name} does not fit where the robot starts")
        self.battery = BatteryModel(profile.battery, charge)
        self.pins = Pins(lambda: self.battery.volts)
        self.gripper = GripperModel()
        self.joystick = JoystickModel()
        self._fault_injector = FaultInjector(f"{seed}")
        self._fault_injector.faults = faults or Faults()
        self._line = Line(self._fault_injector, paced=baud != 0)
        if sounds is None:
            sounds = DEFAULT_PLAYLIST if dialect.knows(Command.SOUND) else {}
        devices = aux or {}
        hardware = Hardware(
            body=body,
            sonar=SonarRing(profile, body, self.world, sonar or SonarModel(), self._fault_injector, f"{seed}"),
            bumpers=BumperRings(profile, body),
            gyro=GyroSensor(body, f"{seed}"),
            floor=FloorSensors(profile, body, self.world, self._fault_injector),
            compass=CompassSensor(body),
            gripper=self.gripper,
            joystick=self.joystick,
            battery=self.battery,
            pins=self.pins,
            sounds=SoundBoard(sounds, lambda text: self._firmware.event("sound", text)),
            aux=tuple(AuxPort(number, devices.get(number) or LoopBack(), self._fault_injector) for number in (1, 2, 3)),
            line=self._line,
            fault_injector=self._fault_injector,
        )
        self._body = body
        code = _baud_code(baud) if baud else None
        self._firmware: Controller
        if profile.firmware == ErraticFirmware.LETTER:
            self._firmware = build_erratic(
                profile, revision or revision_of(profile), hardware, on_event, name=name, baud=code
            )
        else:
            if revision is not None:
                *names, last = revision_names()
                raise RevisionError(f"robot {profile.name}: {', '.join(names)} and {last} are for an Erratic")
            flash = flash_of(dialect.factory(profile), profile.name)
            if name is not None:
                flash.name = flash_of({"Name": name}, "the robot's name").name
            if code is not None:
                flash.host_baud = code
            self._firmware = Firmware(
                profile, dialect, flash, hardware, on_event, refuse_low_battery=refuse_low_battery
            )
        self._started: float | None = None
        self._ticks = 0

    # --- the line ------------------------------------------------------------------------------------------

    def receive(self, data: bytes, now: float) -> None:
        """The client writes `data` to the line at `now`."""
        self.advance(now)
        self._line.receive(data, now)

    def transmit(self, now: float) -> bytes:
        """The bytes that have reached the client by `now` since the last call."""
        self.advance(now)
        return self._line.collect(now)

    def next_event(self, now: float) -> float:
        """When `transmit` may next have bytes, if nothing is received until then; inf for never.

        Also when the port may be unplugged.
        """
        self.advance(now)
        arrival, soonest = self._line.next_arrival, self._ticks + 1
        faults = self.faults
        if self._line.bytes_in_transit or self._firmware.busy or faults.babble or faults.reset or faults.unplug:
            return min(arrival, self._tick_time(soonest))
        sip = self._firmware.telemetry.next_due
        if math.isinf(sip):
            return arrival
        # The SIP is made by the tick that its time rounds to, not at a fraction of a nanosecond before.
        tick = round((sip - self._tick_time(0)) / TICK)
        return min(arrival, self._tick_time(max(tick, soonest)))

    def advance(self, now: float) -> None:
        """Let time pass until `now`."""
        if self._started is None:
            self._started = now
        # Each tick's time comes from its number, so that no call pattern and no rounding moves it.
        while (due := self._tick_time(self._ticks + 1)) <= now:
            self._ticks += 1
            self._misfortune(due)
            self._firmware.tick(due)

    def _misfortune(self, now: float) -> None:
        faults, since = self.faults, self._ticks * TICK
        if faults.reset is not None and faults.reset.begins(since - TICK, since):
            self._firmware.reset()
        self._body.jammed = faults.jam is not None and faults.jam.covers(since)
        self._line.severed = faults.silence is not None and faults.silence.covers(since)
        text = self._fault_injector.babble(TICK)
        if text:
            self._line.send(text, Priority.ANSWER, now)

    @property
    def faults(self) -> Faults:
        """What goes wrong; may be replaced at any time. Its windows count from the first call with a time."""
        return self._fault_injector.faults

    @faults.setter
    def faults(self, faults: Faults) -> None:
        self._fault_injector.faults = faults

    @property
    def unplugged(self) -> bool:
        """Whether the port that the robot is reached through is gone, as of the last tick."""
        return self.faults.unplug is not None and self.faults.unplug.covers(self._ticks * TICK)

    def _tick_time(self, number: int) -> float:
        return (self._started or 0.0) + number * TICK

    @property
    def byte_time(self) -> float:
        """s that one byte takes on the line, 0 for no time."""
        return self._line.byte_time

    @property
    def bytes_in_transit(self) -> int:
        """Bytes received that the robot has not heard yet; a caller with more to give may want to wait."""
        return self._line.bytes_in_transit

    @property
    def line_stats(self) -> LineStats:
        """What the robot has sent, and what found no room on the line."""
        return self._line.stats

    @property
    def lost_commands(self) -> int:
        """Commands that found the controller's buffer full, since its last reset."""
        return self._firmware.lost_commands

    def set_client_baud(self, baud: int | None) -> None:
        """The speed of the client's port: any but the robot's makes noise of every byte. None: ignored."""
        self._line.client_baud = baud

    # --- what a person beside the robot does ---------------------------------------------------------------

    def press_motors_button(self) -> None:
        """Toggle the motors, as the button on the robot does during a session."""
        self._firmware.press_motors_button()

    def reset(self) -> None:
        """Press RESET: the session and all counters are gone, and the robot does not listen for a second."""
        self._firmware.reset()

    def disconnect(self) -> None:
        """The connection under the session ended (a closed TCP socket): so does the session."""
        self._firmware.close("the connection ended")

    @property
    def session(self) -> Session:
        """Whether a client has synchronised and opened."""
        return self._firmware.session

    @property
    def truth(self) -> Truth:
        """Where the robot really is and how it moves, as of the last tick."""
        body = self._body
        return Truth(
            time=self._tick_time(self._ticks),
            pose=body.pose,
            left_velocity=body.left.velocity,
            right_velocity=body.right.velocity,
            turn_rate=body.turn_rate,
            touching=body.touching,
        )


def _baud_code(baud: int) -> int:
    if baud not in BAUD_RATES:
        raise ProfileError(f"baud {baud} is none of 0, {', '.join(map(str, BAUD_RATES))}")
    return BAUD_RATES.index(baud)
