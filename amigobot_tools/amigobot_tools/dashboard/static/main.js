// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// Puts the page together: frames from the server go to every part, presses go back.
import { Connection } from "./connection.js";
import { byId, element, forgetColors, setText } from "./dom.js";
import { Doctor } from "./doctor.js";
import { Gauges } from "./gauges.js";
import { Diagnostics, Log, Packets, Parameters, Ports, Sounds } from "./panels.js";
import { Plots } from "./plots.js";
import { SimulatorPanel } from "./simulator.js";
import { Joystick } from "./drive.js";
import { Tabs } from "./tabs.js";
import { followTheme, otherTheme } from "./theme.js";
import { Timeline } from "./timeline.js";
import { View } from "./view.js";

const NOTE = 6000; // ms that a refusal is shown

const connection = new Connection();
const view = new View(byId("view"));
const tabs = new Tabs();
const gauges = new Gauges(byId("gauge-list"));
const log = new Log(tabs.add("log", "Log"));
const plots = new Plots(tabs.add("plots", "Plots"), connection);
const packets = new Packets(tabs.add("packets", "Packets"), connection);
const parts = {}; // those that only some sources have
let info = {}; // the description of the source
let now = null; // the newest frame
let jumps = null;
let noteUntil = 0;
let seen = false; // whether the robot was connected once

function note(text) {
  setText(byId("drive-note"), text);
  noteUntil = performance.now() + NOTE;
}

async function ask(type, values) {
  const answer = await connection.ask(type, values);
  note(answer.ok ? "" : answer.text);
  return answer;
}

const holds = () => now && (now.control.holder === null || now.control.holder === now.you);
const can = (request) => info.requests?.includes(request) ?? false;

new Joystick(connection, byId("pad"), byId("knob"),
  () => ({ linear: Number(byId("speed").value), angular: Number(byId("turn").value) }),
  () => {
    if (info.kind === "recording" || !now) return false;
    if (!holds()) note(`browser ${now.control.holder} holds control: press Take over`);
    else if (now.state.motors === false) note("the motors are off: switch them on to drive");
    return holds();
  });

// -- presses ---------------------------------------------------------------------------------------------------

function emergency() {
  if (byId("stop").classList.contains("latched")) ask("clear");
  else connection.send({ type: "emergency" });
}
// STOP acts when it is touched: a second finger, beside the one that drives, makes no click.
let stopped = false; // by this touch
byId("stop").addEventListener("pointerdown", () => {
  stopped = !byId("stop").classList.contains("latched");
  if (stopped) emergency();
});
byId("stop").addEventListener("click", (event) => {
  if (!stopped || !event.detail) emergency(); // detail is 0 for a key
});
window.addEventListener("keydown", (event) => {
  // Escape only stops: a key that is pressed twice in a hurry must not clear the stop.
  if (event.key === "Escape") connection.send({ type: "emergency" });
});
byId("take").addEventListener("click", () => ask(now?.control.holder === now?.you ? "leave" : "take"));
byId("hand-over").addEventListener("click", () => ask("hand_over"));
byId("keep").addEventListener("click", () => ask("keep"));
byId("motors").addEventListener("click", () => ask("motors", { on: !now?.state.motors }));
byId("sonar").addEventListener("click", () => ask("sonar", { on: !now?.state.sonar }));
byId("find-out").addEventListener("click", () => {
  tabs.show("doctor");
  byId("more").scrollIntoView({ behavior: "smooth" });
  parts.doctor.start(ask);
});
byId("gentle-stop").addEventListener("click", () => ask("stop"));
byId("reset-odometry").addEventListener("click", async () => {
  if ((await ask("reset_odometry")).ok) view.forget();
});
byId("zoom-in").addEventListener("click", () => view.zoom(1.25));
byId("zoom-out").addEventListener("click", () => view.zoom(0.8));
byId("follow").addEventListener("click", () => view.setFollow(!view.follow));
byId("fit").addEventListener("click", () => view.fit());
byId("forget").addEventListener("click", () => view.forget());
view.onfollow = (on) => byId("follow").setAttribute("aria-pressed", String(on));
for (const [name, unit] of [["speed", "m/s"], ["turn", "rad/s"]]) {
  const show = () => setText(byId(`${name}-value`), `${Number(byId(name).value).toFixed(2)} ${unit}`);
  byId(name).addEventListener("input", show);
  show();
}
tabs.onshow = (name) => {
  packets.watch(name === "packets");
  plots.subscribe(name === "plots");
};

