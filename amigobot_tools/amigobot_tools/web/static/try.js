// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// The page around the dashboard: it owns the worker with the robot, the port of a real robot, and the editor.
import { byId, element } from "./dom.js";
import { FRESH, Serial } from "./serial.js";
import { followTheme } from "./theme.js";

// ms that a program, and verify with its report, may take to end when it is interrupted; then the worker is ended
const STOPPING = 1500, REPORTING = 60000;
const OUTPUT = 10000, DRAW = 100; // characters of output that are kept; ms between two drawings of it
const PREVIEW = 20000, FORM = 4000; // characters of a file that are shown, and that the address of a form may have
const SILENT = "Python does not answer. If this stays, press Stop, or reload the page.";
const FRAMED = window.top !== window; // a page from elsewhere around this one could deceive the person

let worker = null;
let world = "room"; // where the simulated robot is
let socket = null; // of the dashboard's frame
let ready = false;
let warned = false; // the person knows that the real robot may move
const tell = (...message) => worker.postMessage([Infinity, ...message]);
const serial = new Serial(tell, () => {
  if (!ready) return;
  byId("progress").textContent = SILENT;
  socket?.onsilence?.();
});

function start() {
  ready = false;
  worker = new Worker("worker.js", { type: "module" });
  worker.onmessage = ({ data: [kind, ...content] }) => {
    serial.alive = performance.now();
    if (byId("progress").textContent === SILENT) byId("progress").textContent = "";
    handlers[kind](...content);
  };
  worker.onerror = (event) => handlers.failed(event.message);
}

const handlers = {
  alive: () => {},
  progress: (text) => { byId("progress").textContent = `${text} ...`; },
  failed: (text) => {
    byId("progress").textContent = `Python has ended with an error: ${text.trim().split("\n").pop()}. Reload the page; if that does not help, try a newer browser.`;
    serial.stop();
  },
  ready: () => {
    ready = true;
    byId("progress").textContent = "";
    byId("world").value = world = "room";
    byId("connect").disabled = !navigator.serial || FRAMED;
    byId("record").disabled = byId("report").disabled = false;
    handlers.recording(false);
    handlers.running(false);
    navigator.serviceWorker?.register("offline.js").catch(() => {}); // without it the page works only with its server
  },
  frame: (text) => {
    if (socket?.readyState !== WebSocket.OPEN) return;
    socket.onmessage({ data: text });
    if (text.includes('"description":')) showRobot(JSON.parse(text).sections?.description);
  },
  opened: () => { // frames before this one were for the page before
    socket.readyState = WebSocket.OPEN;
    socket.onopen();
  },
  closed: () => socket?.onclose?.(),
  output: (text) => print(text),
  running: (on) => {
    clearTimeout(stopping);
    stopping = 0;
    byId("run").disabled = byId("verify").disabled = on || !SUSPENDS;
    byId("stop-program").disabled = !on;
    byId("question").hidden = true;
    draw();
  },
  question: () => {
    byId("question").hidden = false;
    byId("reply").value = "";
    draw(); // the field has taken room from it
    byId("reply").focus();
  },
  files: (files) => {
    if (!files.length) return;
    byId("file-list").replaceChildren(...files.map(([name, bytes, preview]) => {
      const url = URL.createObjectURL(new Blob([bytes]));
      byId("files").addEventListener("close", () => URL.revokeObjectURL(url), { once: true });
      return element("section", {}, element("h3", {}, `${name} `, element("a", { href: url, download: name }, `Save ${Math.ceil(bytes.length / 1024)} kB`)),
        element("pre", {}, preview.slice(0, PREVIEW)));
    }));
    const form = new URL(byId("issue").href);
    form.searchParams.set("doctor", files[0][2].slice(0, FORM));
    byId("issue").href = form;
    byId("files").showModal();
  },
  recording: (on) => { byId("record").textContent = on ? "Save recording" : "Record"; },
  shutdown: (frames) => { serial.shutdown = frames; },
  write: (bytes, made) => serial.write(bytes, made),
  baud: (baud) => serial.open(baud),
};

let printed = "", leftOut = 0, drawing = 0; // the newest output; number of the characters before it; a timer

function print(text) {
  printed += text;
  drawing ||= setTimeout(draw, DRAW);
}

/** Show the output. */
function draw() {
  drawing = clearTimeout(drawing);
  leftOut += Math.max(0, printed.length - OUTPUT);
  printed = printed.slice(-OUTPUT);
  byId("output").textContent = (leftOut ? `[${leftOut} characters before this are left out]\n` : "") + printed;
  byId("output").scrollTop = byId("output").scrollHeight;
}

// -- the dashboard's connection ----------------------------------------------------------------------------------

/** Send a message of the dashboard; the first one that may move a real robot needs the person's consent. STOP ends also a program. */
async function send(text) {
  const { type, linear, angular } = JSON.parse(text);
  const drives = linear || angular;
  const until = drives ? Date.now() + FRESH : Infinity; // a velocity does not wait for the consent
  if ((drives || type === "motors" || type === "doctor") && !(await consent())) return;
  worker.postMessage([until, "receive", text]);
  if (type === "emergency") byId("stop-program").click();
}

