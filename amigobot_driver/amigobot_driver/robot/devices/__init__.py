# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The devices of a robot, one module each: what it has beside its wheels and its sonars."""
