// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// What the robot reports, as figures and bars with names that a screen reader speaks.
import { element, fixed, setText } from "./dom.js";
import { compose } from "./view.js";

function shareLevel(share) {
  return share < 0.15 ? "error" : share < 0.35 ? "warning" : "";
}

/** One figure with an optional bar: `read(now, info)` returns text, level, and share (0 to 1) with mark. */
class Gauge {
  constructor(parent, name, read) {
    this.read = read;
    this.value = element("div", { class: "value" });
    this.fill = element("i");
    this.mark = element("b", { hidden: true });
    this.bar = element("div", { class: "bar", role: "meter", "aria-label": name, "aria-valuemin": 0, "aria-valuemax": 100, hidden: true }, this.fill, this.mark);
    this.root = element("div", { class: "gauge" }, element("div", { class: "name" }, name), this.value, this.bar);
    parent.append(this.root);
  }

  update(now, info) {
    const shown = this.read(now, info);
    this.root.hidden = shown === null;
    if (shown === null) return;
    const { text, level = "", share, mark, plain = false } = shown;
    setText(this.value, text);
    this.value.className = `value ${level}`;
    this.bar.hidden = share === undefined || share === null;
    if (this.bar.hidden) return;
    const percent = Math.round(100 * Math.max(0, Math.min(1, share)));
    this.bar.className = `bar ${plain ? "plain" : level}`;
    this.bar.setAttribute("aria-valuenow", percent);
    this.bar.setAttribute("aria-valuetext", text);
    this.fill.style.width = `${percent}%`;
    this.mark.hidden = mark === undefined || mark === null;
    if (!this.mark.hidden) this.mark.style.left = `calc(${Math.max(0, Math.min(100, 100 * mark))}% - 1px)`;
  }
}

function battery({ state }) {
  if (state.volts === null) return { text: "–" };
  const charge = state.charge === null ? "" : ` · ${(100 * state.charge).toFixed(0)} %`;
  return { text: `${fixed(state.volts, 1)} V${charge}${state.charging ? ", charging" : ""}`, share: state.charge, level: shareLevel(state.charge ?? 1) };
}

const velocity = (measured, commanded, unit, limit) => ({ state }, info) => ({
  text: `${fixed(state[measured])} (${fixed(state[commanded])}) ${unit}`,
  share: Math.abs(state[measured] ?? 0) / (info.limits?.[limit] ?? 1),
  mark: Math.abs(state[commanded] ?? 0) / (info.limits?.[limit] ?? 1),
  plain: true,
});

const onOff = (name) => ({ state }) => ({
  text: state[name] === null ? "not known" : state[name] ? "on" : "off",
  level: state[name] ? "ok" : "",
});

function trouble({ state }) {
  if (state.emergency) return { text: "emergency stop", level: "error" };
  if (state.stalls.length) return { text: `stalled: ${state.stalls.join(", ")}`, level: "error" };
  if (state.faults.length) return { text: state.faults.join(", "), level: "error" };
  return { text: "none", level: "ok" };
}

function bumpers({ state }, info) {
  if (!info.has_bumpers && !state.front_bumpers.length && !state.rear_bumpers.length) return null;
  const pressed = [];
  state.front_bumpers.forEach((on, index) => on && pressed.push(`front ${index}`));
  state.rear_bumpers.forEach((on, index) => on && pressed.push(`rear ${index}`));
  return { text: pressed.length ? `pressed: ${pressed.join(", ")}` : "free", level: pressed.length ? "error" : "ok" };
}

function nearest({ state }) {
  const seen = state.sonars.filter(([range, age]) => range !== null && range >= 0 && age !== null && age < 1.5);
  if (!seen.length) return { text: "no echo" };
  const range = Math.min(...seen.map(([value]) => value));
  return { text: `${fixed(range)} m`, level: range < 0.3 ? "error" : range < 0.6 ? "warning" : "" };
}

const figure = (name) => ({ state }) => (state.link[name] === undefined ? null : { text: state.link[name] });

function linkQuality({ state }) {
  const { period = "-", "longest gap": gap = "-" } = state.link;
  return { text: `${period}, longest ${gap}` };
}

const celsius = ({ state }) => (state.celsius === null ? null : { text: `${state.celsius.toFixed(0)} °C` });

function truth({ sim, state, origin }) {
  if (!sim) return null;
  const [x, y] = compose(origin, state.x, state.y, 0);
  return { text: `${fixed(Math.hypot(x - sim.x, y - sim.y), 3)} m` };
}

const speed = ({ sim }) => (sim ? { text: sim.paused ? "paused" : `${fixed(sim.actual, sim.actual < 2 ? 2 : 0)} × real time` } : null);

export class Gauges {
  constructor(parent) {
    this.all = [
      ["Battery", battery],
      ["Speed (asked for)", velocity("linear", "commanded_linear", "m/s", "linear")],
      ["Turn rate (asked for)", velocity("angular", "commanded_angular", "rad/s", "angular")],
      ["Motors", onOff("motors")],
      ["Sonar", onOff("sonar")],
      ["Trouble", trouble],
      ["Nearest echo", nearest],
      ["Bumpers", bumpers],
      ["Packets every", linkQuality],
      ["Late packets", figure("late")],
      ["Damaged packets", figure("damaged")],
      ["Connections", figure("connections")],
      ["Controller", celsius],
      ["Odometry error", truth],
      ["Simulation", speed],
    ].map(([name, read]) => new Gauge(parent, name, read));
  }

  update(now, info) {
    for (const gauge of this.all) gauge.update(now, info);
  }
}
