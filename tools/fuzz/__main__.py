# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""python -m tools.fuzz [--seconds N] [TARGET ...]: fuzz each target for that long; exit 1 when one was broken."""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
from pathlib import Path

from .targets import TARGETS

CORPUS = Path(__file__).parent / "corpus"
#: One release for each version of Python it is built for.
_ATHERIS = {10: "2.3.0", 11: "3.0.0"}
_NEWER = "3.1.0"


def main() -> int:
    """Runs each target in a process of its own, because atheris never returns."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)} (all)")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (%(default)s)")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    unknown = [name for name in args.targets if name not in TARGETS]
    if unknown:
        parser.error(f"{unknown[0]!r} is no target, there are: {', '.join(TARGETS)}")
    _install()
    if args.here:
        return _fuzz(args.targets[0], args.seconds)
    broken = []
    for name in args.targets or TARGETS:
        print(f"--- {name} for {args.seconds} s", flush=True)
        command = [sys.executable, "-m", "tools.fuzz", "--here", "--seconds", str(args.seconds), name]
        if subprocess.run(command, check=False).returncode:
            broken.append(name)
    print(f"broken: {', '.join(broken)}" if broken else "nothing broke")
    return 1 if broken else 0


def _install() -> None:
    """Only fuzzing needs atheris, so only fuzzing installs it."""
    if importlib.util.find_spec("atheris") is None:
        version = _ATHERIS.get(sys.version_info.minor, _NEWER)
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", f"atheris=={version}"], check=True)


def _fuzz(name: str, seconds: int) -> int:
    import atheris

    found = CORPUS.parents[2] / "build" / "fuzz" / name
    found.mkdir(parents=True, exist_ok=True)
    seeds = CORPUS / name
    with atheris.instrument_imports(include=["amigobot_driver"]):
        # Imported already, without instrumentation: once more, with it.
        ours = ("amigobot_driver", "tools.fuzz.targets")
        for module in [module for module in sys.modules if module.startswith(ours)]:
            del sys.modules[module]
        from .targets import TARGETS as instrumented
    options = [f"-max_total_time={seconds}", "-max_len=4096", "-timeout=20", f"-artifact_prefix={found}/"]
    atheris.Setup([name, *options, str(found), str(seeds)], instrumented[name])
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
