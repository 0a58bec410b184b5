# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The parameters of one node: declared from the table, checked at the start and at run time."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from ..parameter_table import TABLE, Scalar, Spec
from ..robot import Options

#: Value of sonar_on_connect with which the sonars fire only for subscribers.
SONAR_WHEN_SUBSCRIBED = "when_subscribed"

_BY_NAME = {spec.name: spec for spec in TABLE}

#: Begins a port that is a recording. The rest is the name below which its topics are played.
REPLAY_SCHEME = "replay://"

#: Parameters that rclpy declares. There is no qos_overrides: no publisher and no subscription of the node takes it.
_OF_ROS = ("use_sim_time", "start_type_description_service")


def unknown_text(name: str) -> str:
    """Return the warning about a parameter that this node does not have."""
    import difflib  # imported here: 0.15 MB, seldom needed

    near = difflib.get_close_matches(name, (*_BY_NAME, *_OF_ROS), n=1)
    proposal = f"did you mean {near[0]}?" if near else "`ros2 param list` shows those it has"
    return f"parameter {name} is not known to this node and has no effect: {proposal}"


class BadParameterError(Exception):
    """The node cannot start with this parameter value. The message is one line for the user."""


class NodeParameters:
    """The checked parameters of one node.

    Raises:
        BadParameterError: A value that the node was started with is not allowed.
    """

    def __init__(self, node: Node) -> None:
        """Declare the parameters.

        Args:
            node: A node that has already declared the parameters it was started with.
        """
        self._node = node
        self._values: dict[str, Scalar] = {}
        given = [name for name in node.get_parameters_by_prefix("") if name not in _OF_ROS]
        #: parameters that the node was started with and does not have
        self.unknown = tuple(name for name in given if name not in _BY_NAME)
        for name in given:
            # Known ones are declared again below, with a descriptor. Unknown ones must not look effective.
            node.undeclare_parameter(name)
        for spec in TABLE:
            value = node.declare_parameter(spec.name, spec.default, ParameterDescriptor(dynamic_typing=True)).value
            try:
                self._values[spec.name] = spec.check(value)
            except ValueError as error:
                raise BadParameterError(str(error)) from None
            # Only now: the message of rclpy for a value out of range does not name the allowed range.
            node.set_descriptor(spec.name, _descriptor(spec))
        if not all(word.isdecimal() for word in str(self["sonar_sequence"]).split()):
            allowed = "numbers from 0, separated by spaces"
            raise BadParameterError(f"parameter sonar_sequence is {self['sonar_sequence']!r}, allowed: {allowed}")

    def __getitem__(self, name: str) -> Scalar:
        return self._values[name]

    def options(self) -> Options:
        """Return the options of the driver core that follow from the parameters."""
        values = self._values
        names = {field.name for field in fields(Options)}
        chosen: dict[str, Any] = {
            option: values[spec.name] for spec in TABLE if (option := spec.option or spec.name) in names
        }
        chosen |= {
            "profile": str(values["param_file"] or values["robot"]),
            "sonar_on_connect": values["sonar_on_connect"] is True,
            "sonar_sequence": tuple(map(int, str(values["sonar_sequence"]).split())),
            "encoder_odometry": values["odometry_source"] == "encoders",
            "gyro": values["gyro"] == "auto",
            "tuning": {
                spec.tunes: round(float(values[spec.name]) * spec.factor)
                for spec in TABLE
                if spec.tunes and values[spec.name] != spec.default
            },
        }
        return Options(**chosen)

    def check(self, changes: list[Parameter]) -> SetParametersResult:
        """Accept or reject changes at run time, all or none; a rejection has a reason."""
        for change in changes:
            if change.name in _BY_NAME:
                try:
                    _BY_NAME[change.name].check(change.value)
                except ValueError as error:
                    return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def apply(self, changes: list[Parameter]) -> None:
        """Apply changes that `check` has accepted."""
        for change in changes:
            if change.name in _BY_NAME:
                self._values[change.name] = _BY_NAME[change.name].check(change.value)


def _descriptor(spec: Spec) -> ParameterDescriptor:
    """Return the ROS descriptor with description, range and constraints."""
    text = f"{spec.description} [{spec.unit}]" if spec.unit else spec.description
    descriptor = ParameterDescriptor(
        name=spec.name,
        description=text,
        additional_constraints=spec.range_text(),
        dynamic_typing=spec.has_dynamic_type,
    )
    if not spec.has_dynamic_type:
        descriptor.type = Parameter.Type.from_parameter_value(spec.default).value
    descriptor.read_only = not spec.at_run_time
    if spec.has_range and spec.kind is float:
        low, high = map(float, spec.allowed)
        descriptor.floating_point_range = [FloatingPointRange(from_value=low, to_value=high)]
    elif spec.has_range:
        low, high = map(int, spec.allowed)
        descriptor.integer_range = [IntegerRange(from_value=low, to_value=high, step=1)]
    return descriptor
