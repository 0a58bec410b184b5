# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The computer's side of a target, before a byte is sent: the steps for each kind of port; the last one opens it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..errors import PortError
from . import network, serial_port
from .case import Case
from .finding import Cause, Finding, Severity
from .target import Kind


def simulated_robot(case: Case) -> Iterator[Finding]:
    """Open a simulated robot in this process."""
    try:
        case.open()
    except PortError as error:
        cause = Cause("no-port", f"{error}.", "", "amigobot doctor sim://")
        yield Finding("simulated robot", Severity.ERROR, "there is no such simulated robot", (cause,))
        return
    yield Finding("simulated robot", Severity.OK, "a simulated robot in this process")


#: The steps by kind of port; an error ends the examination.
STEPS: Mapping[Kind, tuple[Callable[[Case], Iterator[Finding]], ...]] = {
    Kind.SERIAL: (serial_port.port, serial_port.permission, serial_port.other_programs, serial_port.opening),
    Kind.NETWORK: (network.host_name, network.other_clients, network.connection),
    Kind.SIMULATED: (simulated_robot,),
}
