# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Settings of the tests that need the repository: its pages and tools, or several of its packages."""

import repeatable  # noqa: F401
