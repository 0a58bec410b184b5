# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The nodes and topics of ROS around the driver: settings, other publishers, types, clocks.

The graph is read by `cli.graph_reader`; the figures here need no ROS.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from ..wording import domain_problem
from .finding import Finding
from .table import findings_of

#: Type of the topic that only a driver of this package publishes.
STATUS_TYPE = "amigobot_msgs/msg/RobotStatus"
#: What rclpy calls a node whose name has not been discovered yet.
UNKNOWN_NODE = "_NODE_NAME_UNKNOWN_"
#: The parts of the table.
_PARTS = ("ROS settings", "ROS nodes", "ROS topics", "ROS types", "ROS clocks")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A publisher or subscriber of a topic."""

    node: str  #: with its namespace
    kind: str  #: type of the messages


class Users(NamedTuple):
    """The nodes at a topic of a driver, without it."""

    topic: str
    nodes: list[str]
    own_type: str = ""  #: that of the driver

    @property
    def names(self) -> str:
        """All of them."""
        return " and ".join(sorted(self.nodes))

    def __str__(self) -> str:
        return f"{self.names or 'no node'} publishes {self.topic}"


@dataclass(frozen=True, slots=True)
class Graph:
    """What one node sees of ROS."""

    variables: Mapping[str, str] = field(default_factory=dict)  #: those of the environment that concern ROS
    nodes: tuple[str, ...] = ()  #: with their namespaces; a name that is used twice is there twice
    publishers: Mapping[str, tuple[Endpoint, ...]] = field(default_factory=dict)  #: by topic
    subscribers: Mapping[str, tuple[Endpoint, ...]] = field(default_factory=dict)
    ages: Mapping[str, float] = field(default_factory=dict)  #: s, of the newest message of an `odom` topic
    problem: str = ""  #: why no node can look at ROS, if it is not the domain

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

    @property
    def names(self) -> list[str]:
        """The names of the drivers."""
        return sorted({node for _, node in self.drivers})

    @property
    def doubled(self) -> list[str]:
        """Names of drivers that several nodes have."""
        return [name for name in self.names if self.nodes.count(name) > 1][:1]

    @property
    def domain(self) -> str:
        """The ROS domain."""
        return self.variables.get("ROS_DOMAIN_ID", "") or "0"

    @property
    def domain_problem(self) -> str:
        """Why no node can run in this domain; "": one can."""
        return domain_problem(self.domain)

    @property
    def discovery(self) -> str:
        """The range of discovery."""
        return self.variables.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "")

    @property
    def local(self) -> bool:
        """Whether nodes of other computers are not seen."""
        return self.discovery == "LOCALHOST" or self.variables.get("ROS_LOCALHOST_ONLY") == "1"

    def other_publishers(self, name: str) -> list[Users]:
        """Return who else publishes a topic of each driver."""
        topics = [(f"{namespace}{name}", node) for namespace, node in self.drivers]
        return [Users(at, [end.node for end in self.publishers.get(at, ()) if end.node != own]) for at, own in topics]

    @property
    def other_types(self) -> list[Users]:
        """Who uses another type than the driver at one of its topics."""
        found = []
        for topic, driver in ((f"{space}{name}", node) for space, node in self.drivers for name in ("cmd_vel", "odom")):
            ends = (*self.publishers.get(topic, ()), *self.subscribers.get(topic, ()))
            own = sorted({end.kind for end in ends if end.node == driver})
            others = sorted({f"{end.node} uses {end.kind}" for end in ends if own and end.kind not in own})
            found += [Users(topic, others[:1], own[0])] if others else []
        return found


def examine_graph(graph: Graph) -> Iterator[Finding]:
    """Yield what every check of ROS finds."""
    for part in _PARTS[:1] if graph.problem or graph.domain_problem else _PARTS:
        yield from findings_of(part, graph)
