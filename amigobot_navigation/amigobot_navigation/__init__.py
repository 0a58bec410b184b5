# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What the launch files of this package do to parameter files: fit them to a robot."""