window.robotSocket = () => {
  socket = { readyState: WebSocket.CONNECTING, send };
  tell("connect");
  return socket;
};
document.addEventListener("visibilitychange", () => { if (document.hidden) tell("hide"); });
window.addEventListener("pagehide", () => serial.stop());
window.addEventListener("keydown", (event) => { if (event.key === "Escape") send('{"type":"emergency"}'); }); // as in the frame

/** Put another simulated robot there. */
function simulate() {
  world = byId("world").value;
  tell("simulate", `sim://?world=${encodeURIComponent(world)}`);
}

/** Say which robot this is. */
function showRobot(robot) {
  if (!robot) return;
  const title = `${robot.model} ${robot.name}`.trim();
  if (robot.limits) byId("fastest").textContent = robot.limits.linear;
  byId("robot").textContent = robot.kind === "simulator" ? `A simulated ${title}.`
    : title ? `A real robot is connected: ${title}.` : "Looking for a robot at the serial port.";
}

// -- a real robot --------------------------------------------------------------------------------------------------

/** Warn before the first motion of a real robot. Returns whether the person agrees. */
async function consent() {
  if (!serial.port || warned) return true;
  const dialog = byId("warning");
  if (dialog.open) return false;
  dialog.returnValue = "";
  dialog.showModal();
  await new Promise((resolve) => { dialog.addEventListener("close", resolve, { once: true }); });
  warned = dialog.returnValue === "yes";
  return warned;
}

/** A real robot is connected, or not: it stands in no room of the list. */
function showConnected() {
  byId("connect").textContent = serial.port ? "Disconnect" : "Connect a robot";
  byId("world").disabled = Boolean(serial.port);
}

byId("connect").addEventListener("click", async () => {
  byId("connect").disabled = true;
  if (serial.port) {
    await serial.close();
    simulate();
  } else {
    await serial.choose().catch(() => {}); // the person has chosen nothing
    warned = false;
  }
  byId("connect").disabled = false;
  showConnected();
});
if (!navigator.serial) print("A real robot needs a browser with Web Serial, such as Chromium, Chrome or Edge on a computer.\n");

byId("record").addEventListener("click", () => tell("record"));
byId("verify").addEventListener("click", () => begin(REPORTING, "verify"));
byId("question").addEventListener("submit", (event) => {
  event.preventDefault();
  byId("question").hidden = true;
  tell("answer", byId("reply").value);
});
byId("report").addEventListener("click", () => tell("report"));

// -- the program ---------------------------------------------------------------------------------------------------

const SUSPENDS = "Suspending" in WebAssembly; // what lets a program wait
if (!SUSPENDS) print("Programs need a browser with WebAssembly promise integration, such as Chromium 137 or later. Driving works.\n");

let stopping = 0;
let patience = STOPPING;

async function begin(most, kind, ...content) {
  if (!(await consent())) return;
  [printed, leftOut] = ["", 0];
  patience = most;
  tell(kind, ...content);
  handlers.running(true); // also while a program keeps the worker busy from its first line
}
byId("run").addEventListener("click", () => begin(STOPPING, "run", byId("code").value));
byId("stop-program").addEventListener("click", () => {
  tell("interrupt");
  // A loop that never waits hears nothing: its worker is ended, and a simulated robot with it.
  stopping ||= setTimeout(() => {
    worker.terminate();
    serial.close().then(showConnected);
    print("\nstopped; a new robot is coming\n");
    handlers.running(false);
    byId("run").disabled = true;
    handlers.closed();
    start();
  }, patience);
});
byId("to-program").addEventListener("click", () => byId("program").scrollIntoView());
byId("world").addEventListener("change", () => {
  if (byId("world").value !== "own") return simulate();
  byId("world").value = world; // until a map is chosen
  byId("map").click();
});
byId("map").addEventListener("change", async () => {
  const files = [...byId("map").files];
  for (const file of files) tell("keep", file.name, new Uint8Array(await file.arrayBuffer()));
  const { name } = files.find((file) => /\.(map|yaml)$/.test(file.name)) ?? files[0];
  byId("world").add(new Option(name, `/tmp/${name}`, true, true));
  simulate();
});

// Enter keeps the indentation, and adds to it after a colon.
byId("code").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing) return;
  const { value, selectionStart } = byId("code");
  const line = value.slice(0, selectionStart).split("\n").pop();
  event.preventDefault();
  document.execCommand("insertText", false, `\n${line.match(/^ */)[0]}${line.trimEnd().endsWith(":") ? "    " : ""}`);
});

byId("share").addEventListener("click", () => {
  location.hash = new URLSearchParams({ program: byId("code").value });
  print("The address of this page has the program now: copy it.\n");
});

async function examples() {
  const programs = await (await fetch("programs.json")).json();
  const choice = byId("example");
  for (const name of Object.keys(programs)) choice.add(new Option(name, name));
  choice.addEventListener("change", () => { byId("code").value = programs[choice.value]; });
  const shared = new URLSearchParams(location.hash.slice(1)).get("program"); // runs only when Run is pressed
  byId("code").value = shared ?? Object.values(programs)[0];
}

followTheme();
start();
byId("dashboard").src = "dashboard.html";
examples();
