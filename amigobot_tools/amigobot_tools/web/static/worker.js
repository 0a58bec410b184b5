// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// Loads Python, and passes messages between the page and amigobot_tools.web.page.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const FRESH = 300; // ms after which a velocity is too old: this worker was blocked, or is slow
const MOVE = /^\{"type":"drive"(?!,"linear":0,"angular":0\})/; // a velocity that is not zero

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
onmessage = ({ data: [made, kind, ...content] }) => {
  if (Date.now() - made > FRESH && MOVE.test(content[0])) return;
  booted.then((page) => page[kind](...content)).catch(failed);
};
setInterval(() => postMessage(["alive"]), 250);
