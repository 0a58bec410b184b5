# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What the node tests stand on: a robot whose wire can be read and disturbed, the node, and a user of the node.

    Robot   the simulated robot, on TCP or on a pty, in a thread of the test
    Node    `amigobot_node`, a process of its own as on a real robot
    Client  a ROS 2 node of the test: what a user's program would be
    Bench   one of each, in a ROS domain of its own

Nothing here sleeps to wait for something: `wait_until` spins the client until a condition holds, with a deadline so
generous that only a bug misses it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions
from standstill import AFTERMATH, METER
from tf2_msgs.msg import TFMessage

from amigobot_driver.profiles import load_profile
from amigobot_driver.protocol import (
    ACTIVMEDIA_COMMANDS,
    ERRATIC_COMMANDS,
    CommandTable,
    FrameDecoder,
    Instruction,
    Motor,
    Sip,
    decode,
    encode_frame,
    packets_of,
    parse,
)
from amigobot_driver.ros.node import AmigobotNode
from amigobot_driver.sim import Simulator, Truth, World, load_world
from amigobot_driver.sim.pty import PtyConnection
from amigobot_driver.sim.server import ClientConnection, Served, serve
from amigobot_driver.sim.tcp import TcpConnection

#: s; reached only when something is broken, on however slow a machine.
DEADLINE = 180.0

#: ROS writes its log files here, not into the home directory.
_LOGS = tempfile.TemporaryDirectory(prefix="amigobot-test-")
os.environ["ROS_LOG_DIR"] = _LOGS.name
#: So do the nodes with the poses that they store.
os.environ["XDG_STATE_HOME"] = _LOGS.name
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"

M = TypeVar("M")
T = TypeVar("T")


#: FLASH of a robot that speeds up and stops five times as fast as it leaves the factory: tests wait for both.
BRISK = {"TransAcc": 1500, "TransDecel": 1500, "RotAcc": 300, "RotDecel": 300}


class Robot:
    """A simulated robot. `url` is where it is; the rest is what a person with a line monitor could see and do."""

    def __init__(
        self,
        profile: str = "amigo",
        *,
        world: str = "",
        pty: Path | None = None,
        baud: int = 0,
        flash: Mapping[str, int] = BRISK,
        **options: Any,
    ) -> None:
        model = load_profile(profile)
        model = dataclasses.replace(model, flash={**model.flash, **flash})
        self._simulator = Simulator(model, load_world(world) if world else World("endless"), baud=baud, **options)
        erratic = model.erratic
        self.commands = ERRATIC_COMMANDS if erratic else ACTIVMEDIA_COMMANDS
        self.packets = packets_of(erratic)
        self._pty = pty
        self._tcp = ("127.0.0.1", 0)
        self.received: list[Instruction] = []  #: every command that has come from the driver
        self.ignored: set[CommandTable] = set()  #: commands that get lost on the way to the robot
        self.silent = False  #: nothing of what the robot says gets through
        self.sips = 0  #: SIPs sent
        self.disguise: dict[str, Any] = {}  #: what the driver sees instead of these fields of a SIP
        self._actions: list[Callable[[Simulator], object]] = []
        self._unplugged = threading.Event()
        self.plug_in()

    @property
    def url(self) -> str:
        return str(self._pty) if self._pty else "socket://{}:{}".format(*self._tcp)

    @property
    def truth(self) -> Truth:
        """Where it really is and what it really does."""
        return self._simulator.truth

    @property
    def byte_time(self) -> float:
        """s a byte takes on the line."""
        return self._simulator.byte_time

    @property
    def in_session(self) -> bool:
        """A client has opened it and not closed it."""
        return self._simulator.session.name == "OPEN"

    @property
    def speed(self) -> float:
        """Of its middle, m/s."""
        return (self.truth.left_velocity + self.truth.right_velocity) / 2

    @property
    def stopped(self) -> bool:
        """At rest: below 0.1 mm/s, as the last of a velocity decays."""
        return max(abs(self.truth.left_velocity), abs(self.truth.right_velocity)) < 1e-4

    def values(self, command: CommandTable, since: int = 0) -> list[Any]:
        """The arguments with which a command has come, from the `since`-th of all commands on."""
        return [instruction.value for instruction in self.received[since:] if instruction.command is command]

    @contextlib.contextmanager
    def disguised(self, **fields: Any) -> Iterator[None]:
        """In this block the driver sees these values in the SIPs."""
        self.disguise = fields
        try:
            yield
        finally:
            self.disguise = {}

    def do(self, action: Callable[[Simulator], object]) -> None:
        """Have something done at the robot: press a button, for instance."""
        self._actions.append(action)

    @property
    def unplugged(self) -> bool:
        return self._unplugged.is_set()

    def unplug(self) -> None:
        """Pull the cable out: the port is gone."""
        self._unplugged.set()
        self._thread.join()

    def plug_in(self) -> None:
        """Put the cable back, where it was."""
        self._unplugged.clear()
        self._connection = self._connect()
        self._thread = threading.Thread(target=self._run, name="simulated robot", daemon=True)
        self._thread.start()

    def _connect(self) -> ClientConnection:
        if self._pty:
            return PtyConnection(str(self._pty), self._simulator, check_baud=False, log=lambda text: None)
        connection = TcpConnection(self._tcp, self._simulator, log=lambda text: None)
        self._tcp = ("127.0.0.1", connection.port)
        return connection

    def _run(self) -> None:
        serve(Served(self._simulator, _Tap(self, self._connection)), stopped=self._has_something_else_to_do)
        self._connection.close()

    def _has_something_else_to_do(self) -> bool:
        while self._actions:
            self._actions.pop(0)(self._simulator)
        return self._unplugged.is_set()


