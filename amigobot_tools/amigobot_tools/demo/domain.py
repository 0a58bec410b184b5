# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""A ROS domain that no other program on this machine uses, so that a demo finds only its own robot."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from contextlib import contextmanager

#: Domains whose ports lie below those that Linux gives to clients.
DOMAINS = range(1, 102)
#: The ports of a DDS domain begin here and are this far apart; a domain's first participant takes the 10th.
_FIRST_PORT, _PORTS, _UNICAST = 7400, 250, 10


@contextmanager
def free_domain() -> Iterator[int]:
    """The number of an unused domain, kept from other demos until the end of the block."""
    for domain in random.sample(DOMAINS, len(DOMAINS)):
        # Linux frees a name in the abstract namespace when its owner ends for any reason.
        with socket.socket(socket.AF_UNIX) as claim, socket.socket(type=socket.SOCK_DGRAM) as probe:
            try:
                claim.bind(f"\0amigobot-demo-{domain}")
                probe.bind(("", _FIRST_PORT + _PORTS * domain + _UNICAST))
            except OSError:
                continue
            probe.close()
            yield domain
            return
    raise RuntimeError(f"all ROS domains from {DOMAINS.start} to {DOMAINS.stop - 1} are in use: end other ROS programs")
