# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The executable `amigobot_node`: runs the node, and stops the robot before it exits."""

from __future__ import annotations

import faulthandler
import os
import re
import signal
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rclpy.executors import SingleThreadedExecutor

    from .node import AmigobotNode

_STOP_LIMIT = 5.0  #: s after a signal until the robot is stopped even if a callback does not return
_END_LIMIT = 120.0  #: s after a signal until the process ends even if a thread hangs
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main(args: list[str] | None = None) -> int:
    """Run until SIGINT, SIGTERM, SIGHUP or a shutdown of ROS.

    Returns:
        The exit code: 0, or 2 if the ROS domain, a ROS argument, a parameter file or the value of a parameter is not
        allowed.
    """
    signals = _catch_signals()
    # Imported here: a signal in the meantime ends the node as any other.
    import rclpy
    from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
    from rclpy.signals import SignalHandlerOptions

    from ..wording import domain_problem
    from .node import AmigobotNode
    from .node_parameters import BadParameterError

    if problem := domain_problem():
        rclpy.logging.get_logger("amigobot").fatal(problem)
        return 2
    # The handlers of rclpy wake the executor before they shut ROS down: if it looks in between, it waits forever.
    try:
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    except RuntimeError as error:
        # Without the places in the source of ROS that the text ends with.
        reason = re.sub(r", at \S+:\d+", "", " ".join(str(error).split()))
        remedy = "correct the ROS arguments or the parameter file"
        if "initialize logging" in reason:  # the home folder is read-only, for example
            remedy = "set ROS_LOG_DIR to a folder that can be written"
        rclpy.logging.get_logger("amigobot").fatal(f"{reason}; {remedy}")
        return 2
    executor = SingleThreadedExecutor()
    watcher = _SignalWatcher(signals, executor)
    node = None
    try:
        node = watcher.node = AmigobotNode()
        executor.add_node(node)
        while not watcher.requested.is_set():
            executor.spin_once()
    except BadParameterError as error:
        rclpy.logging.get_logger("amigobot").fatal(str(error))
        return 2
    except ExternalShutdownException:
        pass
    except RuntimeError:
        # rclpy raises this if a callback publishes while ROS shuts down.
        if rclpy.ok():
            raise
    finally:
        # Stop the robot after an exception too.
        watcher.closing.set()
        try:
            if node:
                node.close()
                node.destroy_node()
        finally:
            rclpy.try_shutdown()
    return 0


def _catch_signals() -> int:
    """Return the read end of a pipe that gets the number of each signal, also while the main thread is busy."""
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end)
    for number in _SIGNALS:
        # SIGHUP: a closed terminal or a lost SSH connection; nohup ignores it.
        if number != signal.SIGHUP or signal.getsignal(number) is signal.SIG_DFL:
            # No KeyboardInterrupt: ros2 launch repeats the Ctrl-C of the terminal; the shutdown must go on.
            signal.signal(number, lambda *_: None)
    return read_end


class _SignalWatcher:
    """Waits for a signal in a thread, then ends the loop of the main thread.

    Args:
        signals: Where the numbers of the signals are read.
        executor: The executor of the main thread.
    """

    def __init__(self, signals: int, executor: SingleThreadedExecutor) -> None:
        self.node: AmigobotNode | None = None
        #: set by the first signal
        self.requested = threading.Event()
        #: set when the main thread has left its loop
        self.closing = threading.Event()
        self._signals = signals
        self._executor = executor
        threading.Thread(target=self._run, name="amigobot-signals", daemon=True).start()

    def _run(self) -> None:
        while os.read(self._signals, 1)[0] not in _SIGNALS:
            pass
        signal.setitimer(signal.ITIMER_REAL, _END_LIMIT)  # SIGALRM, which nothing handles, ends the process
        self.requested.set()
        self._executor.create_task(lambda: None)  # ends spin_once, now or when it is called next
        if not self.closing.wait(_STOP_LIMIT):
            if self.node:
                self.node.driver.close()
            faulthandler.dump_traceback()  # shows where the main thread is


if __name__ == "__main__":
    sys.exit(main())
