# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What record.launch.py records: every topic of the node."""

from __future__ import annotations

import re

import pytest
from launch_files import launch_file, loaded
from ros_bench import node_in_this_process

#: What every node has; transforms and diagnostics are recorded for all robots together.
OF_EVERY_NODE = {"/rosout", "/parameter_events", "/clock"}


def topics_of_the_node(robot: str) -> set[str]:
    """The topics that the node of this robot has, with all that can be switched on."""
    settings = {"port": f"sim://{robot}", "robot": robot, "publish_scan": "true"}
    arguments = [word for name, value in settings.items() for word in ("-p", f"{name}:={value}")]
    with node_in_this_process("-r", "__ns:=/alpha", *arguments) as node:
        return {endpoint.topic_name for endpoint in (*node.publishers, *node.subscriptions)} - OF_EVERY_NODE


@pytest.mark.parametrize("robot", ["amigo-sh", "p3at-sh", "erratic"])
def test_every_topic_of_the_node_is_recorded(robot: str) -> None:
    recorded = loaded(launch_file("record")).topics("alpha", "", packets=True)
    missing = {topic for topic in topics_of_the_node(robot) if not re.search(recorded, topic)}
    assert not missing