// -- theme -----------------------------------------------------------------------------------------------------

const applyTheme = followTheme(() => {
  forgetColors();
  view.touch();
});
byId("theme").addEventListener("click", () => {
  otherTheme();
  applyTheme();
});

// -- what comes ------------------------------------------------------------------------------------------------

function describe(description) {
  if (info.kind && info.kind !== description.kind) location.reload(); // other panels; nothing of the old robot stays
  info = description;
  const { name } = description;
  document.title = `${name || description.model || "amigobot"} · dashboard`;
  setText(byId("title"), name ? `${name} · ${description.model}` : description.model || "amigobot");
  setText(byId("where"), `${description.kind} ${description.where}`);
  byId("where").title = description.where;
  view.describe(description);
  packets.linked = description.has_protocol;
  const { limits } = description;
  if (limits) {
    byId("speed").max = limits.linear;
    byId("turn").max = Math.min(limits.angular, 6.3).toFixed(1);
  }
  if (can("doctor") && !parts.doctor) parts.doctor = new Doctor(tabs.add("doctor", "Doctor"), ask);
  byId("drive").hidden = description.kind === "recording";
  byId("stop").hidden = description.kind === "recording";
  byId("motors").hidden = !can("motors");
  byId("sonar").hidden = !can("sonar");
  byId("reset-odometry").hidden = !can("reset_odometry");
  if (!parts.ports) parts.ports = new Ports(tabs.add("ports", "I/O"), ask);
  parts.ports.canWrite = can("outputs");
  if (can("parameter") && !parts.parameters) parts.parameters = new Parameters(tabs.add("parameters", "Parameters"), ask);
  if (can("play_sound") && !parts.sounds) parts.sounds = new Sounds(tabs.add("sounds", "Sounds"), ask);
  if (description.kind === "simulator" && !parts.simulator) {
    parts.simulator = new SimulatorPanel(tabs.add("simulator", "Simulator"), view, ask);
    tabs.show("simulator");
  }
  if (description.kind === "recording" && !parts.timeline) {
    parts.timeline = new Timeline(ask, tabs);
    tabs.show("events");
  }
  const entries = [["robot", description.kind === "simulator" ? "odometry" : "robot"], ["trail", "trail"], ["hit", "echoes"], ["cone", "sonar"]];
  if (description.kind === "simulator") entries.push(["truth", "true pose (drag it)"], ["wall", "walls"]);
  if (description.kind === "recording") entries.push(["path", "whole path"]);
  byId("legend").replaceChildren(...entries.map(([name, text]) => {
    const swatch = element("i");
    swatch.style.background = `var(--${name})`;
    return element("li", {}, swatch, text);
  }));
}

const sections = {
  description: describe,
  bodies: (bodies) => (view.bodies = bodies),
  obstacles: (obstacles) => parts.simulator?.setObstacles(obstacles),
  faults: (faults) => parts.simulator?.setFaults(faults),
  parameters: (parameters) => parts.parameters?.update(parameters),
  sounds: (sounds) => parts.sounds?.update(sounds),
  diagnostics: (findings) => {
    parts.diagnostics ??= new Diagnostics(tabs.add("diagnostics", "Diagnostics"));
    tabs.setCount("diagnostics", parts.diagnostics.update(findings));
  },
  doctor: (result) => parts.doctor?.update(result),
  values: (names) => (plots.known = names),
  map: (map) => view.setMap(map),
  timeline: (timeline) => {
    view.path = timeline.path;
    parts.timeline?.setTimeline(timeline);
    view.fit();
  },
};

