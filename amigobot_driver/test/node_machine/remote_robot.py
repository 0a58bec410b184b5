# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The requests of the driver core as a user of the node makes them: the same names, over ROS."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from geometry_msgs.msg import Twist
from rclpy.action import ActionClient
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger

from amigobot_driver.profiles import Profile, load_profile
from amigobot_driver.robot import Outcome, Refused
from amigobot_msgs.action import Move, Turn
from amigobot_msgs.msg import HeadingVelocity, RobotConfig, WheelVelocities
from amigobot_msgs.srv import (
    AuxRead,
    AuxWrite,
    GetRobotConfig,
    Gripper,
    ListSounds,
    PlaySound,
    ResetRobot,
    SaveConfig,
    Say,
    SelectAnalogInput,
    SendCommand,
    SetDigitalOutputs,
    SetMotorPwm,
    SetOdometry,
    SetPid,
    SetRobotConfig,
    SetSonarSequence,
)

if TYPE_CHECKING:
    from .node_bench import NodeBench

#: s between two commands on the line: the slowest robot's.
_SPACING = 0.02


class RemoteGoal:
    """A goal that the node has accepted."""

    def __init__(self, wanted: float) -> None:
        self.ended: Future[Outcome] = Future()
        self.covered = 0.0  #: m or rad, as the result or else the last feedback says
        self.wanted = wanted
        self.started = False  #: feedback or the result has come
        self.handle: Any = None


