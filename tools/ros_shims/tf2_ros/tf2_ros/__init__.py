# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The part of tf2_ros that a driver needs: the two broadcasters, with the real ones' names and QoS."""

from tf2_ros.static_transform_broadcaster import StaticTransformBroadcaster
from tf2_ros.transform_broadcaster import TransformBroadcaster

__all__ = ["StaticTransformBroadcaster", "TransformBroadcaster"]
