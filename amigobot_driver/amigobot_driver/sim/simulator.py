# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""One simulated robot as an object: bytes in, bytes out, and a clock that the caller supplies.

    robot = Simulator(load_profile("amigo"), load_world("room"), seed=1)
    robot.receive(Command.PULSE().encode(), now=0.0)       # SYNC0
    robot.transmit(now=0.05)                               # its echo

Times are in s on the caller's clock and never run backwards; an hour can pass in seconds. The same bytes at the
same times give the same answers, regardless of how often the simulator is asked in between.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ..profiles import Profile, ProfileError
from ..protocol import BAUD_RATES, Command, ErraticConfig, TuningValues
from .activmedia.dialect import dialect_for
from .activmedia.firmware import ActivMediaFirmware
from .activmedia.flash import ActivMediaFlash
from .auxiliary import LoopBack, SimulatedAuxPort
from .battery import BatteryModel
from .body import SimulatedBody, Wear
from .controller import TICK, Controller, Hardware
from .erratic.firmware import ErraticFirmware
from .erratic.flash import ErraticFlash
from .events import Listener, SessionState, ignore
from .faults import FaultInjector, Faults
from .fields import OptionError, readable_values
from .line import SimulatedLine
from .modem import RadioModem
from .pins import Pins
from .sonar import SonarModel, SonarRing
from .sounds import DEFAULT_PLAYLIST, SoundBoard
from .world import Scene, World, WorldPose, blocked
from .worlds import WorldError


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The true state of the robot, which its packets do not show."""

    time: float  #: s, on the caller's clock
    pose: WorldPose  #: in the world's frame, m and rad
    left_velocity: float  #: m/s at the rim of the wheel
    right_velocity: float  #: m/s at the rim of the wheel
    turn_rate: float  #: rad/s, counter-clockwise, without slip
    touching: bool  #: whether a wall stops the robot


class Simulator:
    """A robot of the given profile in a world.

    `battery` and `pins` are for the environment to change; `place` moves the
    robot and `replace_world` the walls; `profile` is fixed.
    """

    def __init__(
        self,
        profile: Profile,
        world: World | None = None,
        *,
        start: WorldPose | None = None,
        seed: int = 0,
        baud: int | None = None,
        name: str | None = None,
        charge: float = 1.0,
        wear: Wear | None = None,
        sonar: SonarModel | None = None,
        sounds: Mapping[int, str] | None = None,
        aux: Mapping[int, LoopBack] | None = None,
        faults: Faults | None = None,
        on_event: Listener = ignore,
    ) -> None:
        """Put the robot into its world and switch it on.

        Args:
            profile: The robot model.
            world: The world; None is an empty one.
            start: Pose of the robot at the beginning, m and rad; None is the world's.
            seed: Seed of everything random.
            baud: Line speed in baud; None is the profile's, 0 transfers bytes in no time.
            name: Name that the robot reports; None is the profile's.
            charge: Remaining charge of the battery, 0 to 1.
            wear: How the wheels differ from the profile; None for no difference.
            sonar: Errors of the sonars; None is the default model.
            sounds: Names of the playlist in FLASH by number; None is the default one.
            aux: Devices on the auxiliary ports, by port number from 1; other ports loop back.
            faults: Faults to inject; None for none.
            on_event: Called with each event as it happens.

        Raises:
            ProfileError: `baud` or `charge` is not allowed.
            OptionError: A FLASH value of the profile, `name` or a fault is not allowed.
            WorldError: The robot does not fit at its start.
        """
        self.profile, world = profile, world or World("empty")
        if start is not None:
            if world.encloses(world.start) and not world.encloses(start):
                raise WorldError(f"world {world.name}: the start is {start.x:g},{start.y:g}, outside of its walls")
            world = dataclasses.replace(world, start=start)
        if not 0.0 <= charge <= 1.0:
            raise ProfileError(f"charge is {charge:g}, allowed: 0 (empty) to 1 (full)")
        if baud and baud not in BAUD_RATES:
            raise ProfileError(f"baud is {baud}, allowed: 0 (no limit), {', '.join(map(str, BAUD_RATES))}")
        if sounds is None:
            sounds = DEFAULT_PLAYLIST if dialect_for(profile.firmware).supports(Command.SOUND) else {}
        self._scene = Scene(world)
        injector = FaultInjector(f"{seed}", faults or Faults())
        body = SimulatedBody(profile, self._scene, wear or Wear(), injector, f"{seed}")
        self.battery = BatteryModel(profile.battery, charge)
        devices = aux or {}
        self._hardware = hardware = Hardware(
            line=SimulatedLine(injector, paced=baud != 0, delay=profile.physics.command_delay),
            body=body,
            sonar=SonarRing(body, sonar or SonarModel()),
            battery=self.battery,
            pins=Pins(lambda: self.battery.volts * profile.physics.battery_divider),
            sounds=SoundBoard(sounds, lambda text: self._firmware.event("sound", text)),
            aux=[SimulatedAuxPort(number, devices.get(number) or LoopBack()) for number in (1, 2, 3)],
        )
        self._line, self._body, self.pins = hardware.line, body, hardware.pins
        self.faults = injector.faults
        self._check_room(world.start, world)
        self._modem = RadioModem()
        self._firmware = _switched_on(profile, hardware, on_event, name, BAUD_RATES.index(baud) if baud else None)
        self._started: float | None = None
        self._robots = [self]  #: the robots in this world, whose control cycles run in turn
        self._ticks = 0
        self._deaf_until = math.inf  #: s since the start, end of the fault `deaf_after_loss`; inf without it

    # --- the line ------------------------------------------------------------------------------------------

    def receive(self, data: bytes, now: float) -> None:
        """Write the client's bytes to the line.

        Args:
            data: What the client sends.
            now: Time in s.
        """
        self.advance(now)
        self._line.receive(self._modem.to_robot(data, now) if self.faults.modem else data, now)

    def transmit(self, now: float) -> bytes:
        """Return the bytes that have reached the client since the last call.

        Args:
            now: Time in s.
        """
        self.advance(now)
        data = self._line.collect(now)
        return self._modem.to_client(data, now) if self.faults.modem else data

    def next_event(self, now: float) -> float:
        """Return when `transmit` may next have bytes or the port may be unplugged, if nothing is received before.

        Args:
            now: Time in s.

        Returns:
            Time in s; inf for never.
        """
        self.advance(now)
        arrival, soonest = min(self._line.next_arrival, self._modem.next_text_due), self._ticks + 1
        faults = self.faults
        if self._line.bytes_in_transit or self._firmware.busy or faults.reset or faults.unplug:
            return min(arrival, self._tick_time(soonest))
        sip = self._firmware.telemetry.next_due
        if math.isinf(sip):
            return arrival
        # The tick nearest to the due time builds the SIP, even if rounding puts it a little earlier.
        tick = round((sip - self._tick_time(0)) / TICK)
        return min(arrival, self._tick_time(max(tick, soonest)))

    def advance(self, now: float) -> None:
        """Run all control cycles that end by `now` (s), those of the other robots in the same world included."""
        for robot in self._robots:
            robot.start(now)
        # The end of the next cycle of each: all were started at the same time.
        while self._tick_time(self._ticks + 1) <= now:
            for robot in self._robots:
                robot._tick()

    def start(self, now: float) -> None:
        """Begin to count control cycles at `now` (s), unless they are counted already."""
        if self._started is None:
            self._started = self._firmware.now = now
            if self.faults.left_open and isinstance(self._firmware, ActivMediaFirmware):
                self._firmware.leave_open(self.faults.left_open)

    def _tick(self) -> None:
        """Run the next control cycle."""
        self._ticks += 1
        self._apply_faults()
        self._firmware.tick(self._tick_time(self._ticks))

    def share_world(self, robots: list[Simulator]) -> None:
        """Join robots that have the same walls: each detects the others, and to advance one of them advances all.

        Args:
            robots: Those that have joined; this one is added. None may have been advanced before.

        Raises:
            WorldError: Another robot is where this one starts.
        """
        self._robots = robots
        self._scene.others = lambda *around: [
            side for other in robots if other is not self for side in other._body.outline_near(*around)
        ]
        robots.append(self)
        for robot in robots:  # a robot within another one does not detect it
            robot._check_room(robot._body.pose, robot.world)

    def _apply_faults(self) -> None:
        faults, since = self.faults, self._ticks * TICK
        if faults.reset is not None and faults.reset.begins(since - TICK, since):
            self._firmware.reset()
        self._body.jammed = faults.jam is not None and faults.jam.covers(since)
        if since > self._deaf_until:
            self._deaf_until = math.inf
            self._firmware.close("the watchdog ended the session of a client that was lost")
        silent = faults.silence is not None and faults.silence.covers(since)
        self._line.interrupted = silent or not math.isinf(self._deaf_until)

    @property
    def faults(self) -> Faults:
        """The injected faults; may be replaced at any time. Their windows count from the first call with a time."""
        return self._body.faults

    @faults.setter
    def faults(self, faults: Faults) -> None:
        faulty, count = faults.dead_sonars | faults.mute_sonars | faults.stuck_sonars, len(self.profile.sonar.poses)
        if max(faulty, default=-1) >= count:
            raise OptionError(f"sonar of a fault is {max(faulty)}, allowed: below {count}, the number of its sonars")
        self._body.injector.faults = faults

    @property
    def unplugged(self) -> bool:
        """Whether the fault `unplug` removes the client's port, as of the last tick."""
        return self.faults.unplug is not None and self.faults.unplug.covers(self._ticks * TICK)

    def _tick_time(self, number: int) -> float:
        """Return the end of a control cycle (s) from its number: neither call pattern nor rounding moves it."""
        return (self._started or 0.0) + number * TICK

    @property
    def byte_time(self) -> float:
        """Seconds that one byte takes on the line; 0 if bytes take no time."""
        return self._line.byte_time

    @property
    def bytes_in_transit(self) -> int:
        """Number of the client's bytes that have not reached the robot yet; used for flow control."""
        return self._line.bytes_in_transit

    def set_client_baud(self, baud: int | None) -> None:
        """Set the speed of the client's port, at which it sends and receives.

        Args:
            baud: Any speed but the robot's turns every byte into noise; None ignores the client's speed.
        """
        self._line.client_baud = baud

    # --- the robot's buttons and its connection -------------------------------------------------------------

    def press_motors_button(self) -> None:
        """Press the button for the motors: toggles them during a session (an Erratic's switches them off)."""
        self._firmware.press_motors_button()

    def reset(self) -> None:
        """Press RESET: session and counters are lost, and the robot ignores all bytes while it boots."""
        self._firmware.reset()

    def open_port(self) -> None:
        """Open the client's serial port: its DTR signal rises (fault `reset_on_open`)."""
        if self.faults.reset_on_open:
            self._firmware.now = self._tick_time(self._ticks)
            self._firmware.reset(self.faults.reset_on_open)

    def close_port(self) -> None:
        """Close the client's serial port, in mid-session for example (fault `deaf_after_loss`)."""
        if self.faults.deaf_after_loss and self.session is SessionState.OPEN:
            self._deaf_until = self._ticks * TICK + self._firmware.tuning.watchdog / 1000

    def disconnect(self) -> None:
        """End the session, as a closed TCP connection does."""
        self._firmware.close("the connection ended")

    # --- the world -----------------------------------------------------------------------------------------

    def place(self, pose: WorldPose) -> None:
        """Carry the robot to another pose (m and rad in the world's frame); its wheels do not turn.

        Raises:
            WorldError: The robot does not fit there.
        """
        self._check_room(pose, self.world)
        self._body.pose = pose

    def lift(self, up: bool) -> None:
        """Take the wheels off the floor, or put them down: lifted wheels turn and the body stays (`verify` does)."""
        self._body.lifted = up

    @property
    def world(self) -> World:
        """Walls, furniture and areas without a floor."""
        return self._scene.world

    def replace_world(self, world: World) -> None:
        """Replace the world; the robot stays where it is.

        Raises:
            WorldError: A wall would be inside the robot.
        """
        self._check_room(self._body.pose, world)
        self._scene.world = world

    def _check_room(self, pose: WorldPose, world: World) -> None:
        find = self._scene.others
        others = find(pose.x, pose.y, self.profile.body.radius) if find else []
        for what, segments in (("an obstacle", world.segments), ("another robot", others)):
            if blocked(self._body.footprint, pose, segments):
                place = f"x {pose.x:.2f} m, y {pose.y:.2f} m, {math.degrees(pose.heading):.0f} deg"
                raise WorldError(f"world {world.name}: {what} would be inside the {self.profile.name} at {place}")

    @property
    def session(self) -> SessionState:
        """The state of the client's session."""
        return self._firmware.session

    @property
    def truth(self) -> Truth:
        """True pose and velocity, as of the last tick."""
        body = self._body
        return Truth(
            time=self._tick_time(self._ticks),
            pose=body.pose,
            left_velocity=body.left.velocity,
            right_velocity=body.right.velocity,
            turn_rate=body.turn_rate,
            touching=body.touching,
        )


