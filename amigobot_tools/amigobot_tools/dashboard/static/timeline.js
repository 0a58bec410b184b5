// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// The time line of a recording: play, jump, events.
import { byId, color, context2d, duration, element, setText } from "./dom.js";

const SPEEDS = [0.5, 1, 2, 5, 10];
const MARKS = { stall: "bad", emergency: "bad", battery: "warn", motors: "trail", link: "ok", notice: "dim" };

export class Timeline {
  constructor(ask, tabs) {
    this.ask = ask;
    this.events = [];
    this.card = byId("timeline-card");
    this.card.hidden = false;
    document.querySelector("main").classList.add("replay");
    this.play = element("button", { type: "button", class: "primary", onclick: () => ask("play", { on: !this.now?.playing }) }, "Play");
    this.text = element("output", { class: "mono" });
    this.speeds = SPEEDS.map((factor) => element("button", { type: "button", "aria-pressed": "false", onclick: () => ask("speed", { factor }) }, `${factor}×`));
    this.canvas = element("canvas", { id: "timeline", tabindex: 0, role: "slider", "aria-label": "Time in the recording, s", "aria-valuemin": 0 });
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      this.dragging = true;
      this.seekTo(event);
    });
    this.canvas.addEventListener("pointermove", (event) => this.dragging && this.seekTo(event));
    for (const name of ["pointerup", "pointercancel"]) this.canvas.addEventListener(name, () => (this.dragging = false));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.card.append(element("div", { class: "row" }, this.play,
      element("button", { type: "button", onclick: () => this.jump(-1) }, "◀ Event"), element("button", { type: "button", onclick: () => this.jump(1) }, "Event ▶"),
      this.text, ...this.speeds), this.canvas);
    this.list = element("ol", { class: "log" });
    tabs.add("events", "Events").append(element("div", { class: "scroll" }, this.list));
  }

  setTimeline(timeline) {
    this.events = timeline.events;
    this.length = timeline.length;
    this.list.replaceChildren(...timeline.events.map((event) => element("li", {}, element("button", { type: "button", class: "quiet", onclick: () => this.seek(event.time - 0.5) }, duration(event.time)), ` ${event.text}`)),
      ...(timeline.left_out ? [element("li", { class: "dim" }, `${timeline.left_out} more events are not shown`)] : []));
  }

  update(now) {
    this.now = now;
    setText(this.play, now.playing ? "Pause" : "Play");
    setText(this.text, `${duration(now.time)} of ${duration(now.length)}`);
    this.speeds.forEach((one, index) => one.setAttribute("aria-pressed", String(SPEEDS[index] === now.speed)));
    this.canvas.setAttribute("aria-valuemax", now.length.toFixed(1));
    this.canvas.setAttribute("aria-valuenow", now.time.toFixed(1));
    this.canvas.setAttribute("aria-valuetext", duration(now.time));
    this.draw();
  }

  seek(time) {
    this.ask("seek", { time: Math.max(0, time) });
  }

  seekTo(event) {
    if (performance.now() - (this.sought ?? 0) < 80) return;
    this.sought = performance.now();
    this.seek((event.offsetX / this.canvas.clientWidth) * this.now.length);
  }

  jump(direction) {
    const here = this.now.time;
    const target = direction > 0 ? this.events.find((event) => event.time > here + 0.6) : this.events.filter((event) => event.time < here - 0.6).at(-1);
    if (target) this.seek(target.time - 0.5);
  }

  key(event) {
    const { time, length } = this.now;
    const to = { ArrowRight: time + 1, ArrowLeft: time - 1, PageUp: time + 10, PageDown: time - 10, Home: 0, End: length }[event.key];
    if (to !== undefined) this.seek(Math.min(length, to));
    else if (event.key === " ") this.play.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  draw() {
    const { context, width, height } = context2d(this.canvas);
    if (!width) return;
    const x = (time) => (time / (this.now.length || 1)) * width;
    context.fillStyle = color("field");
    context.fillRect(0, 14, width, height - 28);
    context.fillStyle = color("accent");
    context.globalAlpha = 0.35;
    context.fillRect(0, 14, x(this.now.time), height - 28);
    context.globalAlpha = 1;
    for (const event of this.events) {
      context.fillStyle = color(MARKS[event.kind] ?? "dim");
      context.fillRect(x(event.time) - 1, 14, 3, height - 28);
    }
    context.fillStyle = color("ink");
    context.fillRect(x(this.now.time) - 1.5, 6, 3, height - 12);
  }
}
