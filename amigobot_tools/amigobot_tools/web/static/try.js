// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// The page around the dashboard: it owns the worker with the robot, and the editor.
const STOPPING = 1500; // ms that a program may take to end when it is interrupted; then its worker is ended
const byId = (id) => document.getElementById(id);

let worker = null;
let socket = null; // of the dashboard's frame
let ready = false;

function start() {
  ready = false;
  worker = new Worker("worker.js", { type: "module" });
  worker.onmessage = ({ data: [kind, content] }) => handlers[kind](content);
  worker.onerror = (event) => handlers.failed(event.message);
}

const tell = (kind, ...content) => worker.postMessage([kind, ...content]);

const handlers = {
  progress: (text) => { byId("progress").textContent = `${text} ...`; },
  failed: (text) => { byId("progress").textContent = `Python could not be started: ${text}. Try a newer browser.`; },
  ready: () => {
    ready = true;
    byId("progress").textContent = "";
    byId("run").disabled = false;
    if (!byId("dashboard").src) byId("dashboard").src = "dashboard.html";
    openSocket();
  },
  frame: (text) => socket?.onmessage?.({ data: text }),
  closed: () => {
    const old = socket;
    socket = null;
    old?.onclose?.();
  },
  output: (text) => {
    const output = byId("output");
    output.textContent = (output.textContent + text).slice(-20000);
    output.scrollTop = output.scrollHeight;
  },
  running: (on) => {
    clearTimeout(stopping);
    byId("run").disabled = on;
    byId("stop").disabled = !on;
  },
};

// -- the dashboard's connection ----------------------------------------------------------------------------------

function openSocket() {
  if (!ready || !socket) return;
  socket.readyState = WebSocket.OPEN;
  tell("connect");
  socket.onopen?.();
}

window.robotSocket = () => {
  socket = { readyState: WebSocket.CONNECTING, send: (text) => tell("receive", text) };
  setTimeout(openSocket, 0); // when its handlers are set
  return socket;
};
document.addEventListener("visibilitychange", () => { if (document.hidden && ready) tell("hide"); });

// -- the program ---------------------------------------------------------------------------------------------------

let stopping = 0;
byId("run").addEventListener("click", () => {
  byId("output").textContent = "";
  tell("run", byId("code").value);
});
byId("stop").addEventListener("click", () => {
  tell("interrupt");
  // A loop that never waits hears nothing: its worker is ended, and the robot with it.
  stopping = setTimeout(() => {
    worker.terminate();
    handlers.output("\nstopped; a new robot is coming\n");
    handlers.running(false);
    byId("run").disabled = true;
    handlers.closed();
    start();
  }, STOPPING);
});
byId("world").addEventListener("change", () => ready && tell("start", `sim://?world=${byId("world").value}`));

const encode = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
const decode = (text) => new TextDecoder().decode(Uint8Array.from(atob(text), (one) => one.charCodeAt(0)));
byId("share").addEventListener("click", () => { location.hash = `program=${encodeURIComponent(encode(byId("code").value))}`; });

/** The program of the link, which runs only when Run is pressed. */
function shared() {
  try {
    return decode(decodeURIComponent(location.hash.match(/^#program=(.{1,20000})$/)[1]));
  } catch {
    return null;
  }
}

async function examples() {
  const programs = await (await fetch("programs.json")).json();
  const choice = byId("example");
  for (const name of Object.keys(programs)) choice.add(new Option(name, name));
  choice.addEventListener("change", () => { byId("code").value = programs[choice.value]; });
  byId("code").value = shared() ?? Object.values(programs)[0];
}

start();
examples();
