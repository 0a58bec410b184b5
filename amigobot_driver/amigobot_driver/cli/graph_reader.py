# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Reads what a node sees of ROS: nodes, endpoints, and how old odometry is when it arrives. Needs ROS."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from operator import attrgetter

from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.time import Time
from rclpy.topic_endpoint_info import TopicEndpointInfo

from ..doctor.graph import Endpoint, Graph
from .temporary_node import TemporaryNode

_DISCOVERY = 2.0  #: s in which nodes are discovered
#: s more if no driver or only a part of one was discovered: Fast DDS repeats its announcements every 3 s.
_MORE = 4.0
_FIRST_MESSAGE = 1.0  #: s in which the odometry of a driver arrives
_VARIABLES = ("ROS_DOMAIN_ID", "ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_LOCALHOST_ONLY", "RMW_IMPLEMENTATION")
_NAME = "amigobot_doctor"


def read_graph() -> Graph:
    """Return what a node sees that is made for this purpose."""
    with TemporaryNode(_NAME) as temporary:
        temporary.spin(_DISCOVERY)
        graph = _graph(temporary.node)
        if not graph.drivers or graph.nameless:
            temporary.spin(_MORE)
            graph = _graph(temporary.node)
        ages = _ages(temporary, [f"{namespace}odom" for namespace, _ in graph.drivers])
    return replace(graph, ages=ages)


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
    """Return the age (s) of the newest message of each topic; one without a stamp has none."""
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
