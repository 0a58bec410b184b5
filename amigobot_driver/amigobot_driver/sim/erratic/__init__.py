# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The simulated Videre Erratic: another controller with the same hardware (docs/protocol 3.8, 5.11-5.15, 8.9)."""
