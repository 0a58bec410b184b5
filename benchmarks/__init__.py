# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""How fast the driver is, as ratios to a floor that is measured in the same run: `make bench`.

The floor is the least that any driver in Python must do (see `floor`), on this machine, at this moment; so the ratios
can be compared between machines, while the times beside them cannot.
"""
