# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""python -m tools.try_page FOLDER [--open]: write the page with the robot in it, a folder for any web server.

Python for the browser is the npm package `pyodide`, which `npm pack` fetches into build/.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import webbrowser
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
VERSION = "314.0.7"
#: Of the npm package, what a page loads.
FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
DASHBOARD = ROOT / "amigobot_tools" / "amigobot_tools" / "dashboard" / "static"
PAGE = ROOT / "amigobot_tools" / "amigobot_tools" / "web" / "static"
#: What the pages may load: nothing from elsewhere.
_POLICY = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; "
    "worker-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; "
    "form-action 'none'\">"
)
_CHARSET = '<meta charset="utf-8">'
_TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json", ".wasm": "application/wasm"}
_TYPES |= {".html": "text/html", ".css": "text/css", ".svg": "image/svg+xml", ".zip": "application/zip"}
#: Folders and files that no page needs.
_ABSENT = {"__pycache__", "ros", "bag", "calibrate", "demo", "canvas.py", "gamepad.py", "keys.py", "monitor.py"}
_ABSENT |= {"node.py", "node_remote.py", "screen.py", "teleop.py", "wander.py"}
#: What goes into the archive: its name there, and where it is.
SOURCES = {
    "amigobot_driver": ROOT / "amigobot_driver" / "amigobot_driver",
    "config": ROOT / "amigobot_driver" / "config",
    "amigobot_tools": ROOT / "amigobot_tools" / "amigobot_tools",
    "yaml": Path(yaml.__file__).parent,
}


def write(folder: Path) -> None:
    """Write the page into a folder, which may exist."""
    shutil.copytree(DASHBOARD, folder, dirs_exist_ok=True)
    (folder / "index.html").replace(folder / "dashboard.html")
    shutil.copytree(PAGE, folder, dirs_exist_ok=True)  # its socket.js takes the place of the dashboard's
    for page in folder.glob("*.html"):
        text = page.read_text(encoding="utf-8").replace("/static/", "")
        page.write_text(text.replace(_CHARSET, f"{_CHARSET}\n{_POLICY}"), encoding="utf-8")
    with zipfile.ZipFile(folder / "packages.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, source in SOURCES.items():
            for path in sorted(source.rglob("*")):
                if path.suffix in (".py", ".yaml") and not _ABSENT & set(path.parts):
                    archive.write(path, f"{name}/{path.relative_to(source)}")
    (folder / "programs.json").write_text(json.dumps(programs()), encoding="utf-8")
    (folder / "pyodide").mkdir(exist_ok=True)
    with tarfile.open(pyodide()) as package:
        for name in FILES:
            (folder / "pyodide" / name).write_bytes(package.extractfile(f"package/{name}").read())  # type: ignore[union-attr]
    lock = folder / "pyodide" / "pyodide-lock.json"
    lock.write_text(json.dumps({**json.loads(lock.read_text(encoding="utf-8")), "packages": {}}), encoding="utf-8")
    subprocess.run(["node", str(ROOT / "tools" / "try_page.mjs"), str(folder.resolve())], check=True)
    _list_files(folder)


def _list_files(folder: Path) -> None:
    """Tell offline.js which files to keep."""
    script = folder / "offline.js"
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path != script)
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()
    names = ["./", *(path.relative_to(folder).as_posix() for path in paths)]
    text = script.read_text(encoding="utf-8").replace("FILES = []", f"FILES = {json.dumps(names)}")
    script.write_text(f"{text}// {digest}\n", encoding="utf-8")


def programs() -> dict[str, str]:
    """The programs of the first tutorial, and the example that needs no other library, by name."""
    page = (ROOT / "docs" / "tutorials" / "first-program.md").read_text(encoding="utf-8")
    first, second = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)[:2]
    wander = (ROOT / "examples" / "wander.py").read_text(encoding="utf-8")
    return {"drive a square": first, "drive up to a wall": second, "wander about": wander}


def available() -> bool:
    """Whether Python for the browser is here, or can be fetched."""
    with contextlib.suppress(subprocess.SubprocessError, SystemExit):
        return pyodide().is_file()
    return False


def pyodide() -> Path:
    """Return the npm package, fetched unless it is there.

    Raises:
        SystemExit: There is no npm, or it cannot fetch the package.
    """
    folder = ROOT / "build"
    path = folder / f"pyodide-{VERSION}.tgz"
    if not path.is_file():
        if not shutil.which("npm"):
            sys.exit("npm is not found, which fetches Python for the browser: apt-get install npm")
        folder.mkdir(exist_ok=True)
        command = ["npm", "pack", "--silent", f"pyodide@{VERSION}"]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, timeout=300)
    return path


class Handler(SimpleHTTPRequestHandler):
    """Serves files in silence, with types that no setting of this computer changes."""

    extensions_map = _TYPES

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing for each file."""


@contextlib.contextmanager
def serve(folder: Path, handler: type[Handler] = Handler) -> Iterator[str]:
    """Serve a folder on a free port of this computer for a `with` block. Gives the address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def main(folder: str, *options: str) -> None:
    """Write the page; with --open, serve it and open it in a browser until Ctrl-C."""
    write(Path(folder))
    print(f"wrote {folder}/index.html", flush=True)
    if "--open" in options:
        with serve(Path(folder)) as url, contextlib.suppress(KeyboardInterrupt):
            print(f"the robot is at {url}   (Ctrl-C ends it)", flush=True)
            webbrowser.open(url)
            threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