class RemoteRobot:
    """The driver behind the node. Each method takes what the one of `Robot` takes; `now` is not used."""

    def __init__(self, bench: NodeBench, profile: Profile) -> None:
        self._bench = bench
        self._clients: dict[str, Any] = {}
        self._actions = {kind: ActionClient(bench.client.node, kind, kind.__name__.lower()) for kind in (Move, Turn)}
        self._goal: RemoteGoal | None = None
        self.profile = profile
        self.latched = False  #: the emergency stop
        self.not_numbers = 0  #: velocities that are no numbers, published while a node was there to refuse them
        self.queue = SimpleNamespace(spacing=_SPACING)
        self.bandwidth = SimpleNamespace(info_cycle=profile.link.info_cycle)
        self.digital_outputs = SimpleNamespace(
            set=lambda mask, states, now: self.ask(SetDigitalOutputs, "set_digital_outputs", mask=mask, states=states)
        )
        self.analog_input = SimpleNamespace(
            select=lambda port, now: self.ask(SelectAnalogInput, "select_analog_input", port=port)
        )
        self.sounds = SimpleNamespace(
            switch=lambda on, now: self.ask(SetBool, "enable_sounds", data=on),
            play=lambda number, now: self.ask(PlaySound, "play_sound", number=number),
            say=self._say,
            list=lambda refresh, now: self.ask(ListSounds, "list_sounds", refresh=refresh),
        )
        self.gripper = SimpleNamespace(
            order=lambda name, duration, now: self.ask(Gripper, "gripper", order=name, duration=duration)
        )
        self.charger = SimpleNamespace(deploy=lambda out, now: self.ask(SetBool, "deploy_charger", data=out))
        self.aux = tuple(self._port(number) for number in (1, 2, 3))
        self.servos = SimpleNamespace(
            turn=lambda joint, angle, now: bench.publish(
                "servo_commands", JointState(name=[joint], position=[float(angle)])
            )
        )
        self.pwm = SimpleNamespace(
            set=lambda frequency, duty, now: self.answer(
                SetMotorPwm, "set_motor_pwm", frequency=frequency, max_duty=duty
            )
        )
        self.flash = SimpleNamespace(save=lambda: self.answer(SaveConfig, "save_config", overwrite_flash=True))
        self.working_values = SimpleNamespace(
            set=lambda values, now: self.ask(
                SetRobotConfig, "set_robot_config", names=list(values), values=list(values.values())
            ),
            read=lambda now: self.ask(GetRobotConfig, "get_robot_config"),
        )

    def identified(self, config: RobotConfig) -> None:
        """The node has published which robot it is."""
        self.profile = load_profile(config.profile)

    # -- services ---------------------------------------------------------------------------------------------

    def ask(self, kind: Any, name: str, **fields: Any) -> Future[Outcome]:
        """Call a service. Raises Refused for values that its message cannot have."""
        try:
            request = kind.Request(check_fields=True, **fields)
        except (AssertionError, OverflowError) as error:
            raise Refused(f"{name}: {error}") from None
        client = self._client(kind, name)
        answer: Future[Outcome] = Future()

        def answered(done: Any) -> None:
            response = done.result()
            answer.set_result(Outcome(response.success, response.message))

        client.call_async(request).add_done_callback(answered)
        return answer

    def answer(self, kind: Any, name: str, **fields: Any) -> Outcome:
        """Call a service that answers at once, and wait for its answer. Raises Refused likewise."""
        future = self.ask(kind, name, **fields)
        self._bench.wait_until(future.done, f"RequestsAreAnswered: {name} is not answered")
        return future.result()

    def _client(self, kind: Any, name: str) -> Any:
        if name not in self._clients:
            client = self._clients[name] = self._bench.client.node.create_client(kind, name)
            self._bench.wait_until(client.service_is_ready, f"RequestsAreAnswered: there is no service {name}")
        return self._clients[name]

    # -- motion -----------------------------------------------------------------------------------------------

    def drive(self, linear: float, angular: float, now: float) -> None:
        twist = Twist()
        twist.linear.x, twist.angular.z = float(linear), float(angular)
        self._drive("cmd_vel", twist, linear, angular)

    def drive_wheels(self, left: float, right: float, now: float) -> None:
        self._drive("cmd_wheels", WheelVelocities(left=float(left), right=float(right)), left, right)

    def drive_course(self, linear: float, yaw: float, now: float) -> None:
        self._drive("cmd_heading", HeadingVelocity(velocity=float(linear), heading=float(yaw)), linear, yaw)

    def _drive(self, topic: str, message: Any, *values: float) -> None:
        """Publish a velocity. Raises Refused where the node must refuse it, as a topic has no answer."""
        self._bench.publish(topic, message)
        if not all(map(math.isfinite, values)):
            self.not_numbers += 1
            raise Refused("a value is no number")
        if self.latched:
            raise Refused("the emergency stop is latched")

    def move(self, distance: float, now: float) -> RemoteGoal:
        return self._start(Move, Move.Goal(distance=float(distance)), distance)

    def turn(self, angle: float, now: float, *, absolute: bool = False) -> RemoteGoal:
        wanted = math.remainder(angle - self._bench.yaw, math.tau) if absolute and math.isfinite(angle) else angle
        return self._start(Turn, Turn.Goal(angle=float(angle), absolute=absolute), wanted)

    def _start(self, kind: Any, request: Any, wanted: float) -> RemoteGoal:
        """Send a goal, and wait until it has begun. Raises Refused with the node's reason."""
        client, goal = self._actions[kind], RemoteGoal(wanted)
        self._bench.wait_until(client.server_is_ready, f"RequestsAreAnswered: there is no action {kind.__name__}")

        def on_feedback(message: Any) -> None:
            goal.started = True
            goal.covered = wanted - message.feedback.remaining

        def on_result(done: Any) -> None:
            result = done.result().result
            goal.started = True
            goal.covered = result.travelled if kind is Move else goal.covered
            if not goal.ended.done():
                goal.ended.set_result(Outcome(result.success, result.message))

        def on_response(done: Any) -> None:
            goal.handle = done.result()
            goal.handle.get_result_async().add_done_callback(on_result)

        client.send_goal_async(request, feedback_callback=on_feedback).add_done_callback(on_response)
        self._bench.wait_until(lambda: goal.started, f"RequestsAreAnswered: {kind.__name__} says nothing of its goal")
        if goal.ended.done() and goal.ended.result().message.startswith("refused: "):
            raise Refused(goal.ended.result().message.removeprefix("refused: "))
        self._goal = goal
        return goal

    def cancel(self) -> None:
        """Cancel the newest goal, as a client of the action does."""
        if self._goal and not self._goal.ended.done():
            canceled = self._goal.handle.cancel_goal_async()
            self._bench.wait_until(canceled.done, "RequestsAreAnswered: a cancel is not answered")

    def stop(self, now: float) -> None:
        self.answer(Trigger, "stop")

    def emergency_stop(self) -> None:
        self.answer(Trigger, "emergency_stop")
        self.latched = True

    def clear_emergency_stop(self) -> None:
        self.latched = False
        self.answer(Trigger, "clear_emergency_stop")

    def set_odometry(self, x: float, y: float, yaw: float) -> Outcome:
        if x or y or yaw:
            return self.answer(SetOdometry, "set_odometry", x=float(x), y=float(y), yaw=float(yaw))
        return self.answer(Trigger, "reset_odometry")

    # -- settings and devices ---------------------------------------------------------------------------------

    def enable_motors(self, on: bool, now: float) -> Future[Outcome]:
        return self.ask(SetBool, "enable_motors", data=on)

    def enable_sonar(self, on: bool, now: float) -> Future[Outcome]:
        return self.ask(SetBool, "enable_sonar", data=on)

    def poll_sonars(self, sonars: tuple[int, ...], now: float) -> Future[Outcome]:
        return self.ask(SetSonarSequence, "set_sonar_sequence", sonars=list(sonars), all_sonars=not sonars)

    def set_pid(self, servo: int, terms: Mapping[str, int], *, set_zeros: bool) -> Future[Outcome]:
        return self.ask(SetPid, "set_pid", servo=servo, set_zeros=set_zeros, **terms)

    def reset(self, now: float) -> Future[Outcome]:
        return self.ask(ResetRobot, "reset_robot", confirm=True)

    def send_raw(self, number: int, arguments: list[int], text: bytes) -> Outcome:
        return self.answer(SendCommand, "send_command", number=number, argument=arguments, text=list(text))

    def _say(self, tones: bytes, now: float) -> Future[Outcome]:
        pairs = list(zip(tones[::2], tones[1::2], strict=True))
        durations = [0.02 * max(1, duration) for duration, _ in pairs]
        return self.ask(Say, "say", durations=durations, frequencies=[10.0 * tone for _, tone in pairs])

    def _port(self, number: int) -> SimpleNamespace:
        write: Callable[[bytes], Future[Outcome]] = lambda data: self.ask(  # noqa: E731
            AuxWrite, "aux_write", port=number, data=list(data)
        )
        read: Callable[[int, float, float], Future[Outcome]] = lambda count, timeout, now: self.ask(  # noqa: E731
            AuxRead, "aux_read", port=number, count=count, timeout=float(timeout)
        )
        return SimpleNamespace(writer=SimpleNamespace(write=write), reader=SimpleNamespace(read=read))
