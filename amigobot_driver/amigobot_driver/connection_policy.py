# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""How the driver connects, keeps a connection, notices its loss and connects again: every time and count, in one place.

The procedure itself is in `robot/session.py` and in the greetings of the dialects; docs/protocol 3.3 describes it.
Times are in s. The spacing of commands differs between robots, so it is in the profile: `command_spacing`.
"""

from __future__ import annotations

# -- opening the port ---------------------------------------------------------------------------------------------

#: First pause before a port that could not be opened, or was lost, is opened again; see `open_backoff`.
OPEN_RETRY_FIRST = 0.25
#: Longest such pause. A cable that is plugged in again is used within it; a missing one costs one system call in it.
OPEN_RETRY_MAX = 1.0
#: Time in which a TCP peer must accept a connection.
TCP_CONNECT_TIMEOUT = 5.0
#: Time in which a peer that serves another client closes the connection: a simulator, or a bridge.
TCP_TAKEN = 0.2
#: Time without a byte after which a TCP connection is opened again: a robot answers within one second. A device between
#: here and the robot may have lost its connection to the robot and keep ours open forever.
TCP_SILENCE = 5.0
#: Time that a write may take: a peer or an adapter that takes no bytes is lost.
WRITE_TIMEOUT = 1.0
#: Time that a read may block. Silence of the robot is detected at most this much later.
READ_TIMEOUT = 0.25

# -- finding the robot --------------------------------------------------------------------------------------------

#: Time to listen for an open session before SYNC0: two SIPs and a half (docs/protocol 3.3).
LISTEN = 0.25
#: Time to wait for the answer to one packet of a greeting. ARIA waits 1 s, Player 0.2 s (docs/protocol 3.3).
ANSWER_TIMEOUT = 0.5
#: Times that CONFIG, the greeting of an Erratic, is sent until the robot counts as absent.
GREETINGS = 3
#: Line speeds in baud, the most probable first: AmigoBot; RosAria and ARIA; p2os2 and bridges.
SEARCH_SPEEDS = (9600, 38400, 115200, 57600, 19200)
#: Rounds of synchronization at each speed. The first pass has one, so that all speeds need 5 s, as in p2os and Player.
SYNC_ROUNDS = 3
#: Default time to wait for a robot: two passes over the line speeds, 5 s and 12 s, and the time to open a session.
CONNECT_TIMEOUT = 20.0
#: Pause between the answer to SYNC2 and OPEN, and after each frame that ends an old session or synchronization.
SETTLE = 0.1
#: Time to wait for the first SIP after OPEN.
FIRST_SIP_TIMEOUT = 1.0
#: Times that OPEN is sent in one attempt.
OPEN_TRIES = 3
#: Visits to the line speed of the last session before others are tried: about a minute. A robot that comes back in
#: range would be missed while another speed is tried.
VISITS_AT_KNOWN_SPEED = 24
#: Line speed at which a radio modem is called.
MODEM_BAUD = 9600
#: Time for its first text (Player waits 50 ms, ARIA 1 s). Without text there is none, or it is connected already.
MODEM_ANSWER = 0.3
#: Time in which it finds the modem of the robot.
MODEM_CONNECT = 5.0
#: Pause before a port at which another robot answers is asked again.
OTHER_ROBOT_PAUSE = 2.0
#: Time without a packet after which a session that another client left open has ended.
OLD_SESSION_SILENCE = 0.25
#: Times that CLOSE is sent for it at most.
OLD_SESSION_CLOSES = 8

# -- keeping the session ------------------------------------------------------------------------------------------

#: Time without a command after which the firmware stops the robot, as the driver assumes it: the default of the FLASH
#: parameter WatchDog in the manuals (docs/protocol 3.6 and 6.4). The next four times are derived from it.
WATCHDOG = 2.0
#: Time between two keep-alive commands: several of them may get lost before the watchdog stops the robot.
KEEP_ALIVE = WATCHDOG / 8
#: The same while the robot is at rest, as in ARIA (docs/protocol 3.6).
KEEP_ALIVE_AT_REST = WATCHDOG / 4
#: Time without a frame from the driver after which the robot's watchdog may have stopped it: any frame but STOP would
#: revive its velocity (docs/protocol 3.6).
DRIVER_SILENCE = WATCHDOG / 2
#: Longest time that a robot drives without commands: until its watchdog stops it, and 3 s for braking and late packets.
MAX_ROLL = WATCHDOG + 3.0
#: Time without a SIP after which the link is lost: ten info cycles.
SIP_TIMEOUT = 1.0
#: The same for the motor packets of an Erratic, which come every 50 ms. A reset switches its motors off, and only this
#: silence shows the reset, which lasts longer.
ERRATIC_SIP_TIMEOUT = 0.5
#: Time after the timeout in which the reader may still deliver packets: after a freeze of the process the writer thread
#: can be the first to run, while the packets of that time wait in the port.
LOSS_GRACE = 1.0
#: Time after RESET in which the end of a session is the effect of RESET.
RESTART = 3.0

# -- closing ------------------------------------------------------------------------------------------------------

#: Time that the robot must be silent after CLOSE, or the driver sends CLOSE again.
CLOSE_SILENCE = 0.25
#: Times that CLOSE is sent at most.
CLOSE_TRIES = 3


def open_backoff(failures: int) -> float:
    """Return the time (s) to wait before the port is opened again, after this many earlier failures in a row."""
    return min(OPEN_RETRY_MAX, OPEN_RETRY_FIRST * 2.0 ** min(failures, 10))
