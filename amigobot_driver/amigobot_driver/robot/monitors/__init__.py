# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""What packets show of the link, the motors and the wheels, counted or judged."""
