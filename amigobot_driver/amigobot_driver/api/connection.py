# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What all parts of the Python API share: the driver, its lock, and how the result of a request is awaited."""

from __future__ import annotations

import math
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from .. import signals
from ..connection_policy import CONNECT_TIMEOUT
from ..driver import Driver
from ..errors import AmigoBotError, ConnectionFailedError, ConnectionLostError, RequestFailedError, RequestRefusedError
from ..packet_file import Head
from ..profiles import Profile
from ..robot import (
    FrameSeen,
    LinkChanged,
    LinkSnapshot,
    LinkState,
    Options,
    Outcome,
    Remedies,
    Robot,
    RobotSnapshot,
    take_snapshot,
)
from ..wording import wrong_type
from . import arguments
from .arguments import integer
from .event_streams import EventHub
from .recording import QUEUE_LENGTH, Recording
from .values import Identity

Result = TypeVar("Result", bound=Outcome)
Self = TypeVar("Self", bound="Connection")

#: s for which a port that cannot be opened is tried again: an adapter may have been plugged in just now.
_PORT_RETRY_TIME = 2.0
#: s that a request may take; most have a shorter limit of their own.
_REQUEST_LIMIT = 30.0
#: s after the motors are on within which every sonar has fired, if it fires at all.
_FIRST_ROUND = 1.5

_REMEDY = "is it switched on, is the cable in its serial port, is another program connected to it?"


