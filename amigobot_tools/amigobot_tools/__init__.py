# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Subcommands of `amigobot` that need more than the driver does: full-screen views and tools for driving."""
