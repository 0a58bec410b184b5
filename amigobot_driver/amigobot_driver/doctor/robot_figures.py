# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Figures of the robot: its settings, and every value of its packets, which a robot at rest keeps steady.

Plausible values stand in config/doctor.yaml (`settings`, `series`).
"""

from __future__ import annotations

import math
from functools import cached_property
from itertools import pairwise
from statistics import pstdev
from typing import Any, NamedTuple

from ..profiles import choose_profile
from ..protocol import Config, TuningValues
from ..protocol.erratic import Analog
from ..robot.devices.tuning import STOP_TIME, TUNABLE
from .own_session import ECHOED
from .recorded_session import Figures
from .table import ENOUGH, SETTLED, SOME, content, judge

_MANY = 5  #: settings that make no sense from which they have one cause
_POSE_RANGE = 1 << 15  #: values of a coordinate, after which they start again
_TURN = 4096  #: values of a heading
#: Faults that bits of the flags report.
_FLAGS = {6: "E-stall", 7: "a ledge", 8: "a ledge", 11: "over-temperature"}


class Setting(NamedTuple):
    """A setting that makes no sense."""

    name: str
    keyword: str  #: as FLASH parameter
    value: int
    text: str  #: what it does
    severe: bool
    restore: object  #: a value that a command can set until the connection ends; None


class RobotFigures(Figures):
    """Figures of the robot."""

    # -- identity and settings ----------------------------------------------------------------------------------------

    @property
    def other_profile(self) -> str:
        """The profile that the robot asks for, if the user asks for another one."""
        who, subclasses = self.raw.now.identity, self.raw.profile.subclasses if self.raw.requested else ()
        reported = choose_profile(who.robot_class, who.subclass)[0] if who else self.raw.profile
        differs = subclasses and reported.name != "generic" and reported.subclasses != subclasses
        return reported.name if differs else ""

    @cached_property
    def _outside(self) -> list[Setting]:
        """The settings outside their ranges."""
        found = []
        for name, row in content()["settings"].items():
            value, (low, high) = self.raw.reported.get(name), row["range"]
            if not isinstance(value, int) or low <= value <= high:
                continue
            unit, side = row.get("unit", ""), "below" if value < low else "above"
            effect = row.get("zero" if value == 0 else side) or row.get(side, "it makes no sense")
            text = f"{row['keyword']} is {value} {unit}".rstrip() + f": {effect}; sane: {low} to {high} {unit}".rstrip()
            severe = bool(row.get("error")) or (value == 0 and low > 0)
            found.append(Setting(name, row["keyword"], value, text, severe, row.get("restore")))
        return found

    @property
    def flash_lost(self) -> str:
        """So many settings make no sense that they have one cause."""
        texts = [setting.text for setting in self._outside]
        return f"{len(texts)} settings make no sense ({'; '.join(texts[:2])})" if len(texts) >= _MANY else ""

    @property
    def odd_settings(self) -> list[Setting]:
        """The settings that make no sense, each with a cause of its own."""
        slow = {setting.name for setting in self.slow_stops}
        return [] if self.flash_lost else [setting for setting in self._outside if setting.name not in slow]

    @property
    def slow_stops(self) -> list[Setting]:
        """Axes on which a stop from the velocity limit takes longer than `STOP_TIME`."""
        if self.raw.config is None or self.flash_lost:
            return []
        commands, found = self.raw.now.commands, []
        for name, limit, deceleration, unit in (
            ("trans_decel", 1000 * commands.max_linear, self.raw.config.trans_decel, "mm/s"),
            ("rot_decel", math.degrees(commands.max_angular), self.raw.config.rot_decel, "deg/s"),
        ):
            if limit > STOP_TIME * deceleration * (1 + 1e-6):
                takes = f"takes {limit / deceleration:.0f} s" if deceleration > 0 else "may never end"
                needed = math.ceil(max(TUNABLE[name].low, limit / STOP_TIME))
                text = f"a stop from {limit:.0f} {unit} {takes}: {name} is {deceleration} {unit}2, at least {needed} is"
                found.append(Setting(name, name, deceleration, f"{text} needed", True, needed))
        return found

    @property
    def _usual_ticks(self) -> float:
        """Encoder ticks for each mm of robots of this model; NaN: unknown."""
        return float(self.raw.profile.flash.get("TicksMM", 1e-3 / self.raw.profile.body.meters_per_tick()))

    @property
    def ticks_error(self) -> float:
        """Share by which the ticks differ from those of the model; 0: by no more than robots of the model do."""
        usual, amigo = self._usual_ticks, "amigo" in self.raw.profile.name
        error = (self.raw.reported.get("ticks_mm") or usual) / usual - 1
        return error if abs(error) > (0.15 if amigo else 0.35) else 0.0

    @property
    def track(self) -> float:
        """Distance of the wheels (mm) that RevCount means; 0: it is not set; that of the profile if it is not known."""
        body, config = self.raw.profile.body, self.raw.config
        if not isinstance(config, Config) or self.raw.profile.name == "generic":
            return 1000 * body.track
        # AROS reports no TicksMM; those of P2OS are not known.
        ticks = config.ticks_mm or (math.nan if self.raw.profile.firmware == "P" else self._usual_ticks)
        if math.isnan(ticks):
            return 1000 * body.track if config.rev_count else 0.0
        return 1000 * body.reported_track(config.rev_count, 1e-3 / ticks)

    @property
    def track_error(self) -> float:
        """Share by which this distance differs from that of the profile; 0: by no more than those of robots do."""
        error = self.track / (1000 * self.raw.profile.body.track) - 1
        return error if abs(error) > (0.35 if self.raw.profile.body.wheelbase else 0.15) else 0.0

    @cached_property
    def _configs(self) -> list[dict[str, Any]]:
        """The settings in each CONFIG."""
        return [dict(one.packet.values()) for one in self.raw.arrivals if isinstance(one.packet, TuningValues)]

    @property
    def changed_settings(self) -> list[str]:
        """The settings that differ in two CONFIGs, but for those that the doctor sets."""
        for name, first in self._configs[0].items() if self.raw.questions and self._configs else ():
            changed = [str(one[name]) for one in self._configs if one[name] != first and name not in ECHOED]
            if changed:
                keyword = content()["settings"].get(name, {}).get("keyword", name)
                return [f"{keyword} is {first} in one CONFIG, and {changed[0]} in another"]
        return []

    @property
    def unset(self) -> list[str]:
        """The accelerations of `ECHOED` that no CONFIG shows as they were set."""
        before = self.raw.reported
        sent = sum(bool(one.argument) and one.latency < math.inf for one in self.raw.questions)
        kept = [name for name in ECHOED if {one.get(name) for one in self._configs} == {before.get(name)}]
        top = min(before.get("trans_acc_top") or 1 << 15, (1 << 15) - 1)
        return kept if sent > 2 and all(0 < (before.get(name) or 0) <= top for name in ECHOED) else []

    @property
    def illegible(self) -> bool:
        """Whether class and subclass are bytes that nobody wrote."""
        who = self.raw.now.identity
        return who is not None and not f"{who.robot_class}{who.subclass}".isascii()

    # -- a robot at rest ----------------------------------------------------------------------------------------------

    @cached_property
    def poses(self) -> list[tuple[float, float, float]]:
        """The poses as the driver takes them: m, m, rad."""
        return [(one.odometry.x, one.odometry.y, one.odometry.yaw) for one in self.raw.reports]

    @property
    def moved(self) -> float:
        """The largest distance from the first pose, m."""
        return max((math.dist(self.poses[0][:2], pose[:2]) for pose in self.poses), default=0.0)

    @property
    def turned(self) -> float:
        """The largest angle from the first heading, deg."""
        angles = (math.remainder(pose[2] - self.poses[0][2], math.tau) for pose in self.poses)
        return max((abs(math.degrees(angle)) for angle in angles), default=0.0)

    @property
    def steps(self) -> list[float]:
        """How far (m) a position is from the one before, in packets: the driver does not take each jump."""
        unit, settled, steps = self.raw.profile.units.distance, self.raw.decoded[SETTLED:], []
        for a, b in pairwise(settled):
            x, y = (unit * math.remainder(late - early, _POSE_RANGE) for early, late in ((a.x, b.x), (a.y, b.y)))
            steps.append(math.hypot(x, y))
        return steps

    @property
    def turns(self) -> list[float]:
        """By how much (deg) a heading differs from the one before."""
        pairs = pairwise(self.raw.decoded[SETTLED:])
        return [math.remainder(b.heading - a.heading, _TURN) * 360 / _TURN for a, b in pairs]

    @property
    def flagged(self) -> str:
        """The faults in the flags of the packets that are not among `faults`."""
        flags = [sip.flags for sip in self.raw.decoded]
        rows = [(bit, name) for bit, name in _FLAGS.items() if name not in self.raw.faults]
        seen = [(bit, name) for bit, name in rows if sum(one >> bit & 1 for one in flags) >= SOME]
        return ", ".join(f"{name} (bit {bit} of the flags)" for bit, name in seen)

    @property
    def charge(self) -> float:
        """The charge by the voltage, from 0 to 1: what the robot itself reports may be wrong."""
        return self.raw.profile.battery.charge(self.raw.reports[-1].volts) if self.raw.reports else math.nan

    @property
    def falls(self) -> float:
        """By how many V the battery falls, in small steps and without a rise; 0 if it does not."""
        volts = [report.volts for report in self.raw.reports]
        steps = [early - late for early, late in pairwise(volts)]
        return volts[0] - volts[-1] if steps and max(steps) < 0.35 and min(steps) > -0.15 else 0.0

    @property
    def wheels(self) -> list[float]:
        """The speed of the faster wheel, m/s."""
        poses = [report.odometry for report in self.raw.reports]
        return [max(abs(pose.left_velocity), abs(pose.right_velocity)) for pose in poses]

    @property
    def has_bumpers(self) -> bool:
        """Whether the profile or the settings have bumpers."""
        bumpers, settings = self.raw.profile.bumpers, self.raw.reported
        of_profile = bumpers.front_segments or bumpers.rear_segments
        return bool(of_profile or settings["front_bumpers"] or settings["rear_bumpers"])

    # -- series of values: `fields` and `series` in config/doctor.yaml ------------------------------------------------

    @property
    def motor_currents(self) -> list[float]:
        """The larger current of the motors, A (Erratic)."""
        counts = [max(one.packet.analog[:2]) for one in self.raw.arrivals if isinstance(one.packet, Analog)]
        return [self.raw.profile.inputs.amps_per_count * count for count in counts]

    @property
    def missing_floors(self) -> list[int]:
        """Number of floor sensors without a floor (Erratic)."""
        floor, packets = self.raw.profile.floor, [one.packet for one in self.raw.arrivals]
        bits = range(floor.first_bit, floor.first_bit + len(floor.poses))
        inputs = [one.digital for one in packets if isinstance(one, Analog)]
        return [sum((one >> bit & 1) != floor.floor_is_high for bit in bits) for one in inputs]

    @property
    def gyro_noise(self) -> list[float]:
        """Standard deviation of the gyro, counts."""
        return [pstdev(self.raw.gyro)] if len(self.raw.gyro) >= ENOUGH else []

    @property
    def odd_fields(self) -> list[tuple[str, str]]:
        """The fields of packets whose values are wrong, and what is wrong with them."""
        rows = content()["fields"]
        return [(row["packet"].replace("_", "-"), text) for row in rows if (text := judge(row, self.raw))]
