// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// Log, diagnostics, parameters, sounds, ports and frames on the line: one class each.
import { clockTime, element, setText } from "./dom.js";

const LINES = 500;

export class Log {
  constructor(parent) {
    this.list = element("ol", { class: "log", role: "log", "aria-label": "Log" });
    parent.append(element("div", { class: "scroll" }, this.list));
  }

  add(lines) {
    for (const [wall, text] of lines) {
      this.list.prepend(element("li", {}, element("time", {}, clockTime(wall)), text));
    }
    while (this.list.children.length > LINES) this.list.lastChild.remove();
  }
}

export class Diagnostics {
  constructor(parent) {
    this.parent = element("div", { class: "scroll" });
    parent.append(this.parent);
    this.shown = new Map();
  }

  /** Show the findings; returns how many are not good. */
  update(findings) {
    for (const finding of findings) {
      let entry = this.shown.get(finding.name);
      if (!entry) {
        entry = { text: element("span"), values: element("table"), root: null };
        entry.root = element("details", { class: "finding" }, element("summary", {}, element("strong", {}, finding.name), " ", entry.text), entry.values);
        this.parent.append(entry.root);
        this.shown.set(finding.name, entry);
      }
      entry.root.className = `finding ${finding.level}`;
      setText(entry.text, `${finding.level === "ok" ? "" : `${finding.level}: `}${finding.message}`);
      entry.values.replaceChildren(...Object.entries(finding.values).map(([name, value]) =>
        element("tr", {}, element("td", {}, name.replaceAll("_", " ")), element("td", { class: "number" }, value))));
    }
    return findings.filter((finding) => finding.level !== "ok").length;
  }
}

export class Parameters {
  constructor(parent, ask) {
    this.ask = ask;
    this.rows = new Map();
    this.body = element("tbody");
    const search = element("input", { type: "search", placeholder: "Search", "aria-label": "Search the parameters", oninput: () => this.filter(search.value) });
    parent.append(element("div", { class: "row" }, search), element("div", { class: "scroll" },
      element("table", { class: "parameters" }, element("thead", {}, element("tr", {}, ...["Parameter", "Value", "Allowed", "Meaning"].map((name) => element("th", { scope: "col" }, name)))), this.body)));
  }

  update(parameters) {
    for (const parameter of parameters) {
      const row = this.rows.get(parameter.name) ?? this.add(parameter);
      row.value = parameter.value;
      if (document.activeElement !== row.input) this.show(row);
    }
  }

  add(parameter) {
    const { name, value, low, high, unit, text } = parameter;
    const isFlag = typeof value === "boolean";
    const isNumber = typeof value === "number";
    const input = element("input", isFlag ? { type: "checkbox" } : isNumber ? { type: "number", class: "inline-number", min: low, max: high, step: parameter.whole ? 1 : "any" } : { type: "text" });
    input.setAttribute("aria-label", `${name}${unit ? `, ${unit}` : ""}`);
    const row = { input, isFlag, isNumber, value, name };
    input.addEventListener("change", () => this.set(row));
    const range = low === undefined || low === null ? "" : `${low} to ${high}`;
    row.root = element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, input), element("td", {}, `${range} ${unit}`.trim()), element("td", {}, text));
    this.rows.set(name, row);
    this.body.append(row.root);
    return row;
  }

  show(row) {
    if (row.isFlag) row.input.checked = row.value;
    else row.input.value = row.value ?? "";
  }

  async set(row) {
    if (row.isNumber && row.input.value === "") {
      this.show(row);
      return;
    }
    const value = row.isFlag ? row.input.checked : row.isNumber ? Number(row.input.value) : row.input.value;
    row.input.disabled = true;
    const answer = await this.ask("parameter", { name: row.name, value });
    row.input.disabled = false;
    if (answer.ok) row.value = value;
    this.show(row);
  }

  filter(text) {
    const searched = text.toLowerCase();
    for (const [, row] of this.rows) row.root.hidden = !row.root.textContent.toLowerCase().includes(searched);
  }
}

export class Sounds {
  constructor(parent, ask) {
    this.ask = ask;
    this.sounds = [];
    this.search = element("input", { type: "search", placeholder: "Search sounds", "aria-label": "Search sounds", oninput: () => this.show() });
    this.list = element("div", { class: "sound-list scroll" });
    this.load = element("button", { type: "button", onclick: () => this.read() }, "Read the list from the robot");
    this.state = element("span", { class: "dim", role: "status" });
    parent.append(element("div", { class: "row" }, this.load, this.search,
      element("button", { type: "button", onclick: () => ask("sounds", { on: true }) }, "Unmute"),
      element("button", { type: "button", onclick: () => ask("sounds", { on: false }) }, "Mute"), this.state), this.list);
  }

  async read() {
    this.load.disabled = true;
    setText(this.state, "reading: the first time takes some seconds");
    const answer = await this.ask("list_sounds");
    setText(this.state, answer.text);
    this.load.disabled = false;
  }

  update(sounds) {
    this.sounds = sounds;
    this.show();
  }

  show() {
    const searched = this.search.value.toLowerCase();
    const found = this.sounds.filter((sound) => !sound.group && `${sound.number} ${sound.name}`.toLowerCase().includes(searched));
    this.list.replaceChildren(...found.map((sound) =>
      element("button", { type: "button", title: `Play ${sound.name}`, onclick: () => this.ask("play_sound", { number: sound.number }) }, `▶ ${sound.name || `sound ${sound.number}`}`)));
  }
}