function showPills() {
  const { state, control } = now;
  const link = byId("link");
  setText(link, state.connected ? "connected" : seen ? state.note || "not connected" : "no robot yet");
  link.className = `pill ${state.connected ? "ok" : "error"}`;
  link.title = state.note;
  setText(byId("page-link"), connection.roundTrip === null ? `${view.times.length} fps` : `${view.times.length} fps, ${connection.roundTrip.toFixed(0)} ms`);
  const mine = control.holder === now.you;
  const holder = byId("holder");
  const what = info.kind === "recording" ? "the playhead" : "control";
  setText(holder, control.holder === null ? `no browser holds ${what}` : mine ? `you hold ${what}` : `browser ${control.holder} holds ${what}`);
  holder.className = `pill ${mine ? "ok" : control.holder === null ? "" : "warning"}`;
  setText(byId("take"), mine ? "Release control" : control.holder === null ? "Take control" : control.asking === now.you ? "Asked …" : "Take over");
  byId("pad").classList.toggle("refused", !holds());
  byId("asked").hidden = !(mine && control.asking !== null);
  if (mine && control.asking !== null) setText(byId("asked-text"), `Browser ${control.asking} asks for control. Without an answer it gets it in 5 s, unless you drive.`);
}

/** Before the first connection: what the dashboard waits for, why, and what to do. */
function showWaiting(state) {
  seen ||= state.connected;
  byId("waiting").hidden = seen;
  if (seen) return;
  setText(byId("waiting-for"), info.kind === "node" ? `Waiting for the node ${info.where ?? ""}` : `Looking for a robot at ${info.where ?? "the port"}`);
  setText(byId("waiting-why"), state.note || "connecting …");
}

function showState() {
  const { state, control } = now;
  const stop = byId("stop");
  const latched = state.emergency && !control.braking;
  stop.classList.toggle("latched", latched);
  setText(stop, latched ? "CLEAR STOP" : "STOP");
  stop.setAttribute("aria-label", latched ? "Clear the emergency stop" : "Emergency stop");
  showWaiting(state);
  const alert = byId("alert");
  const text = latched ? "EMERGENCY STOP: the robot does not move until you press CLEAR STOP"
    : !state.connected && seen ? state.note
      : state.stalls.length ? `Stalled: ${state.stalls.join(" and ")} wheel.${info.kind === "recording" ? "" : " Stop, and drive the robot back."}` : "";
  alert.hidden = !text;
  setText(alert, text);
  for (const name of ["motors", "sonar"]) {
    byId(name).setAttribute("aria-checked", String(Boolean(state[name])));
    setText(byId(name), `${name === "motors" ? "Motors" : "Sonar"} ${state[name] === null ? "?" : state[name] ? "on" : "off"}`);
  }
  if (control.note && control.holder === now.you) note(control.note);
  if (performance.now() > noteUntil) setText(byId("drive-note"), "");
  setText(byId("pose"), view.text());
}

let slow = 0;
connection.addEventListener("frame", ({ detail }) => {
  now = { ...detail.now, you: detail.you };
  for (const name of ["description", ...Object.keys(detail.sections ?? {})]) {
    if (detail.sections?.[name] !== undefined) sections[name]?.(detail.sections[name]);
    if (name === "description" && detail.sections) delete detail.sections.description;
  }
  if (now.replay && now.replay.jumps !== jumps) {
    if (jumps !== null) {
      view.forget();
      packets.clear();
    }
    jumps = now.replay.jumps;
  }
  if (detail.log) log.add(detail.log);
  if (detail.packets) packets.add(detail.packets, detail.packets_skipped);
  view.frame(now);
  if (detail.plots) plots.add(detail.plots);
  showState();
  if (now.replay) parts.timeline?.update(now.replay);
  // Texts that are read, not watched, change less often.
  if (performance.now() - slow < 150) return;
  slow = performance.now();
  showPills();
  gauges.update(now, info);
  if (tabs.shown === "ports") parts.ports?.update(now.state);
  if (tabs.shown === "plots") plots.draw();
  parts.doctor?.explain(info.kind, now.state.connected);
  if (now.sim) parts.simulator?.update(now.sim);
  view.canvas.setAttribute("aria-label", `Top view: the robot is at ${view.text()}, heading counter-clockwise`);
});
connection.addEventListener("open", () => {
  packets.watching = plots.subscribed = undefined;
  tabs.onshow(tabs.shown);
});
connection.addEventListener("closed", () => {
  setText(byId("link"), "the dashboard does not answer");
  byId("link").className = "pill error";
  byId("alert").hidden = false;
  setText(byId("alert"), "No connection to the dashboard: the robot is stopped. Trying again …");
});
connection.addEventListener("refused", ({ detail }) => note(detail));

window.dashboard = { view, connection, plots }; // for tests and for the curious
