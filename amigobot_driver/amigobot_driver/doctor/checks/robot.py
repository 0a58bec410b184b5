# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The session with the robot: does it open, who is the robot, and at which line speed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from ...profiles import choose_profile
from ...wording import robot_name
from ..check import Case, Stage, check
from ..connection import DriverConnection
from ..finding import Cause, Finding, Severity
from ..probe import SPEEDS
from ..target import Kind

#: s until a session is open, with the configuration: a CONFIG packet takes 0.1 s at 9600 baud and may be sent again.
_OPENING = 6.0
#: A profile for an Erratic whose checksum includes the count, as an argument of printf.
_COUNTED = r"extends: erratic\nname: mine\nquirks: {checksum_over_count: true}\n"


@check("session", Stage.ANSWERING)
def session(case: Case) -> Iterator[Finding]:
    """The robot opens a session and sends its state."""
    assert case.port is not None and case.probe is not None
    case.on_progress("opening a session")
    connection = case.connection = DriverConnection(
        case.target.url,
        case.port,
        baud=case.probe.baud,
        profile=case.profile,
        trace=case.trace,
        latest=case.began + case.limit,
    )
    running = connection.wait(_OPENING)
    snapshot = connection.snapshot
    if running or connection.opened:
        case.stage = Stage.CONNECTED
    if running:
        name = snapshot.identity.name if snapshot.identity else ""
        yield Finding("session", Severity.OK, f"{robot_name(name)} opened a session", values={"name": name})
        return
    again = case.target.command()
    if case.stage is Stage.CONNECTED:
        # It does not stay open; the checks of battery and link say why.
        yield Finding("session", Severity.NOTE, f"the session opened and ended: {snapshot.link.note}")
    elif connection.refused:
        text = "The robot answers and opens no session: by the AmigoBot manual its battery is below 11 V then."
        battery = Cause("battery-low", text, "Charge the battery. Then:", again)
        reset = Cause("no-session", "Its controller hangs.", "Press RESET on the robot. Then:", again)
        yield Finding("session", Severity.ERROR, "it answers and opens no session", (battery, reset))
    else:
        details = (f"the last attempt: {snapshot.link.note}",)
        yield Finding("session", Severity.ERROR, "no session opens", _no_session(case), details)


def _no_session(case: Case) -> tuple[Cause, ...]:
    """Why a robot that answers opens no session."""
    assert case.probe is not None
    again = case.target.command()
    if case.probe.counted:
        text = "The checksum of its packets includes the count byte; a profile must say so (docs/protocol.md, E-40)."
        command = f"printf '{_COUNTED}' > mine.yaml && {case.target.command(' --robot mine.yaml')}"
        return (Cause("checksum", text, "", command),)
    if case.probe.streaming:
        text = "Packets of the robot arrive, but it receives no command: the wire to it is broken."
    else:
        text = "The robot answered first, and then no more: packets are lost or late, or another program talks to it."
    link = Cause("bad-link", text, "Check cable and radio. Then:", again)
    if not case.profile:
        return (link,)
    wrong = f"It may be another robot than the profile {case.profile} is for."
    return Cause("wrong-profile", wrong, "Let the robot say what it is:", again), link


@check("identity", Stage.CONNECTED)
def identity(case: Case) -> Iterator[Finding]:
    """Which robot it is, and which profile the driver uses for it."""
    snapshot = case.session.snapshot
    who, profile = snapshot.identity, snapshot.profile
    if who is None:
        return
    firmware = snapshot.config.firmware_version if snapshot.config else ""
    text = f"{profile.description}, class {who.robot_class}/{who.subclass}"
    details = (f"profile {profile.name}: {snapshot.profile_reason}",)
    values = {
        "robot_class": who.robot_class,
        "subclass": who.subclass,
        "profile": profile.name,
        "firmware": firmware,
    }
    if profile.name == "generic":
        port = case.target.url
        cause = Cause(
            "unknown-robot",
            f"No profile is for the subclass {who.subclass}: distances and speeds may be wrong.",
            "Choose a profile; `amigobot describe --help` names all:",
            f"amigobot doctor {shlex.quote(port)} --robot p3dx",
        )
        yield Finding("identity", Severity.WARNING, text, (cause,), details, values)
        return
    reported, _ = choose_profile(who.robot_class, who.subclass)
    requested = profile.subclasses if case.profile else ()
    if requested and reported.name != "generic" and reported.subclasses != requested:
        wrong = (
            f"You ask for the profile {profile.name}, and the robot reports that it is another one: {reported.name}."
        )
        cause = Cause("wrong-profile", wrong, "Let the robot say what it is:", case.target.command())
        yield Finding("identity", Severity.WARNING, text, (cause,), details, values)
        return
    shown = f"{text}, firmware {firmware}" if firmware else text
    yield Finding("identity", Severity.OK, shown, details=details, values=values)


@check("line speed", Stage.CONNECTED, Kind.SERIAL)
def line_speed(case: Case) -> Iterator[Finding]:
    """The line speed is the one at which the driver looks first."""
    assert case.probe is not None
    found, profile = case.probe.baud, case.session.snapshot.profile
    expected = case.baud or profile.link.baud
    port = shlex.quote(case.target.url)
    if found == expected:
        if found != SPEEDS[0] and not case.baud:
            text = f"{found} baud is usual for this robot: start the driver with robot:={profile.name}"
            yield Finding("line speed", Severity.NOTE, text)
        return
    cause = Cause(
        "wrong-speed",
        f"The robot talks at {found} baud, not {expected}: the driver searches for up to 30 s at each start.",
        "Tell the driver the speed:",
        f"ros2 run amigobot_driver amigobot_node --ros-args -p port:={port} -p baud:={found}",
    )
    yield Finding("line speed", Severity.WARNING, f"{found} baud, not {expected}", (cause,))
