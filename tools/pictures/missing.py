# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The error of a picture that this machine cannot draw."""


class MissingProgramError(Exception):
    """A program or a result that a picture is made from is not here; the text says how to get it."""
