// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// Any numeric value of the last ten minutes. The server keeps them; the page has those that it plots.
import { color, context2d, element, fixed } from "./dom.js";

const KEPT = 600; // s
const TRIM = 50; // points that may be older
const WINDOWS = [["10 s", 10], ["1 min", 60], ["10 min", 600]];
const COLORS = ["#2f7de1", "#e0662f", "#2fa36b", "#a259d9", "#c9a227", "#d14b7c"];
const FIRST = [["linear", "commanded_linear"], ["volts"]];
const MAX_PLOTS = 6;

export class Plots {
  constructor(parent, connection) {
    this.connection = connection;
    this.known = []; // names of all values
    this.names = []; // of those that the server sends
    this.times = [];
    this.series = new Map();
    this.window = 60;
    this.plots = [];
    this.list = element("div");
    const choices = element("div", { class: "row" }, "Last",
      ...WINDOWS.map(([name, seconds]) => element("button", { type: "button", "aria-pressed": String(seconds === this.window), onclick: (event) => this.choose(event.target, seconds) }, name)),
      element("button", { type: "button", class: "quiet", onclick: () => this.addPlot([]) }, "Add a plot"));
    this.choices = choices;
    parent.append(choices, this.list, element("p", { class: "dim" }, "The dashboard keeps the last ten minutes, also of the time before this page was opened."));
    let shown = FIRST;
    try {
      shown = JSON.parse(localStorage.getItem("plots")) ?? FIRST;
    } catch { /* a page without storage shows the usual plots */ }
    for (const names of shown) this.addPlot(names);
  }

  choose(button, seconds) {
    this.window = seconds;
    for (const other of this.choices.querySelectorAll("[aria-pressed]")) other.setAttribute("aria-pressed", String(other === button));
  }

  addPlot(names) {
    if (this.plots.length >= MAX_PLOTS) return;
    const plot = { names: [...names], canvas: element("canvas", { role: "img", "aria-label": "Plot" }), legend: element("div", { class: "row" }), select: element("select", { "aria-label": "Add a value to this plot" }) };
    plot.select.addEventListener("change", () => {
      if (plot.select.value && plot.names.length < COLORS.length) plot.names.push(plot.select.value);
      plot.select.value = "";
      this.store();
    });
    plot.select.addEventListener("focus", () => this.offer(plot));
    plot.select.addEventListener("pointerdown", () => this.offer(plot));
    this.offer(plot);
    plot.root = element("div", { class: "plot" }, plot.legend, plot.canvas,
      element("div", { class: "row" }, plot.select, element("button", { type: "button", class: "quiet", onclick: () => this.remove(plot) }, "Remove plot")));
    this.plots.push(plot);
    this.list.append(plot.root);
    this.store();
  }

  remove(plot) {
    this.plots = this.plots.filter((other) => other !== plot);
    plot.root.remove();
    this.store();
  }

  store() {
    try {
      localStorage.setItem("plots", JSON.stringify(this.plots.map((plot) => plot.names)));
    } catch { /* no storage */ }
    this.subscribe();
  }

  offer(plot) {
    const names = this.known;
    if (plot.select.options.length === names.length + 1) return;
    plot.select.replaceChildren(element("option", { value: "" }, "Add a value …"), ...names.map((name) => element("option", { value: name }, name)));
  }

  /** Ask the server for the values that are plotted; with none of them while the tab is closed. */
  subscribe(open = this.open) {
    this.open = open;
    const names = open ? [...new Set(this.plots.flatMap((plot) => plot.names))] : [];
    const key = JSON.stringify(names);
    if (key === this.subscribed) return;
    this.subscribed = key;
    this.names = names;
    this.times = [];
    this.series = new Map(names.map((name) => [name, []]));
    this.connection.send({ type: "plot", names });
  }

  /** New points; `all` means that they replace those that are here. */
  add({ all, times, values }) {
    if (values.length !== this.names.length) return; // of the choice before
    if (all) {
      this.times = [];
      for (const points of this.series.values()) points.length = 0;
    }
    this.times.push(...times);
    values.forEach((points, index) => this.series.get(this.names[index]).push(...points));
    const old = this.times.findIndex((time) => time >= this.times.at(-1) - KEPT);
    if (old < TRIM) return;
    this.times.splice(0, old);
    for (const points of this.series.values()) points.splice(0, old);
  }

  /** Draw the plots, if their tab is open. */
  draw() {
    for (const plot of this.plots) this.drawPlot(plot);
  }

  drawPlot(plot) {
    const { context, width, height } = context2d(plot.canvas);
    if (!width || !this.times.length) return;
    const end = this.times[this.times.length - 1];
    const first = Math.max(0, this.times.findIndex((time) => time >= end - this.window));
    const chosen = plot.names.map((name) => this.series.get(name)).map((points) => points?.slice(first) ?? []);
    const values = chosen.flat().filter((value) => value !== null);
    let [low, high] = values.length ? [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))] : [0, 1];
    const room = Math.max((high - low) * 0.1, 1e-3, Math.abs(high) * 0.02);
    [low, high] = [low - room, high + room];
    const [left, bottom] = [52, 18];
    const x = (time) => left + ((time - end + this.window) / this.window) * (width - left - 6);
    const y = (value) => 6 + ((high - value) / (high - low)) * (height - bottom - 6);
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = color("dim");
    context.strokeStyle = color("line");
    context.lineWidth = 1;
    context.textAlign = "right";
    const places = Math.max(0, Math.min(4, Math.ceil(1 - Math.log10(high - low))));
    for (let line = 0; line <= 3; line += 1) {
      const value = low + ((high - low) * line) / 3;
      context.beginPath();
      context.moveTo(left, y(value));
      context.lineTo(width - 6, y(value));
      context.stroke();
      context.fillText(value.toFixed(places), left - 6, y(value) + 4);
    }
    context.textAlign = "left";
    context.fillText(`-${this.window} s`, left, height - 4);
    context.textAlign = "right";
    context.fillText("now", width - 6, height - 4);
    chosen.forEach((points, index) => {
      context.strokeStyle = COLORS[index % COLORS.length];
      context.lineWidth = 1.8;
      context.beginPath();
      let drawing = false;
      points.forEach((value, at) => {
        if (value === null) {
          drawing = false;
          return;
        }
        const [px, py] = [x(this.times[first + at]), y(value)];
        if (drawing) context.lineTo(px, py);
        else context.moveTo(px, py);
        drawing = true;
      });
      context.stroke();
    });
    this.drawLegend(plot);
  }

  drawLegend(plot) {
    const texts = plot.names.map((name) => `${name} ${fixed(this.series.get(name)?.at(-1), 3)}`);
    const key = texts.join("|");
    if (plot.shown === key) return;
    plot.shown = key;
    plot.canvas.setAttribute("aria-label", `Plot: ${texts.join(", ") || "empty"}`);
    const before = plot.names.join("|");
    if (plot.built !== before) {
      plot.built = before;
      plot.labels = plot.names.map((name, index) => {
        const swatch = element("i", { class: "swatch" });
        swatch.style.background = COLORS[index % COLORS.length];
        const text = element("span");
        const button = element("button", { type: "button", class: "quiet", title: `Remove ${name}`, "aria-label": `Remove ${name}`, onclick: () => {
          plot.names = plot.names.filter((other) => other !== name);
          this.store();
        } }, "×");
        return { text, root: element("span", {}, swatch, text, button) };
      });
      plot.legend.replaceChildren(...plot.labels.map((label) => label.root));
    }
    plot.labels.forEach((label, index) => (label.text.textContent = texts[index]));
  }
}