export class Ports {
  constructor(parent, ask) {
    this.ask = ask;
    this.inputs = element("div", { class: "pins", "aria-label": "Digital inputs" });
    this.outputs = element("div", { class: "pins", role: "group", "aria-label": "Digital outputs" });
    this.analog = element("div", { class: "gauges" });
    for (let pin = 0; pin < 8; pin += 1) {
      this.inputs.append(element("span", {}, String(pin)));
      this.outputs.append(element("button", { type: "button", role: "switch", "aria-checked": "false", "aria-label": `Output ${pin}`, onclick: () => this.toggle(pin) }, String(pin)));
    }
    this.canWrite = true;
    parent.append(element("h3", {}, "Digital outputs"), this.outputs, element("h3", {}, "Digital inputs"), this.inputs, element("h3", {}, "Analog inputs"), this.analog);
  }

  toggle(pin) {
    const on = Boolean((this.state ?? 0) & (1 << pin));
    this.ask("outputs", { mask: 1 << pin, states: on ? 0 : 1 << pin });
  }

  update({ digital_inputs: inputs, digital_outputs: outputs, analog }) {
    this.state = outputs;
    [...this.inputs.children].forEach((pin, index) => {
      const on = Boolean((inputs ?? 0) & (1 << index));
      pin.className = on ? "on" : "";
      pin.setAttribute("aria-label", `Input ${index}: ${inputs === null ? "not known" : on ? "on" : "off"}`);
    });
    [...this.outputs.children].forEach((pin, index) => {
      pin.setAttribute("aria-checked", String(Boolean((outputs ?? 0) & (1 << index))));
      pin.disabled = outputs === null || !this.canWrite;
    });
    if (this.analog.children.length !== analog.length) {
      this.analog.replaceChildren(...analog.map((_, index) => element("div", { class: "gauge" }, element("div", { class: "name" }, `Port ${index + 1}`), element("div", { class: "value" }))));
    }
    analog.forEach((volts, index) => setText(this.analog.children[index].lastChild, volts === null ? "–" : `${volts.toFixed(2)} V`));
  }
}

export class Packets {
  constructor(parent, connection) {
    this.frames = [];
    this.paused = false;
    this.connection = connection;
    this.filter = element("input", { type: "search", placeholder: "Filter: Sip, VEL, 3b, …", "aria-label": "Filter the frames", oninput: () => this.show() });
    this.direction = element("select", { "aria-label": "Direction", onchange: () => this.show() },
      ...[["", "both directions"], ["<", "from the robot"], [">", "to the robot"]].map(([value, text]) => element("option", { value }, text)));
    this.pause = element("button", { type: "button", "aria-pressed": "false", onclick: () => this.toggle() }, "Freeze");
    this.count = element("span", { class: "dim" });
    this.body = element("tbody");
    parent.append(element("div", { class: "row" }, this.filter, this.direction, this.pause, element("button", { type: "button", class: "quiet", onclick: () => this.clear() }, "Clear"), this.count),
      element("div", { class: "scroll" }, element("table", {}, element("thead", {}, element("tr", {}, ...["", "Time", "Name", "Content"].map((name) => element("th", { scope: "col" }, name)))), this.body)));
    this.skipped = 0;
  }

  watch(on) {
    if (this.watching === on) return;
    this.watching = on;
    this.connection.send({ type: "watch_packets", on });
  }

  toggle() {
    this.paused = !this.paused;
    this.pause.setAttribute("aria-pressed", String(this.paused));
  }

  clear() {
    this.frames = [];
    this.skipped = 0;
    this.show();
  }

  add(frames, skipped) {
    if (this.paused) return;
    this.skipped += skipped;
    this.frames = [...frames.reverse(), ...this.frames].slice(0, 300);
    this.show();
  }

  matches(frame) {
    const direction = this.direction.value;
    if (direction && direction !== (frame.to_robot ? ">" : "<")) return false;
    const searched = this.filter.value.toLowerCase();
    return !searched || `${frame.name} ${frame.text} ${frame.hex}`.toLowerCase().includes(searched);
  }

  show() {
    // Rows are kept by their frame, so that an open one stays open.
    const before = new Map([...this.body.children].map((row) => [Number(row.dataset.n), row]));
    const shown = this.frames.filter((frame) => this.matches(frame)).slice(0, 100);
    this.body.replaceChildren(...shown.map((frame) => before.get(frame.n) ?? this.row(frame)));
    setText(this.count, `${shown.length} shown${this.skipped ? `, ${this.skipped} left out: the page is too slow for all` : ""}`);
  }

  row(frame) {
    const source = `docs/protocol ${frame.section}`;
    const content = element("details", {}, element("summary", { class: "mono" }, frame.text));
    content.addEventListener("toggle", () => {
      if (content.children.length > 1) return;
      content.append(element("p", { class: "mono" }, frame.hex),
        element("p", {}, this.linked ? element("a", { href: `/protocol/${frame.section}`, target: "_blank", rel: "noopener" }, source) : source),
        element("table", {}, ...Object.entries(frame.fields).map(([name, value]) => element("tr", {}, element("td", {}, name), element("td", { class: "mono" }, JSON.stringify(value))))));
    });
    return element("tr", { class: frame.to_robot ? "to-robot" : "", "data-n": frame.n },
      element("td", { "aria-label": frame.to_robot ? "to the robot" : "from the robot" }, frame.to_robot ? "→" : "←"),
      element("td", { class: "number" }, frame.t.toFixed(3)), element("td", {}, frame.name), element("td", {}, content));
  }
}