class _Tap:
    """A connection through which everything passes as whole frames, and not all of it unharmed."""

    def __init__(self, robot: Robot, connection: ClientConnection) -> None:
        self.description = connection.description
        self._robot = robot
        self._connection = connection
        self._to_robot, self._from_robot = FrameDecoder(), FrameDecoder()
        self.watched, self.close = connection.watched, connection.close

    def read(self, limit: int) -> bytes:
        passed = b""
        for frame in self._to_robot.feed(self._connection.read(limit), time.monotonic()):
            instruction = decode(frame.data, self._robot.commands)
            if instruction:
                self._robot.received.append(instruction)
            if instruction is None or instruction.command not in self._robot.ignored:
                passed += encode_frame(frame.data)
        return passed

    def write(self, data: bytes) -> None:
        # At the end of a frame all of it at once: its last byte comes when it would have come.
        for frame in self._from_robot.feed(data, time.monotonic()):
            packet = parse(frame.data, self._robot.packets)
            self._robot.sips += isinstance(packet, Sip | Motor)
            if isinstance(packet, Sip):
                packet = dataclasses.replace(packet, **self._robot.disguise)
            if not self._robot.silent:
                self._connection.write(encode_frame(packet.encode()))


#: What `ros2 run amigobot_driver amigobot_node` runs.
NODE = (sys.executable, "-m", "amigobot_driver.ros.main")


