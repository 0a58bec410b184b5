# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Helpers around the packages: set-up, demo, bags. Nothing here is installed with the driver."""
