# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The nodes and topics of ROS around the driver: settings, other publishers, types, clocks.

The graph is read by `cli.graph_reader`; the checks here need no ROS.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from ..wording import counted
from .finding import Cause, Finding, Severity

#: Type of the topic that only a driver of this package publishes.
STATUS_TYPE = "amigobot_msgs/msg/RobotStatus"
#: What rclpy calls a node whose name has not been discovered yet.
UNKNOWN_NODE = "_NODE_NAME_UNKNOWN_"
#: s by which the stamps of a message may differ from the clock of this computer.
_OFFSET = 0.5
#: Largest domain whose ports are free on every Linux: above it they meet the ports of outgoing connections.
_LAST_DOMAIN = 101
_RANGES = ("SUBNET", "LOCALHOST", "OFF", "SYSTEM_DEFAULT", "")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A publisher or subscriber of a topic."""

    node: str  #: with its namespace
    kind: str  #: type of the messages


@dataclass(frozen=True, slots=True)
class Graph:
    """What one node sees of ROS."""

    variables: Mapping[str, str] = field(default_factory=dict)  #: those of the environment that concern ROS
    nodes: tuple[str, ...] = ()  #: with their namespaces; a name that is used twice is there twice
    publishers: Mapping[str, tuple[Endpoint, ...]] = field(default_factory=dict)  #: by topic
    subscribers: Mapping[str, tuple[Endpoint, ...]] = field(default_factory=dict)
    ages: Mapping[str, float] = field(default_factory=dict)  #: s, of the newest message of an `odom` topic

    @property
    def nameless(self) -> bool:
        """Whether the name of some publisher or subscriber has not been discovered yet."""
        ends = chain(*self.publishers.values(), *self.subscribers.values())
        return any(UNKNOWN_NODE in end.node for end in ends)

    @property
    def drivers(self) -> list[tuple[str, str]]:
        """Namespace, with a slash at its end, and node of each driver."""
        return [
            (topic.removesuffix("status"), endpoint.node)
            for topic, endpoints in sorted(self.publishers.items())
            for endpoint in endpoints
            if endpoint.kind == STATUS_TYPE and topic.endswith("/status")
        ]


def ros_settings(graph: Graph) -> Iterator[Finding]:
    """The variables of the environment let nodes see each other."""
    domain = graph.variables.get("ROS_DOMAIN_ID", "") or "0"
    discovery = graph.variables.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "")
    rmw = graph.variables.get("RMW_IMPLEMENTATION", "") or "default RMW"
    if not domain.isdecimal() or int(domain) > _LAST_DOMAIN:
        text = f"ROS_DOMAIN_ID is {domain}; 0 to {_LAST_DOMAIN} work on every computer."
        cause = Cause("ros-domain", text, "In each terminal and on each computer:", "export ROS_DOMAIN_ID=0")
        yield Finding("ROS settings", Severity.WARNING, f"domain {domain}", (cause,))
        return
    if discovery not in _RANGES or discovery == "OFF":
        text = f"ROS_AUTOMATIC_DISCOVERY_RANGE is {discovery}: nodes do not find each other."
        command = "export ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET"
        cause = Cause("ros-discovery", text, "", command)
        yield Finding("ROS settings", Severity.WARNING, f"discovery {discovery}", (cause,))
        return
    local = discovery == "LOCALHOST" or graph.variables.get("ROS_LOCALHOST_ONLY") == "1"
    reach = "this computer only" if local else "the network"
    yield Finding("ROS settings", Severity.NOTE if local else Severity.OK, f"domain {domain}, {reach}, {rmw}")


def ros_nodes(graph: Graph) -> Iterator[Finding]:
    """Each driver has a name of its own."""
    drivers = graph.drivers
    names = [node for _, node in drivers]
    doubled = sorted(node for node, count in Counter(graph.nodes).items() if count > 1 and node in names)
    if doubled:
        text = f"Two nodes have the name {doubled[0]}: services reach either of them."
        action = "Give each robot a namespace, or end one of them:"
        cause = Cause("ros-names", text, action, "ros2 launch amigobot_driver amigobot.launch.py namespace:=robot2")
        yield Finding("ROS nodes", Severity.WARNING, f"{doubled[0]} runs twice", (cause,))
    elif drivers:
        yield Finding("ROS nodes", Severity.OK, f"the driver runs: {', '.join(sorted(set(names)))}")
    else:
        seen = f"among {counted(len(graph.nodes), 'node')}" if graph.nodes else "and no other node"
        yield Finding("ROS nodes", Severity.NOTE, f"no driver runs here, {seen}")


def ros_publishers(graph: Graph) -> Iterator[Finding]:
    """One node commands each driver, and nothing else publishes its odometry."""
    for namespace, driver in graph.drivers:
        commanders = [endpoint.node for endpoint in graph.publishers.get(f"{namespace}cmd_vel", ())]
        others = [e.node for e in graph.publishers.get(f"{namespace}odom", ()) if e.node != driver]
        if len(commanders) > 1:
            text = f"{_listed(commanders)} publish {namespace}cmd_vel: the robot follows whichever message came last."
            action = "End all but one, or put a twist_mux between:"
            cause = Cause("ros-cmd-vel", text, action, f"ros2 topic info -v {namespace}cmd_vel")
            shown = f"{counted(len(commanders), 'publisher')} of {namespace}cmd_vel"
            yield Finding("ROS topics", Severity.WARNING, shown, (cause,))
        if others:
            text = f"{_listed(others)} publishes {namespace}odom, too: poses jump between two sources."
            action = "Remap one of the two, as ekf.launch.py does:"
            cause = Cause("ros-odom", text, action, f"ros2 topic info -v {namespace}odom")
            yield Finding("ROS topics", Severity.WARNING, f"other publishers of {namespace}odom", (cause,))
        if not others and len(commanders) <= 1:
            commander = commanders[0] if commanders else "no node"
            yield Finding("ROS topics", Severity.OK, f"{commander} publishes {namespace}cmd_vel")


def ros_types(graph: Graph) -> Iterator[Finding]:
    """Publishers and subscribers of a topic agree on its type."""
    for namespace, driver in graph.drivers:
        for name in ("cmd_vel", "odom"):
            topic = f"{namespace}{name}"
            endpoints = (*graph.publishers.get(topic, ()), *graph.subscribers.get(topic, ()))
            own = {end.kind for end in endpoints if end.node == driver}
            others = sorted({f"{end.node} uses {end.kind}" for end in endpoints if own and end.kind not in own})
            if not others:
                continue
            kind = sorted(own)[0]
            text = f"{others[0]}, and the driver uses {kind} on {topic}: no message arrives."
            stamped = "false" if kind.endswith("TwistStamped") else "true"
            command = (
                f"ros2 launch amigobot_driver amigobot.launch.py enable_stamped_cmd_vel:={stamped}"
                if name == "cmd_vel"
                else f"ros2 topic info -v {topic}"
            )
            cause = Cause("ros-types", text, "Restart the driver with the other type:" * (name == "cmd_vel"), command)
            yield Finding("ROS types", Severity.ERROR, f"two types on {topic}", (cause,))


def ros_clocks(graph: Graph) -> Iterator[Finding]:
    """The clock of the driver's computer agrees with that of this one."""
    for topic, age in sorted(graph.ages.items()):
        if abs(age) > _OFFSET:
            way = "behind" if age > 0 else "ahead of"
            text = f"The messages of {topic} are stamped {abs(age):.1f} s {way} the clock of this computer."
            action = "Synchronize both clocks; on each computer:"
            cause = Cause("ros-clock", text, action, "sudo timedatectl set-ntp true")
            yield Finding("ROS clocks", Severity.WARNING, f"{topic} is {abs(age):.1f} s {way} this clock", (cause,))
        else:
            yield Finding("ROS clocks", Severity.OK, f"{topic} is {1000 * age:.0f} ms old when it arrives")


#: The checks of ROS in their order; the first line of each docstring names what it examines.
GRAPH_CHECKS: tuple[Callable[[Graph], Iterator[Finding]], ...] = (
    ros_settings,
    ros_nodes,
    ros_publishers,
    ros_types,
    ros_clocks,
)


def examine_graph(graph: Graph) -> Iterator[Finding]:
    """Yield what every check of ROS finds."""
    for examine in GRAPH_CHECKS:
        yield from examine(graph)


def _listed(names: list[str]) -> str:
    return " and ".join(sorted(names))
