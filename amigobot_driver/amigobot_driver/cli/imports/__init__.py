# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Reads parameter files of other drivers for these robots: p2os, RosAria, rosaria2, Player and ARIA."""