class Node:
    """The node as a process. `log` grows by every line that it writes."""

    def __init__(
        self,
        domain: int,
        parameters: dict[str, object] | None = None,
        *,
        namespace: str = "",
        command: Sequence[str] = NODE,
    ) -> None:
        arguments = ["--ros-args"] if parameters or namespace else []
        for name, value in (parameters or {}).items():
            arguments += ["-p", f"{name}:={str(value).lower() if isinstance(value, bool) else value}"]
        if namespace:
            arguments += ["-r", f"__ns:=/{namespace}"]
        self.log: list[str] = []
        self.started = time.monotonic()
        self._process = subprocess.Popen(
            [*command, *arguments],
            env={**os.environ, "ROS_DOMAIN_ID": str(domain)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self.log.append(line.rstrip())

    def logged(self, *words: str) -> list[str]:
        """The lines that hold all of these words."""
        return [line for line in self.log if all(word in line for word in words)]

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def wait(self, deadline: float = DEADLINE) -> int:
        """The exit code, once it has ended and its last line is read."""
        code = self._process.wait(deadline)
        self._reader.join(deadline)
        return code

    def end(self) -> None:
        """Make sure that it is gone."""
        if self.running:
            self.send(signal.SIGINT)
            try:
                self.wait(10.0)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self.wait()


class Inbox(Generic[M]):
    """Everything that came on one topic, for as long as it is referenced."""

    def __init__(self) -> None:
        self.messages: list[M] = []
        self.arrivals: list[float] = []  #: the computer's time (s) when each message came

    def receive(self, message: M) -> None:
        self.messages.append(message)
        self.arrivals.append(time.time())

    def __len__(self) -> int:
        return len(self.messages)

    def clear(self) -> None:
        self.messages.clear()
        self.arrivals.clear()

    @property
    def last(self) -> M:
        return self.messages[-1]


class Client:
    """A user's program."""

    def __init__(self, domain: int, name: str = "user", explain: Callable[[], str] = str) -> None:
        """`explain` says more of what was seen, if the client waits in vain."""
        self._explain = explain
        self._context = Context()
        rclpy.init(context=self._context, domain_id=domain, signal_handler_options=SignalHandlerOptions.NO)
        self.node = rclpy.create_node(name, context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._publishers: dict[str, Any] = {}

    def close(self) -> None:
        self._executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self._context)

    def wait_until(self, condition: Callable[[], T], deadline: float = DEADLINE) -> T:
        """Receive messages until the condition holds; its value."""
        end = time.monotonic() + deadline
        while not (value := condition()):
            if time.monotonic() > end:
                raise TimeoutError(f"nothing of the kind within {deadline:g} s{self._explain()}")
            self._executor.spin_once(timeout_sec=0.02)
        return value

    def listen(self, kind: type[M], topic: str, qos: QoSProfile | int = 100) -> Inbox[M]:
        """Subscribe; every message from now on, until the inbox is thrown away."""
        inbox: Inbox[M] = Inbox()
        reference = weakref.ref(inbox)

        def receive(message: M) -> None:
            held = reference()
            if held is not None:
                held.receive(message)

        subscription = self.node.create_subscription(kind, topic, receive, qos)
        weakref.finalize(inbox, self.node.destroy_subscription, subscription).atexit = False
        return inbox

    def receive(self, kind: type[M], topic: str, deadline: float = DEADLINE) -> M:
        """The next message on a topic."""
        inbox = self.listen(kind, topic)
        self.wait_until(lambda: len(inbox), deadline)
        return inbox.last

    def publish(self, topic: str, message: Any) -> None:
        """Publish as soon as there is a subscriber."""
        publisher = self.publisher(type(message), topic)
        self.wait_until(publisher.get_subscription_count)
        publisher.publish(message)

    def publish_until(self, topic: str, message: Any, condition: Callable[[], object]) -> None:
        """Publish, and receive until the condition holds; once more whenever this machine stood still meanwhile."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            self.publish(topic, message)
            published = time.monotonic()
            self.wait_until(lambda published=published: condition() or self._may_be_refused(published))  # type: ignore[misc]
            if condition():
                return
        raise TimeoutError(f"nothing of the kind within {DEADLINE:g} s, however often it was published")

    @staticmethod
    def _may_be_refused(published: float) -> bool:
        """Whether a message of this time (s) has had time to arrive, and this machine stood still before or after."""
        return time.monotonic() - published > 1.0 and METER.stood_still(published - AFTERMATH) > 0.0

    def publisher(self, kind: type, topic: str) -> Any:
        """A publisher of the topic, made once."""
        if topic not in self._publishers:
            self._publishers[topic] = self.node.create_publisher(kind, topic, 10)
        return self._publishers[topic]

    @contextlib.contextmanager
    def driving(
        self, linear: float, angular: float = 0.0, *, topic: str = "cmd_vel", stamped: bool = False, rate: float = 10.0
    ) -> Iterator[None]:
        """Publish this velocity, `rate` times a second while the client spins; then say no more, not even stop."""
        publisher = self.publisher(TwistStamped if stamped else Twist, topic)
        self.wait_until(publisher.get_subscription_count)
        timer = self.node.create_timer(
            1 / rate, lambda: publisher.publish(self.velocity(linear, angular, stamped=stamped))
        )
        try:
            yield
        finally:
            self.node.destroy_timer(timer)

    def velocity(self, linear: float, angular: float = 0.0, *, stamped: bool = False) -> Twist | TwistStamped:
        """A message for cmd_vel; the stamp is now."""
        twist = Twist()
        twist.linear.x, twist.angular.z = float(linear), float(angular)
        if not stamped:
            return twist
        message = TwistStamped(twist=twist)
        message.header.stamp = self.node.get_clock().now().to_msg()
        return message

    def ask(self, kind: type, service: str, request: Any = None) -> Any:
        """Call a service; a future of its response."""
        client = self.node.create_client(kind, service)
        self.wait_until(client.service_is_ready)
        future = client.call_async(request or kind.Request())
        future.add_done_callback(lambda _: self.node.destroy_client(client))
        return future

    def call(self, kind: type, service: str, request: Any = None) -> Any:
        """Call a service; its response."""
        future = self.ask(kind, service, request)
        self.wait_until(future.done)
        return future.result()


class Bench:
    """A robot, a node and a client. What is missing here is the robot's or the client's."""

    def __init__(
        self,
        robot: Robot | None = None,
        *,
        namespace: str = "",
        node_command: Sequence[str] = NODE,
        **parameters: object,
    ) -> None:
        self.domain, self._domain_lock = free_domain()
        self.client = Client(self.domain, explain=self._logs)
        self.wait_until, self.listen, self.call = self.client.wait_until, self.client.listen, self.client.call
        self.publish, self.publish_until = self.client.publish, self.client.publish_until
        self.driving = self.client.driving
        self._robot = robot
        self._diagnostics: dict[str, tuple[float, DiagnosticStatus]] = {}
        self.client.node.create_subscription(DiagnosticArray, "/diagnostics", self._take_diagnostics, 10)
        if robot:
            parameters.setdefault("port", robot.url)
        self.node = Node(self.domain, parameters, namespace=namespace, command=node_command)
        self.nodes = [self.node]

    @property
    def robot(self) -> Robot:
        assert self._robot, "this bench has no robot of its own"
        return self._robot

    def start(self, *, namespace: str = "", **parameters: object) -> Node:
        """Start one more node."""
        self.nodes.append(Node(self.domain, parameters, namespace=namespace))
        return self.nodes[-1]

    def connected(self) -> Bench:
        """This bench, once odometry arrives and the motors are on."""
        if self._robot and self._robot.unplugged:
            self._robot.plug_in()  # a test before has failed half-way
        odometry = self.listen(Odometry, "odom")
        self.wait_until(lambda: len(odometry))
        return self

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_: object) -> None:
        for node in self.nodes:
            node.end()
        self.client.close()
        if self._robot:
            self._robot.unplug()
        self._domain_lock.close()

    def _logs(self) -> str:
        """What the nodes logged, and what came over the wire."""
        seen = [f"exit code {node.wait()}" if not node.running else "running" for node in self.nodes]
        logs = [line for node in self.nodes for line in node.log]
        wire = ", ".join(map(str, self._robot.received[-20:])) if self._robot else "not tapped"
        return "\n".join([f"; nodes: {', '.join(seen)}", *logs, f"wire: {wire}"])

    def pass_sips(self, count: int) -> None:
        """Let the robot send that many more packets: time enough for anything that was going to happen."""
        until = self.robot.sips + count
        self.wait_until(lambda: self.robot.sips >= until)

    def diagnostic(self, part: str, *, node: str = "amigobot", fresh: bool = False) -> DiagnosticStatus:
        """What /diagnostics says of a part; `fresh`: as it is from now on."""
        name, since = f"{node}: {part}", time.time() if fresh else 0.0
        self.wait_until(lambda: self._diagnostics.get(name, (-1.0, None))[0] >= since)
        return self._diagnostics[name][1]

    def values(self, part: str, *, fresh: bool = False) -> dict[str, str]:
        """The key-value pairs of a part."""
        return {pair.key: pair.value for pair in self.diagnostic(part, fresh=fresh).values}

    def parameter(self, name: str, value: object) -> Any:
        """Set a parameter at run time; the node's answer."""
        from rcl_interfaces.srv import SetParameters

        request = SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
        return self.call(SetParameters, "amigobot/set_parameters", request).results[0]

    def _take_diagnostics(self, array: DiagnosticArray) -> None:
        stamp = array.header.stamp.sec + array.header.stamp.nanosec * 1e-9
        for status in array.status:
            self._diagnostics[status.name] = stamp, status


@contextlib.contextmanager
def node_in_this_process(*words: str) -> Iterator[AmigobotNode]:
    """The node as an object, in a ROS domain of its own, with these ROS arguments."""
    context = Context()
    domain, lock = free_domain()
    rclpy.init(args=["--ros-args", *words], context=context, domain_id=domain)
    node = AmigobotNode(context=context)
    try:
        yield node
    finally:
        node.close()
        node.destroy_node()
        rclpy.shutdown(context=context)
        lock.close()


def stamp_of(message: Any) -> float:
    """The stamp of a message with a header, or of its first transform, s; the node's clock is that of this computer."""
    header = message.transforms[0].header if isinstance(message, TFMessage) else message.header
    return float(header.stamp.sec + header.stamp.nanosec * 1e-9)


def free_domain() -> tuple[int, socket.socket]:
    """A ROS domain that no program on this machine uses, and the lock that reserves it among test runs.

    A test that needs a domain without a node takes one from here, too: any number that is written down is one that
    another test may be given.
    """
    for domain in random.SystemRandom().sample(range(1, 101), 100):
        lock = socket.socket(socket.AF_UNIX)
        try:
            # An abstract name, which goes when its owner goes.
            lock.bind(f"\0amigobot-test-{domain}")
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                probe.bind(("", 7410 + 250 * domain))  # where the first participant of a domain listens
        except OSError:
            lock.close()
            continue
        return domain, lock
    raise RuntimeError("all ROS domains of this machine are in use")


def shared_bench(robot: Callable[[], Robot | None] = lambda: None, **parameters: object) -> Any:
    """The fixture `bench` of a module: one node with this robot and these parameters, connected, for all its tests."""

    @pytest.fixture(scope="module")
    def bench() -> Iterator[Bench]:
        with Bench(robot(), **parameters) as bench:
            yield bench.connected()

    return bench
