// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// Loads Python, and passes messages between the page and amigobot_tools.web.page.
import { loadPyodide } from "./pyodide/pyodide.mjs";

// For amigobot_tools.web.task: a promise that is kept after some ms, and the only entry of code that waits for one.
globalThis.alarm = (ms) => new Promise((resolve) => { setTimeout(() => resolve(undefined), ms); });
globalThis.enter = (run) => {
  setTimeout(() => run.callPromising().catch(failed).finally(() => run.destroy()), 0);
};

const progress = (text) => postMessage(["progress", text]);
const failed = (error) => postMessage(["failed", String(error)]);

async function boot() {
  progress("Loading Python: 14 MB, the first time only");
  const [python, packages] = await Promise.all([
    loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href }),
    fetch("packages.zip").then((response) => response.arrayBuffer()),
  ]);
  progress("Loading the driver and the robot");
  python.unpackArchive(packages, "zip", { extractDir: "/amigobot" });
  progress("Starting the robot");
  return python.runPython(`
import sys, time, types

sys.path.insert(0, "/amigobot")
# Modules that a browser has not, and that nothing here calls.
for name in "serial serial.tools serial.tools.list_ports termios fcntl tty pty grp pwd resource".split():
    module = types.ModuleType(name)
    module.__getattr__ = lambda name: 0 if name.isupper() else OSError
    sys.modules[name] = module
time.clock_gettime = lambda clock: time.monotonic()
import js
from amigobot_tools.web.page import Page
from pyodide.ffi import to_js

Page(lambda kind, content: js.postMessage(to_js([kind, content, js.Date.now()])))
`);
}

const booted = boot();
booted.then(() => postMessage(["ready"]), failed);
onmessage = ({ data: [until, kind, ...content] }) => {
  if (Date.now() > until) return; // this worker was blocked, or is slow
  booted.then((page) => page[kind](...content)).catch(failed);
};
setInterval(() => postMessage(["alive"]), 250);
