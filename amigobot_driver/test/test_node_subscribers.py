# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""How often the middleware is asked for the subscribers of a topic."""

from __future__ import annotations

from unittest.mock import MagicMock

import pytest

pytest.importorskip("rclpy", reason="rclpy is not installed")

from amigobot_driver.ros.topics import TopicPublisher


def test_subscribers_are_counted_twice_a_second() -> None:
    publisher = MagicMock()
    publisher.get_subscription_count.return_value = 0
    topic = TopicPublisher(publisher)
    assert not topic.subscribed(100.0)
    publisher.get_subscription_count.return_value = 1
    assert not topic.subscribed(100.4)
    assert topic.subscribed(5.0)
