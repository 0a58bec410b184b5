# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The node, a simulated robot and the line between them, in the shape of the bench of the driver core.

The clock is the computer's monotonic one, on which the simulator runs, too. Messages become the events of the core;
each `odom` comes behind the frame that it was computed from, so that the same checks read both.
"""

from __future__ import annotations

import math
import signal
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from bench import Fault, lost
from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Odometry as OdometryMessage
from rclpy.qos import DurabilityPolicy, QoSProfile
from ros_bench import BRISK, DEADLINE, Client, Node, Robot, free_domain
from sensor_msgs.msg import BatteryState
from state_machine.setup import Setup
from state_machine.witness import Witness

from amigobot_driver.profiles import load_profile
from amigobot_driver.robot import Event, FrameSeen, LinkChanged, LinkState, Notice, Odometry, Report
from amigobot_driver.robot.events import UNKNOWN_VARIANCE, PortState
from amigobot_driver.sim import revision_of
from amigobot_msgs.msg import Packet, RobotConfig, RobotStatus

E = TypeVar("E")

#: s; frames that were read further apart than this did not come in a heap.
_APART = 0.035
#: s that a frame may be read after the stamp of its odom; half the shortest cycle.
_NEAR = 0.024
#: s by which the node's ROS time may change against its clock, unnoticed.
_ROUNDING = 0.002
#: s until the frame of a message has come, too.
_BEHIND = 0.2
#: The standard packets by the names that the node gives them.
_STANDARD = ("Sip", "Motor")
_DEEP = 1000


class _Direction:
    """One direction of the line: everything passes, nothing does, or frames are changed."""

    def __init__(self, apply: Callable[[], None]) -> None:
        self._apply = apply
        self._fault: Fault | None = None
        self.delay = 0.0

    @property
    def fault(self) -> Fault | None:
        return self._fault

    @fault.setter
    def fault(self, fault: Fault | None) -> None:
        self._fault = fault
        self._apply()


class _AtTheRobot:
    """The simulator, whose methods are called in its own thread."""

    def __init__(self, robot: Robot) -> None:
        object.__setattr__(self, "_robot", robot)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._robot._simulator, name)
        return (lambda *arguments: self._call(value, *arguments)) if callable(value) else value

    def __setattr__(self, name: str, value: Any) -> None:
        self._call(setattr, self._robot._simulator, name, value)

    def _call(self, method: Callable[..., object], *arguments: object) -> None:
        if self._robot.unplugged:
            method(*arguments)
            return
        done = threading.Event()

        def act(_: object) -> None:
            method(*arguments)
            done.set()

        self._robot.do(act)
        if not done.wait(DEADLINE):
            raise TimeoutError("the thread of the simulated robot does nothing")


class NodeBench:
    """One node, one robot, one client."""

    def __init__(self, setup: Setup, parameters: dict[str, object], witnesses: list[Witness]) -> None:
        profile = load_profile(setup.profile)
        self._folder = tempfile.TemporaryDirectory(prefix="amigobot-node-machine-")
        erratic = profile.firmware == "E"
        options = {"revision": replace(revision_of(profile), layout=setup.layout)} if erratic else {}
        self.robot_side = Robot(
            setup.profile,
            pty=Path(self._folder.name) / "ttyUSB0",
            baud=None if setup.paced else 0,
            flash=BRISK if setup.brisk else {},
            **options,
        )
        self.simulator = _AtTheRobot(self.robot_side)
        self.simulator._call(lambda: witnesses.append(Witness(self.robot_side._simulator)))
        self._power = self._plugged = True
        self.up, self.down = _Direction(self._apply), _Direction(self._apply)
        self._offset = time.time() - time.monotonic()  #: s from the computer's clock to ROS time
        self.domain, self._lock = free_domain()
        self.client = Client(self.domain, "user")
        self.events: list[tuple[float, Event]] = []
        self.yaw = 0.0  #: rad, of the newest odom
        self.odometry = Odometry()
        self.status: RobotStatus | None = None
        self.battery: tuple[float, BatteryState] | None = None  #: when it came, s
        self.diagnostics: dict[str, tuple[int, dict[str, str]]] = {}  #: by part: level and values
        self.diagnosed = -math.inf  #: s, when diagnostics came last
        self.config: RobotConfig | None = None
        self.odometry_came = -math.inf  #: s, when odom came last
        self.ignore_odometry_until = -math.inf  #: s; stamps up to then may be of before or after it was set
        self.late: deque[tuple[float, float]] = deque()  #: when, and s by which this process was woken too late
        self._odometry: deque[tuple[float, float, Odometry]] = deque()
        self._frames: deque[tuple[float, bytes]] = deque()
        self._state = LinkState.DISCONNECTED
        self._read = 0  #: lines of the log
        self._subscribe()
        self.node = Node(self.domain, {"port": self.robot_side.url, **parameters})

    def _subscribe(self) -> None:
        node, deep = self.client.node, QoSProfile(depth=_DEEP)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        node.create_subscription(OdometryMessage, "odom", self._on_odometry, deep)
        node.create_subscription(Packet, "packets", self._on_packet, deep)
        node.create_subscription(RobotStatus, "status", self._on_status, deep)
        node.create_subscription(BatteryState, "battery_state", self._on_battery, 10)
        node.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, 10)
        node.create_subscription(RobotConfig, "robot_config", self._on_config, latched)

    # -- time -------------------------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        return time.monotonic()

    def run(self, seconds: float) -> None:
        """Receive for so long."""
        end = self.now + seconds
        while (left := end - self.now) > 0:
            before = self.now
            step = min(left, 0.02)
            self.client._executor.spin_once(timeout_sec=step)
            self._note_lateness(self.now - before - step)
        self._collect()

    def wait_until(self, condition: Callable[[], object], complaint: str, deadline: float = DEADLINE) -> None:
        """Receive until the condition holds; fails with the complaint."""
        end = self.now + deadline
        while not condition():
            if self.now > end or not self.node.running:
                raise TimeoutError(f"{complaint}, {deadline:g} s were allowed; {self.tail()}")
            before = self.now
            self.client._executor.spin_once(timeout_sec=0.02)
            self._note_lateness(self.now - before - 0.02)

    def sleep(self, seconds: float, *, writer_first: bool = False) -> None:
        """The process of the node stands still. Which of its threads goes on first, the computer decides."""
        self.node.send(signal.SIGSTOP)
        self.run(seconds)
        self.node.send(signal.SIGCONT)

    @property
    def lateness(self) -> float:
        """s by which this process was woken too late, at most, in the last 20 s: the node's may be as late."""
        while self.late and self.late[0][0] < self.now - 20.0:
            self.late.popleft()
        return max((late for _, late in self.late), default=0.0)

    def _note_lateness(self, late: float) -> None:
        if late > 0.02:
            self.late.append((self.now, late))

    # -- what people do ---------------------------------------------------------------------------------------

    def ask(self, action: Callable[[], E]) -> E:
        return action()

    def publish(self, topic: str, message: Any) -> None:
        """Publish; the first time as soon as the node subscribes."""
        publisher = self.client.publisher(type(message), topic)
        self.wait_until(publisher.get_subscription_count, f"RequestsAreAnswered: the node does not read {topic}")
        publisher.publish(message)

    def plug_in(self) -> None:
        self._plugged = True
        if self.robot_side.unplugged:
            self.robot_side.plug_in()

    def unplug(self) -> None:
        self._plugged = False
        self.robot_side.unplug()

    def switch_off(self) -> None:
        """The robot says and hears nothing more; what it held is gone."""
        self._power = False
        self._apply()
        self.simulator.reset()

    def switch_on(self) -> None:
        self.simulator.reset()
        self._power = True
        self._apply()

    def _apply(self) -> None:
        robot = self.robot_side
        robot.deaf = not self._power or self.up.fault is lost
        robot.silent = not self._power or self.down.fault is lost
        robot.rewrite = self.down.fault if self.down.fault not in (None, lost) else None

    def end_node(self) -> int:
        """End the node as Ctrl-C does; its exit code."""
        self.node.send(signal.SIGINT)
        self.wait_for_node()
        return self.node.wait()

    def wait_for_node(self) -> None:
        """Receive until the node has ended."""
        end = self.now + DEADLINE
        while self.node.running:
            if self.now > end:
                raise TimeoutError(f"NodeLives: the node does not end within {DEADLINE:g} s; {self.tail()}")
            self.client._executor.spin_once(timeout_sec=0.02)
        self._collect()

    def close(self) -> None:
        """End everything."""
        if self.node.running:
            self.node.send(signal.SIGCONT)
        self.node.end()
        self.client.close()
        if not self.robot_side.unplugged:
            self.robot_side.unplug()
        self._lock.close()
        self._folder.cleanup()

    # -- messages ---------------------------------------------------------------------------------------------

    def _time(self, stamp: Any) -> float:
        return stamp.sec - self._offset + stamp.nanosec * 1e-9

    def _on_odometry(self, message: OdometryMessage) -> None:
        pose, twist = message.pose.pose, message.twist.twist
        yaw = 2 * math.atan2(pose.orientation.z, pose.orientation.w)
        self.yaw = math.remainder(yaw, math.tau)
        self.odometry_came = self.now
        stale = message.twist.covariance[0] >= UNKNOWN_VARIANCE
        stamp = self._time(message.header.stamp)
        self.odometry = Odometry(pose.position.x, pose.position.y, self.yaw, twist.linear.x, twist.angular.z)
        if not stale and stamp > self.ignore_odometry_until:
            self._odometry.append((stamp, self.now, self.odometry))

    def discard_odometry(self) -> None:
        """Leave out each odom that has not been looked at, and those that come until `ignore_odometry_until` is set."""
        self.ignore_odometry_until = math.inf
        self._odometry.clear()
        self.events = [event for event in self.events if not isinstance(event[1], FrameSeen | Report)]

    def _on_packet(self, message: Packet) -> None:
        if message.name in _STANDARD and not message.to_robot:
            self._frames.append((self._time(message.header.stamp), bytes(message.data)))

    def _on_status(self, message: RobotStatus) -> None:
        self.status = message
        state = LinkState(message.link_state)
        if state is not self._state:
            self._state = state
            self.events.append((self.now, LinkChanged(state, message.link_text)))

    def _on_battery(self, message: BatteryState) -> None:
        self.battery = self.now, message

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        self.diagnosed = self.now
        for status in message.status:
            part = status.name.partition(": ")[2]
            self.diagnostics[part] = status.level[0], {pair.key: pair.value for pair in status.values}

    def _on_config(self, message: RobotConfig) -> None:
        self.config = message

    def _collect(self) -> None:
        """Make events of the messages whose frames have come, and of new lines of the log."""
        while self._odometry and self._odometry[0][1] < self.now - _BEHIND:
            stamp, came, odometry = self._odometry.popleft()
            # It was there a moment before: the two clocks are compared once.
            self.events.append((came, FrameSeen(False, "Sip", self._frame_of(stamp), stamp)))
            self.events.append((came + 0.002, self._report(stamp, odometry)))
        lines = self.node.log[self._read :]
        self._read += len(lines)
        self.events += [(self.now, Notice(line)) for line in lines if "[WARN]" in line or "[ERROR]" in line]

    def _frame_of(self, stamp: float) -> bytes:
        """The data of the frame that an odom with this stamp is of; b"" where late frames leave that open.

        Both come in order, and no odom has a stamp after that of its frame, which is when it was read.
        """
        while self._frames and self._frames[0][0] < stamp - _ROUNDING:
            self._frames.popleft()
        if not self._frames:
            return b""
        read, data = self._frames.popleft()
        alone = not self._frames or self._frames[0][0] - read > _APART
        return data if alone and read - stamp < _NEAR else b""

    def status_report(self) -> Report | None:
        """The newest status, as a report of the core."""
        return self._report(self._time(self.status.header.stamp), self.odometry) if self.status else None

    def _report(self, stamp: float, odometry: Odometry) -> Report:
        status = self.status or RobotStatus()
        return Report(
            stamp=stamp,
            odometry=odometry,
            pings=(),
            volts=math.nan,
            motors_enabled=status.motors_enabled,
            sonar_enabled=status.sonar_enabled,
            moving=status.moving,
            left_stalled=status.stall_left,
            right_stalled=status.stall_right,
            stop_button=status.stop_button,
            charging=None,
            charge_state="",
            faults=(),
            celsius=None,
            ports=PortState(None, None, 0, None),
        )

    def tail(self) -> str:
        """The end of the node's log, for messages."""
        state = "runs" if self.node.running else f"has ended with exit code {self.node.wait()}"
        return f"the node {state}; its log ends: " + " | ".join(self.node.log[-4:])
