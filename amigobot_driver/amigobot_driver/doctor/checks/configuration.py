# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The CONFIG packet of the robot against the settings of a new one: what differs, in words."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping

from ...protocol import BAUD_RATES, Parameters
from ...robot.monitors.braking import slow_stops
from ...wording import counted
from ..check import Case, Stage, check
from ..finding import Cause, Finding, Severity

#: Of this one robot, or reported by other checks.
_OWN = {"name", "serial", "robot_class", "subclass", "type", "subtype", "host_baud", "baud_host", "version"}
_OWN |= {"subversion", "parameter_version"}
#: How many differences are shown; the values have all of them.
_SHOWN = 6


def _times(factor: float, unit: str) -> Callable[[int], str]:
    return lambda value: f"{value * factor:g} {unit}".rstrip()


def _baud(code: int) -> str:
    return f"{BAUD_RATES[code]} baud" if 0 <= code < len(BAUD_RATES) else f"code {code}"


#: What the fields mean, and how their values are written.
_WORDS: Mapping[str, tuple[str, Callable[[int], str]]] = {
    "watchdog": ("stops after silence of", _times(0.001, "s")),
    "low_battery": ("battery alarm below", _times(0.1, "V")),
    "shutdown_volts": ("switches off below", _times(0.1, "V")),
    "trans_vel_max": ("fastest", _times(0.001, "m/s")),
    "rot_vel_max": ("fastest turn", _times(1, "deg/s")),
    "trans_acc": ("acceleration", _times(0.001, "m/s2")),
    "trans_decel": ("deceleration", _times(0.001, "m/s2")),
    "rot_acc": ("acceleration of turns", _times(1, "deg/s2")),
    "rot_decel": ("deceleration of turns", _times(1, "deg/s2")),
    "rev_count": ("encoder ticks in one turn of the robot", _times(1, "")),
    "ticks_mm": ("encoder ticks per mm", _times(1, "")),
    "drift_factor": ("correction of the left wheel", _times(1, "/8192")),
    "stall_val": ("PWM that counts as a stall", _times(1, "")),
    "stall_count": ("rest after a stall", _times(0.001, "s")),
    "pwm_max": ("PWM of full power", _times(1, "")),
    "info_cycle": ("packets every", lambda value: f"{dict(enumerate((100, 50))).get(value, value)} ms"),
    "sonar_cycle": ("one ping every", _times(1, "ms")),
    "aux1_baud": ("AUX1 at", _baud),
    "aux2_baud": ("AUX2 at", _baud),
    "aux3_baud": ("AUX3 at", _baud),
    "front_sonar": ("front sonars", _times(1, "")),
    "rear_sonar": ("rear sonars", _times(1, "")),
    "has_gyro": ("gyro", _times(1, "")),
    "charger": ("docking charger", _times(1, "")),
    "gripper": ("gripper", _times(1, "")),
}


@check("configuration", Stage.CONNECTED)
def configuration(case: Case) -> Iterator[Finding]:
    """The settings of the robot are safe, and those of a new one."""
    snapshot = case.session.snapshot
    config = snapshot.config
    if config is None:
        text, again = "The robot does not answer CONFIG.", case.target.command()
        cause = Cause("bad-link", text, "Check cable and radio. Then:", again)
        yield Finding("configuration", Severity.WARNING, "no CONFIG packet came", (cause,))
        return
    yield from _dangers(case, config, (snapshot.commands.max_linear, snapshot.commands.max_angular))
    # Imported here: the simulator is a third of the time that the start takes, and at this point the robot is awaited.
    from ...sim.factory import factory_settings

    factory, reported = factory_settings(snapshot.profile), dict(config.values())
    common = [name for name in reported if name in factory and name not in _OWN]
    differing = [name for name in common if reported[name] != factory[name]]
    values = {"reported": {name: reported[name] for name in reported if name not in _OWN}, "differing": differing}
    if not differing:
        text = f"all {counted(len(common), 'setting')} are those of a new robot"
        yield Finding("configuration", Severity.OK, text, values=values)
        return
    lines = [_in_words(name, reported[name], factory[name]) for name in differing]
    more = (f"and {len(lines) - _SHOWN} more: amigobot doctor --json lists all",) if len(lines) > _SHOWN else ()
    text = f"{len(differing)} of {counted(len(common), 'setting')} not as in a new robot"
    yield Finding("configuration", Severity.NOTE, text, details=(*lines[:_SHOWN], *more), values=values)


def _dangers(case: Case, config: Parameters, limits: tuple[float, float]) -> Iterator[Finding]:
    """Settings with which the robot is not safe, or cannot drive; `limits` are those of the velocity, m/s and rad/s."""
    restore = f"amigobot config restore fixed.yaml --port {shlex.quote(case.target.url)}"
    if config.watchdog == 0:
        text = "WatchDog is 0: the robot drives on if this computer or the link fails."
        action = "Set WatchDog to 2000 ms with the maintenance tool of the robot (no command changes it). Then:"
        cause = Cause("watchdog-off", text, action, case.target.command())
        yield Finding("configuration", Severity.ERROR, "the watchdog of the robot is off", (cause,))
    if config.pwm_max == 0:
        action = "Set PwmMax with the maintenance tool of the robot. Then:"
        cause = Cause("no-power", "PwmMax is 0: the motors get no power.", action, case.target.command())
        yield Finding("configuration", Severity.ERROR, "the motors get no power: PwmMax is 0", (cause,))
    for text in slow_stops(config, limits):
        fixed = f"echo '{{trans_decel: 300, rot_decel: 50}}' > fixed.yaml && {restore}"
        cause = Cause("slow-stop", f"{text[0].upper()}{text[1:]}.", "Or until the connection ends:", fixed)
        yield Finding("configuration", Severity.ERROR, "the robot takes long to stop", (cause,))
    for name, word in (("trans_vel_max", "drive"), ("rot_vel_max", "turn")):
        if config.value(name) == 0:
            fixed = f"echo '{name}: {300 if word == 'drive' else 200}' > fixed.yaml && {restore}"
            cause = Cause("no-speed", f"{name} is 0: the robot cannot {word}.", "", fixed)
            yield Finding("configuration", Severity.ERROR, f"the robot cannot {word}: {name} is 0", (cause,))


def _in_words(name: str, reported: int | str, factory: int | str) -> str:
    words, shown = _WORDS.get(name, (name, str))
    if isinstance(reported, str) or isinstance(factory, str):
        return f"{words} {reported} (new: {factory})"
    return f"{words} {shown(reported)} (new: {shown(factory)})"
