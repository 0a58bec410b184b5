// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// Loads Python, and passes messages between the page and amigobot_tools.web.page.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const ABSENT = ["serial", "serial.tools", "serial.tools.list_ports", "termios", "fcntl", "tty", "pty", "grp", "pwd", "resource"];

// For amigobot_tools.web.threads: a promise that is kept when it is rung, or after some ms (negative: never).
globalThis.alarm = (ms) => {
  let ring;
  const promise = new Promise((resolve) => { ring = () => resolve(undefined); });
  if (ms >= 0) setTimeout(ring, ms);
  return { promise, ring };
};
globalThis.start_thread = (run) => setTimeout(() => run.callPromising().finally(() => run.destroy()), 0);

const progress = (text) => postMessage(["progress", text]);

async function boot() {
  progress("loading Python (13 MB, once)");
  const [python, packages] = await Promise.all([
    loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href }),
    fetch("packages.zip").then((response) => response.arrayBuffer()),
  ]);
  progress("loading the driver and the simulator");
  python.unpackArchive(packages, "zip", { extractDir: "/amigobot" });
  python.globals.set("absent", python.toPy(ABSENT));
  python.runPython(`
import sys, time, types

sys.path.insert(0, "/amigobot")
for name in absent:
    module = types.ModuleType(name)
    module.__getattr__ = lambda name: 0 if name.isupper() else OSError
    sys.modules[name] = module
time.clock_gettime = lambda clock: time.monotonic()
from amigobot_tools.web import threads
threads.install()
`);
  globalThis.post = (kind, content) => postMessage([kind, content]);
  const page = python.runPython("import js; from amigobot_tools.web.page import Page; Page(js.post)");
  progress("starting the robot");
  await page.start.callPromising();
  return page;
}

const booted = boot();
booted.then(() => postMessage(["ready"]), (error) => postMessage(["failed", String(error)]));
onmessage = async ({ data: [kind, ...content] }) => {
  const page = await booted;
  await page[kind].callPromising(...content);
};
