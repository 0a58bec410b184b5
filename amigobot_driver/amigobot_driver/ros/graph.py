# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Reads what a node sees of ROS: nodes, publishers, subscribers, and how old odometry is when it arrives."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from operator import attrgetter

from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.time import Time
from rclpy.topic_endpoint_info import TopicEndpointInfo

from ..doctor import Endpoint, Graph
from .steady import Steady
from .temporary_node import TemporaryNode

#: s in which nodes are discovered, and s in which the odometry of a driver arrives.
_DISCOVERY, _FIRST_MESSAGE = 2.0, 1.0
#: s between two looks, and the longest time (s) of discovery. It has ended when two looks see the same.
_LOOK, _LIMIT = 0.5, 12.0
#: Factor on the time of discovery if there is no driver: a node that misses the first announcements, as on a
#: busy computer, is found with the next, which Fast DDS sends every 3 s.
_ABSENCE = 2.0
_VARIABLES = ("ROS_DOMAIN_ID", "ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_LOCALHOST_ONLY", "RMW_IMPLEMENTATION")
_NAME = "amigobot_doctor"


def read_graph(discovery: float = _DISCOVERY) -> Graph:
    """Return what a node sees that is made for this purpose.

    Args:
        discovery: Least time in s in which other nodes are discovered; twice that if no driver is among them.
    """
    with TemporaryNode(_NAME) as temporary:
        graph = _settled(temporary, discovery)
        ages = _ages(temporary, [f"{namespace}odom" for namespace, _ in graph.drivers])
    return replace(graph, ages=ages)


def _settled(temporary: TemporaryNode, discovery: float) -> Graph:
    """Return the graph when discovery has ended."""
    began, steady = time.monotonic(), Steady()
    temporary.spin(discovery)
    while True:
        graph, now = _graph(temporary.node), time.monotonic()
        settled = steady.observe(graph, now) >= _LOOK and not graph.nameless
        if now - began >= _LIMIT or (settled and (graph.drivers or now - began >= _ABSENCE * discovery)):
            return graph
        temporary.spin(_LOOK)


def _graph(node: Node) -> Graph:
    topics = [name for name, _ in node.get_topic_names_and_types()]
    names = ((namespace, name) for name, namespace in node.get_node_names_and_namespaces())
    return Graph(
        variables={name: os.environ[name] for name in _VARIABLES if name in os.environ},
        nodes=tuple(sorted(_full(*name) for name in names if name[1] != _NAME)),
        publishers={topic: _endpoints(node.get_publishers_info_by_topic(topic)) for topic in topics},
        subscribers={topic: _endpoints(node.get_subscriptions_info_by_topic(topic)) for topic in topics},
    )


def _endpoints(found: Iterable[TopicEndpointInfo]) -> tuple[Endpoint, ...]:
    ends = (Endpoint(_full(info.node_namespace, info.node_name), info.topic_type) for info in found)
    return tuple(sorted((end for end in ends if not end.node.endswith(_NAME)), key=attrgetter("node", "kind")))


def _full(namespace: str, name: str) -> str:
    return f"{namespace.rstrip('/')}/{name}"


def _ages(temporary: TemporaryNode, topics: list[str]) -> dict[str, float]:
    """Age in s of the newest message of each topic; a stamp of zero counts as none."""
    node = temporary.node
    ages: dict[str, float] = {}

    def take(topic: str, message: Odometry) -> None:
        stamp = Time.from_msg(message.header.stamp)
        if stamp.nanoseconds:
            ages[topic] = (node.get_clock().now().nanoseconds - stamp.nanoseconds) / 1e9

    for topic in topics:
        node.create_subscription(Odometry, topic, partial(take, topic), qos_profile_sensor_data)
    if topics:
        temporary.spin(_FIRST_MESSAGE)
    return ages
