# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The simulated ActivMedia firmwares: AmigOS, AmigoSH, P2OS, AROS and ARCOS (docs/protocol 8)."""