def _switched_on(
    profile: Profile, hardware: Hardware, on_event: Listener, name: str | None, baud_code: int | None
) -> Controller[Any]:
    """Return the controller of a new robot, booted.

    Args:
        profile: The robot model.
        hardware: What the controller is connected to.
        on_event: Called with each event as it happens.
        name: Name that the robot reports; None is the profile's.
        baud_code: Code of the line speed; None is the profile's.

    Raises:
        OptionError: A FLASH value of the profile, or the name, is not allowed.
    """
    values = {**profile.flash, **({} if name is None else {"Name": name})}
    baud = {} if baud_code is None else {"host_baud": baud_code}
    if profile.erratic:
        known = {"wheel_diameter": profile.body.wheel_diameter, "track": profile.body.track}
        known["shutdown_volts"] = 10 * profile.battery.cutoff
        flash = ErraticFlash.read(profile.name, values, **known, **baud)
        return ErraticFirmware(profile, flash, hardware, on_event)
    settings = dialect_for(profile.firmware).new_flash(profile, values, **baud)
    return ActivMediaFirmware(profile, settings, hardware, on_event)


def flash_of(config: TuningValues, names: Collection[str] | None = None) -> dict[str, int | str]:
    """Return the FLASH values that a CONFIG packet shows, by the manual's keywords.

    Args:
        config: The packet; values that no simulated FLASH can have are left out.
        names: Fields of the packet that are of interest; None for all.
    """
    return readable_values(ErraticFlash if isinstance(config, ErraticConfig) else ActivMediaFlash, config, names)
