# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The system under test as the rules use it: the node in its own process, and a simulated robot."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from state_machine.allowance import Allowance
from state_machine.oracle import Violation
from state_machine.records import Movement, Request, Seen
from state_machine.requests import BOUNDS
from state_machine.setup import PARAMETERS, Setup
from state_machine.world import World

from amigobot_driver.connection_policy import SIP_TIMEOUT
from amigobot_driver.robot import LinkState, Odometry, Outcome, Refused, Report
from amigobot_driver.robot.motion.goal import START_LIMIT
from amigobot_driver.ros.parameters import TABLE

from .node_bench import NodeBench
from .remote_robot import RemoteRobot

T = TypeVar("T")

#: s that messages and threads may take on a busy computer, beside what this process notices of it.
SLACK = 1.5
#: s more for each answer of a service.
ANSWER_SLACK = 20.0
#: s that a request may outlive its session: its answer is on the way.
ORPHAN_SLACK = 5.0
_OWN = {"port", "enable_stamped_cmd_vel", "allow_raw_commands", "odometry_state_max_age"}


class NodeWorld(World):
    """Everything together. A method that acts returns when the node has answered, so time passes meanwhile."""

    bench: NodeBench

    def __init__(self, setup: Setup) -> None:
        self._began_call = 0.0
        super().__init__(dataclasses.replace(setup, walls=False))
        self._diagnosed = math.inf  # the node's own diagnostics are looked at
        self._began_call = self.now
        self._remote = RemoteRobot(self.bench, self.profile)
        self.latched_changed = self.now  #: s, when the emergency stop was last latched or cleared

    def _make_bench(self) -> NodeBench:
        defaults = {spec.name: spec.default for spec in TABLE}
        parameters: dict[str, object] = {
            name: value for name, value in self.values.items() if value != defaults[name] and name not in _OWN
        }
        parameters.update(enable_stamped_cmd_vel=False, allow_raw_commands=True, odometry_state_max_age=0.0)
        return NodeBench(setup=self.setup, parameters=parameters, witnesses=self.witnesses)

    @property
    def punctual_since(self) -> float:
        """Never: bytes and messages come when the computer has the time."""
        return math.inf

    @punctual_since.setter
    def punctual_since(self, since: float) -> None:
        """Ignore what is so on a simulated clock."""

    # -- what the node says -----------------------------------------------------------------------------------

    @property
    def robot(self) -> RemoteRobot:
        if self.bench.config and self.bench.config.profile:
            self._remote.identified(self.bench.config)
        return self._remote

    @property
    def running(self) -> bool:
        return self.bench.status is not None and self.bench.status.link_state == LinkState.RUNNING.value

    @property
    def knows_the_limits(self) -> bool:
        """Nothing is published when the robot confirms them: who compares a velocity waits instead."""
        return True

    @property
    def note(self) -> str:
        return self.bench.status.link_text if self.bench.status else "no status has come"

    @property
    def connections(self) -> int:
        return int(self.bench.diagnostics.get("link", (0, {}))[1].get("connections", 0))

    @property
    def silence(self) -> float:
        return SIP_TIMEOUT

    @property
    def report(self) -> Report | None:
        """The status, as a report of the core."""
        return self.bench.status_report()

    @property
    def emergency(self) -> bool:
        return self._remote.latched

    @property
    def accounts(self) -> tuple[int, int]:
        """The node shows its counters once a second only."""
        return 0, 0

    def _count_commands(self) -> None:
        """Likewise."""

    @property
    def odometry(self) -> Odometry:
        return self.bench.odometry

    @property
    def reaction(self) -> float:
        return super().reaction + SLACK + 3 * self.bench.lateness

    @property
    def reconnection(self) -> float:
        return super().reconnection + ANSWER_SLACK

    @property
    def motors_are_coming(self) -> bool:
        """What a goal waits for, the answer of the action says later than this can be known."""
        return False

    @property
    def values_are_coming(self) -> bool:
        """Those of the session, for some seconds, and those of requests."""
        return not self.running_for(START_LIMIT) or any(request.kind == "tuning" for request in self.requests)

    # -- calls ------------------------------------------------------------------------------------------------

    def call(self, action: Callable[[], T], *documented: type[Exception]) -> T | Exception:
        self._began_call = self.now
        try:
            return action()
        except documented as refusal:
            return refusal
        except TimeoutError as error:
            raise Violation(str(error)) from None

    def _allow(self, allowance: Allowance, now: float | None = None, until: float = math.inf) -> None:
        """The robot may do what is asked for from when the call began; what ends does so when it is answered."""
        super()._allow(allowance, self._began_call if allowance and now is None else now, until)

    def request(
        self,
        kind: str,
        text: str,
        action: Callable[[], Future[Outcome]],
        judge: Callable[[Outcome], str] = lambda outcome: "",
        *documented: type[Exception],
        bound: float | None = None,
        ends_with_session: bool = True,
    ) -> Request | Exception:
        bound = (BOUNDS[kind] if bound is None else bound) + ANSWER_SLACK
        return super().request(kind, text, action, judge, *documented, bound=bound, ends_with_session=ends_with_session)

    def observe(self) -> Seen:
        for movement in self.finished_movements:
            # Status and result come on ways of their own: the result knows whether the link was up.
            assert movement.outcome
            movement.linked = "may have rolled on" not in movement.outcome.message
        return super().observe()

    def _wait(self, seconds: float) -> None:
        super()._wait(seconds)
        for request in self.requests:
            request.orphaned -= seconds * (1 - 1 / ORPHAN_SLACK) if request.orphaned else 0.0

    def move(self, distance: float) -> Movement | Refused:
        return self._from_now(lambda: super(NodeWorld, self).move(distance))

    def turn(self, angle: float, *, absolute: bool) -> Movement | Refused:
        return self._from_now(lambda: super(NodeWorld, self).turn(angle, absolute=absolute))

    def _from_now(self, start: Callable[[], Movement | Refused]) -> Movement | Refused:
        """Start a movement that is measured from now, not from the answer."""
        witness = self.witness
        travel, before, calm = witness.travel, witness.now, self.in_order and self.running
        movement = start()
        if isinstance(movement, Movement):
            movement.travel, movement.heading = travel, before.heading
            movement.in_order = before.at_rest and calm and self.running
        return movement

    def cancel(self) -> None:
        """Cancel the goal, and wait for its result all the same."""
        self.call(self.robot.cancel)
        self._allow(Allowance())

    def _rest(self, action: Callable[[], None]) -> None:
        latched = self.emergency
        super()._rest(action)
        if self.emergency is not latched:
            self.latched_changed = self.now

    def set_odometry(self, x: float, y: float, yaw: float) -> None:
        # What comes from now until a moment after the answer may be of either pose.
        self.bench.discard_odometry()
        answer = self.call(lambda: self.robot.set_odometry(x, y, yaw))
        if isinstance(answer, Outcome) and not answer.success:
            raise Violation(f"AnswersAreTrue: the pose {x}, {y}, {yaw} was refused: {answer.message}")
        self.bench.run(0.05)
        self.bench.ignore_odometry_until = self.now
        self.settings += 1
        self.odometry_set = x, y, yaw

    def set_pid(self, servo: int, terms: tuple[int, int, int], *, set_zeros: bool) -> None:
        names = ("kp", "kv", "ki")
        fields = dict(zip(names, terms, strict=True))
        if self.running:
            prefix = ("rot", "trans")[servo]
            self.touched |= {f"{prefix}_{name}" for name, term in fields.items() if term or set_zeros}
        self.request(
            "tuning", f"set_pid({servo}, {fields})", lambda: self.robot.set_pid(servo, fields, set_zeros=set_zeros)
        )

    def set_parameter(self, name: str, value: object) -> bool:
        """Set a parameter; the node must take it exactly if its table allows it."""
        spec = PARAMETERS[name]
        try:
            checked, reason = spec.check(value), ""
        except ValueError as error:
            checked, reason = None, str(error)
        if spec.tunes and not reason:
            self.touched.add(spec.tunes[0])
        request = SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
        answer = self.call(lambda: self._parameters(request))
        if answer.successful is bool(reason) or not (answer.successful or answer.reason):
            raise Violation(f"AnswersAreTrue: {name} = {value!r} was answered {answer}, the table says {reason!r}")
        if reason:
            return False
        self.values[name] = checked
        if name in ("max_linear_velocity", "max_angular_velocity"):
            self._limits_changed()
        return True

    def _parameters(self, request: Any) -> Any:
        client = self.robot._client(SetParameters, "amigobot/set_parameters")
        future = client.call_async(request)
        self.bench.wait_until(future.done, "RequestsAreAnswered: set_parameters is not answered")
        return future.result().results[0]

    # -- what people do ---------------------------------------------------------------------------------------

    def close(self) -> None:
        """End the node as Ctrl-C does."""
        self.closed = True
        self.bench.end_node()
        self._replaced()
        self._allow(Allowance())
        self.requests.clear()

    def finish(self) -> None:
        """End all processes."""
        self.bench.close()
