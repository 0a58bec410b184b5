# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What the robot measures: pose, sonars, battery, and everything as a stream of events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar, overload

from ..errors import ConnectionLostError, RequestRefusedError
from ..robot import (
    BumperReading,
    CompassReading,
    EncoderReading,
    Event,
    FloorReading,
    IoState,
    JoystickReading,
    MotorCurrents,
    Odometry,
    Report,
    SonarReading,
    TurnRate,
)
from .arguments import event_type, integer, number
from .connection import Connection
from .event_streams import EventStream, Subscription
from .values import BatteryState, Pose

E = TypeVar("E", bound=Event)
Recent = TypeVar("Recent", bound="_Stamped")

#: Events that a stream buffers for a slow reader: 10 s at 10 Hz.
_MAXLEN = 100
#: s after which a value is too old.
_STALE = 2.0


class _Stamped(Protocol):
    """An event that has a time."""

    @property
    def stamp(self) -> float:
        """Seconds, on the clock of the driver."""


class Sensing(Connection):
    """The newest values, and streams of them."""

    @property
    def report(self) -> Report:
        """Everything that the newest standard packet says, such as velocities, stalls, motors, charging, ports.

        Raises:
            ConnectionLostError: The robot is not connected.
        """
        with self._locked() as (robot, _):
            report = robot.estimator.report
        if report is None:
            why = "no packet since the robot was connected again; try again in a second"
            raise ConnectionLostError(f"{self._port}: {why}")
        return report

    @property
    def odometry(self) -> Odometry:
        """Pose, velocities, wheel angles, distance travelled, and their covariances.

        Raises:
            ConnectionLostError: The robot is not connected.
        """
        with self._locked() as (robot, _):
            return robot.estimator.odometer.state

    @property
    def pose(self) -> Pose:
        """Where the robot is, as its wheels have measured it since the start, in m, m and rad.

        Raises:
            ConnectionLostError: The robot is not connected.
        """
        odometry = self.odometry
        return Pose(odometry.x, odometry.y, odometry.yaw)

    @property
    def sonar(self) -> tuple[SonarReading, ...]:
        """The newest reading of each sonar, in the order of their numbers.

        Raises:
            ConnectionLostError: The robot is not connected.
        """
        with self._locked() as (robot, now):
            return SonarReading.newest(robot.profile.sonar.poses, robot.estimator.newest, now)

    @property
    def battery(self) -> BatteryState:
        """Voltage and charge.

        Raises:
            ConnectionLostError: The robot is not connected.
        """
        report = self.report
        with self._locked() as (robot, _):
            monitor = robot.estimator.battery
            return BatteryState(
                volts=monitor.voltage,
                charge=report.charge,
                level=monitor.level,
                charging=report.charging,
            )

    @property
    def io(self) -> IoState:
        """The digital and analog ports.

        Raises:
            ConnectionLostError: The robot is not connected.
        """
        return self.report.ports

    @property
    def bumpers(self) -> BumperReading | None:
        """Which segments of a Pioneer's bumpers are pressed; None where the robot does not report it.

        Raises:
            ConnectionLostError: The robot is not connected.
        """
        return self._recent(BumperReading)

    @property
    def compass(self) -> CompassReading | None:
        """The heading of the compass; needs `Options(compass="sip")` or `"packets"`; None without.

        Raises:
            ConnectionLostError: The robot is not connected.
        """
        return self._recent(CompassReading)

    @property
    def encoders(self) -> EncoderReading | None:
        """Raw ticks of the wheels; needs `Options(encoder_stream=True)`; None without.

        Raises:
            ConnectionLostError: The robot is not connected.
        """
        return self._recent(EncoderReading)

    @property
    def floor(self) -> FloorReading | None:
        """What the floor sensors of an Erratic see; None where the robot has none.

        Raises:
            ConnectionLostError: The robot is not connected.
        """
        return self._recent(FloorReading)

    @property
    def gyro(self) -> TurnRate | None:
        """The turn rate that a gyro measures; None where the robot has none.

        Raises:
            ConnectionLostError: The robot is not connected.
        """
        return self._recent(TurnRate)

    @property
    def joystick(self) -> JoystickReading | None:
        """The robot's own joystick; needs `Options(joystick_stream=True)`; None without.

        Raises:
            ConnectionLostError: The robot is not connected.
        """
        return self._recent(JoystickReading)

    @property
    def motor_currents(self) -> MotorCurrents | None:
        """What the motors of an Erratic draw, A; None where the robot does not report it.

        Raises:
            ConnectionLostError: The robot is not connected.
        """
        return self._recent(MotorCurrents)

    # -- streams ----------------------------------------------------------------------------------------------

    def reports(self, maxlen: int = _MAXLEN) -> EventStream[Report]:
        """Return a stream of reports, one for each standard packet (10 or 20 a second).

            for report in robot.reports():
                print(report.odometry.x, report.volts)

        The same object is an iterator for `async for`. A reader that is too slow loses the oldest reports.

        Args:
            maxlen: Reports that wait for the reader at most.

        Returns:
            The stream; `close` or its `with` block ends it.
        """
        return self.events(Report, maxlen=maxlen)

    @overload
    def events(self, kind: type[E], /, *, maxlen: int = ...) -> EventStream[E]: ...

    @overload
    def events(self, *kinds: type[Any], maxlen: int = ...) -> EventStream[Any]: ...

    def events(self, *kinds: type[Any], maxlen: int = _MAXLEN) -> EventStream[Any]:
        """Return a stream of the events of some types, for example `robot.events(Report, Notice)`.

        A stream with `LinkChanged` among its types goes on when the connection is lost, instead of raising an error.

        Args:
            kinds: Types of events from this package; the Python API page says when each is sent.
            maxlen: Events that wait for the reader at most.

        Returns:
            The stream.

        Raises:
            RequestRefusedError: No type is given, or a value that is not a type.
            ValueError: `maxlen` is below 1.
        """
        if not kinds:
            raise RequestRefusedError("give at least one type of events, for example Report")
        for kind in kinds:
            event_type("a type of events", kind)
        self._check_alive()
        return self._hub.stream(kinds, maxlen)

    def subscribe(self, callback: Callable[[Any], object], *kinds: type[Any], maxlen: int = _MAXLEN) -> Subscription:
        """Call a function with each event, from a thread of its own. The function may use the robot.

        Args:
            callback: Called with the event.
            kinds: Types of events; `Report` if none is given.
            maxlen: Events that wait for the function at most.

        Returns:
            The subscription; `cancel` ends it. It ends by itself when the robot is closed.

        Raises:
            RequestRefusedError: One of `kinds` is not a type.
        """
        return Subscription(callback, self.events(*(kinds or (Report,)), maxlen=maxlen))

    # -- settings of the sensors ------------------------------------------------------------------------------

    def set_odometry(self, x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> None:
        """Set the pose of the robot in the odometry frame.

        Args:
            x: m.
            y: m.
            yaw: rad, counter-clockwise positive.

        Raises:
            RequestRefusedError: A value is not a finite number.
            ConnectionLostError: The robot is not connected.
        """
        x, y, yaw = number("x", x), number("y", y), number("yaw", yaw)
        with self._locked() as (robot, _):
            robot.set_odometry(x, y, yaw)

    def reset_odometry(self) -> None:
        """Set the pose of the robot to zero: x, y and yaw.

        Raises:
            ConnectionLostError: The robot is not connected.
        """
        self.set_odometry()

    def enable_sonar(self, on: bool = True) -> str:
        """Switch the sonars, and wait until the robot has confirmed it.

        Args:
            on: False switches them off.

        Returns:
            What the robot has confirmed.

        Raises:
            RequestFailedError: The robot has not done it.
            ConnectionLostError: The robot is not connected.
        """
        return self._request(lambda robot, now: robot.sonar.set(bool(on), now)).message

    def set_sonar_sequence(self, *sonars: int) -> str:
        """Choose which sonars fire, and in which order. Fewer sonars fire more often.

        Args:
            sonars: Numbers from 0; none: all sonars in the usual order.

        Returns:
            Which sonars fire.

        Raises:
            RequestRefusedError: The robot has no such sonar.
            RequestFailedError: Other sonars fire.
            ConnectionLostError: The robot is not connected.
        """
        sonars = tuple(integer("a sonar", sonar) for sonar in sonars)
        return self._request(lambda robot, now: robot.sequence.set(sonars, now)).message

    # -- inside -----------------------------------------------------------------------------------------------

    def _recent(self, kind: type[Recent]) -> Recent | None:
        with self._locked() as (_, now):
            event = self._hub.newest(kind)
        return event if event is not None and now - event.stamp < _STALE else None