class Connection:
    """A driver and its port. Ends with `close`, with its `with` block, or with the program."""

    _new_driver: Callable[..., Driver] = Driver  #: runs the robot; a subclass may have another, with the same interface
    #: the methods for the messages of the robot
    _remedies = Remedies("call enable_motors", "call clear_emergency_stop", "call enable_sounds")

    def __init__(
        self, port: str = "sim://", *, timeout: float = CONNECT_TIMEOUT, options: Options | None = None
    ) -> None:
        if not arguments.number("timeout", timeout) >= 0:
            raise RequestRefusedError(f"timeout is {timeout:g} s, allowed: at least 0 s")
        options = Options() if options is None else options
        if not isinstance(options, Options):
            raise RequestRefusedError(wrong_type("options", options, "Options(...)"))
        if not isinstance(port, str):
            raise RequestRefusedError(wrong_type("port", port, "a text such as '/dev/ttyUSB0'"))
        self._port = port
        self._closed = False
        self._signals = ExitStack()
        # The threads of the driver must not hold a reference to this object: then its last user closes it.
        self._hub = hub = EventHub(port)
        self._driver = hub.driver = driver = self._new_driver(Robot(options, self._remedies), port, hub.publish)
        self._at_exit = weakref.finalize(self, _close, driver, hub)
        try:
            driver.start()
            if timeout:
                self._connect(timeout)
        except BaseException:
            self.close()
            raise

    def __enter__(self: Self) -> Self:
        self._signals.enter_context(signals.raised())
        return self

    def __exit__(self, *exception: object) -> None:
        with self._signals:
            self.close()

    def __repr__(self) -> str:
        with self._driver.robot() as robot:
            return f"<{type(self).__name__} {self._port}: {'closed' if self._closed else robot.note}>"

    def close(self) -> None:
        """Stop the robot, switch its motors off, and close the session and the port. May be called twice.

        A signal that arrives meanwhile, such as Ctrl-C, takes effect afterwards.
        """
        self._closed = True
        _close(self._driver, self._hub)
        # Only now: if a signal interrupts the lines above, the end of the program closes the session.
        self._at_exit.detach()

    # -- what is known of the connection ----------------------------------------------------------------------

    @property
    def connected(self) -> bool:
        """Whether the robot is connected now."""
        with self._driver.robot() as robot:
            return robot.running and not self._closed

    @property
    def link(self) -> LinkSnapshot:
        """State and statistics of the connection; may be read without a connection, too."""
        return self.snapshot().link

    @property
    def identity(self) -> Identity:
        """The identity that the robot reports.

        Raises:
            ConnectionLostError: The robot is not connected.
        """
        with self._locked() as (robot, _):
            identity, config = robot.session.identity, robot.tuning.config
        if identity is None:
            raise ConnectionLostError(
                f"{self._port}: the robot has not reported its identity; call wait_until_connected"
            )
        return Identity(
            name=identity.name,
            robot_class=identity.robot_class,
            subclass=identity.subclass,
            serial_number=config.serial if config else "",
            firmware_version=config.firmware_version if config else "",
        )

    def snapshot(self) -> RobotSnapshot:
        """Return the state of robot and driver at one instant; may be read without a connection, too.

        Returns:
            A `RobotSnapshot`. docs/python.md has its fields.
        """
        with self._driver.robot() as robot:
            return take_snapshot(robot)

    def record(self, path: str | Path) -> Recording:
        """Write every packet and command from now on to a file, for `amigobot replay`, `dump` and `dashboard`.

            with AmigoBot(port) as robot, robot.record("drive.amigo"):
                robot.move(0.5)

        Args:
            path: The file; it is overwritten.

        Returns:
            The recording; `stop` ends it. It ends by itself when the robot is closed.

        Raises:
            RecordingError: The file cannot be written.
            ConnectionLostError: The robot is not connected.
        """
        head = self._recording_head()
        stream = self._hub.stream((FrameSeen,), QUEUE_LENGTH)
        try:
            recording = Recording(stream, Path(path), head, self._driver.clock())
        except OSError:
            stream.close()
            raise
        with self._locked(connected=False) as (robot, now):
            if not robot.options.trace:
                robot.configure(replace(robot.options, trace=True), now)
        return recording

    def _recording_head(self) -> Head:
        """Return the head of a recording that begins now. Raises ConnectionLostError without a robot."""
        identity, profile = self.identity, self.profile
        names = identity.name, identity.robot_class, identity.subclass
        return Head(time.time(), self._port, *names, profile.name, profile.erratic)

    @property
    def profile(self) -> Profile:
        """Dimensions, limits and sonar poses of this robot, in SI units."""
        with self._driver.robot() as robot:
            return robot.profile

    @property
    def options(self) -> Options:
        """The options in use; `configure` changes them."""
        with self._driver.robot() as robot:
            return robot.options

    def wait_until_connected(self, timeout: float = CONNECT_TIMEOUT) -> None:
        """Wait for the robot after the connection was lost.

        Afterwards motors, sonars and streams are as they were, and the pose has continued.

        Args:
            timeout: Seconds to wait at most.

        Raises:
            ConnectionFailedError: No robot answers in time.
        """
        if not self._until(_ready, timeout):
            raise ConnectionFailedError(self._why_not_connected(timeout))

    # -- requests ---------------------------------------------------------------------------------------------

    def send_command(self, number: int, argument: int | None = None, *, text: bytes = b"") -> str:
        """Send a raw command once, for experts. No packet confirms it.

        Commands that would move the robot past its limits or cut the connection are refused.

        Args:
            number: Number of the command, 0 to 255 (docs/protocol 4.1).
            argument: Integer argument; its range depends on the command: -32768 to 32767, 0 to 32767, or 0 to 65535 for
                a pair of bytes. None for a command without one.
            text: Text argument, up to 195 bytes. Give either `argument` or `text`.

        Returns:
            What was sent.

        Raises:
            RequestRefusedError: The command is not allowed; the message says what to use instead.
            RequestFailedError: Too many commands wait already.
            ConnectionLostError: The robot is not connected.
        """
        if not 0 <= integer("number", number) <= 255:
            raise RequestRefusedError(f"number is {number}, allowed: 0 to 255")
        numbers = [] if argument is None else [integer("argument", argument)]
        with self._locked() as (robot, _):
            outcome = robot.send_raw(number, numbers, bytes(text))
        return self._message(outcome)

    def reset(self) -> str:
        """Stop the robot, reboot its controller, and wait until it is connected again.

        Returns:
            What the driver saw.

        Raises:
            RequestRefusedError: This robot has no such command.
            RequestFailedError: The robot did not restart, or was not found again within a minute.
            ConnectionLostError: The robot is not connected.
        """
        return self._request(lambda robot, now: robot.reset(now), limit=70.0).message

    # -- for the parts of the API -----------------------------------------------------------------------------

    @contextmanager
    def _locked(self, *, connected: bool = True) -> Iterator[tuple[Robot, float]]:
        """Lock the robot; gives it and the time (s).

        Args:
            connected: Raise ConnectionLostError unless the robot is connected.
        """
        self._check_alive()
        with self._driver.robot() as robot:
            if connected and not robot.running:
                raise ConnectionLostError(self._named(robot.note))
            try:
                yield robot, self._driver.clock()
            except ValueError as error:
                if isinstance(error, AmigoBotError):
                    raise
                raise RequestRefusedError(str(error)) from None

    def _request(self, start: Callable[[Robot, float], Future[Result]], *, limit: float = _REQUEST_LIMIT) -> Result:
        """Make a request and wait for its result.

        Args:
            start: Makes the request, with the robot locked and the time (s).
            limit: Seconds until it is given up.

        Raises:
            RequestRefusedError: It was decided without asking the robot.
            RequestFailedError: The robot has not done it.
            ConnectionLostError: The connection was or got lost.
        """
        with self._locked() as (robot, now):
            future = start(robot, now)
            asked = not future.done()
        outcome = self._wait(future, limit)
        if not outcome.success:
            self._check_connected()
            raise RequestFailedError(outcome.message) if asked else RequestRefusedError(outcome.message)
        return outcome

    def _wait(self, future: Future[Result], limit: float) -> Result:
        """Return the result of a future, at most `limit` s later."""

        def ended() -> bool:
            self._check_alive()
            return future.done()

        if not self._driver.wait(ended, limit):
            future.cancel()
            raise RequestFailedError(f"no result within {limit:g} s; {self.link.note}")
        return future.result()

    def _message(self, outcome: Outcome) -> str:
        """Return the message of a success. Raises RequestFailedError for a failure."""
        if not outcome.success:
            self._check_connected()
            raise RequestFailedError(outcome.message)
        return outcome.message

    def _until(self, condition: Callable[[Robot], object], limit: float) -> bool:
        """Wait for a condition of the robot, at most `limit` s; whether it was met."""

        def holds() -> object:
            with self._locked(connected=False) as (robot, _):
                return condition(robot)

        return self._driver.wait(holds, limit)

    def _check_alive(self) -> None:
        """Raise ConnectionLostError if the connection is closed or a thread of the driver has ended."""
        if self._closed:
            raise ConnectionLostError(f"{self._port}: the connection is closed; make a new AmigoBot")
        if self._driver.failed.is_set():
            raise ConnectionLostError(
                f"{self._port}: a thread of the driver ended with an error, and the robot was stopped; "
                "please report the traceback above"
            )

    def _check_connected(self) -> None:
        with self._locked():
            pass

    # -- connecting -------------------------------------------------------------------------------------------

    def _connect(self, timeout: float) -> None:
        clock = self._driver.clock
        began = clock()

        def settled(robot: Robot) -> bool:
            newest = self._hub.newest(LinkChanged)
            no_port = newest is not None and newest.state is LinkState.DISCONNECTED
            return _ready(robot) or (no_port and clock() - began > _PORT_RETRY_TIME)

        self._until(settled, timeout)
        waited = clock() - began
        with self._driver.robot() as robot:
            ready = _ready(robot)
        if not ready:
            raise ConnectionFailedError(self._why_not_connected(waited))
        self._until(_sonars_have_fired, min(_FIRST_ROUND, timeout))

    def _why_not_connected(self, waited: float) -> str:
        with self._driver.robot() as robot:
            state, note = robot.state, robot.note
        if state is LinkState.SYNCING and "?" not in note:
            note = f"{note}: {_REMEDY}"
        return f"{self._named(note)} (no robot after {waited:.1f} s)"

    def _named(self, note: str) -> str:
        """Return a note that begins with the port, as those about the port already do."""
        return note if note.startswith(self._port) else f"{self._port}: {note}"


def _close(driver: Driver, hub: EventHub) -> None:
    with signals.deferred():
        driver.close()
        hub.close()


def _ready(robot: Robot) -> bool:
    """Whether the robot can be driven, or will not switch its motors on."""
    return robot.running and robot.estimator.report is not None and not robot.motors.switching_on


def _sonars_have_fired(robot: Robot) -> bool:
    report = robot.estimator.report
    return report is None or not report.sonar_enabled or math.inf not in report.sonar_ages
