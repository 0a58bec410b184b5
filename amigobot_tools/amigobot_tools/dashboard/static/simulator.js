// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// The simulator's controls: clock, pose, obstacles, faults, buttons. Things are also dragged in the top view.
import { element, fixed, setText } from "./dom.js";
import { Editor, ROBOT } from "./editor.js";

const SPEEDS = [0.1, 0.5, 1, 2, 5, 10, 50];
const degrees = (radians) => (radians * 180) / Math.PI;
const radians = (value) => (value * Math.PI) / 180;

function field(label, value, step = 0.1) {
  const input = element("input", { type: "number", step, value, class: "inline-number" });
  return { input, root: element("label", {}, `${label} `, input), get value() { return Number(input.value) || 0; } };
}

export class SimulatorPanel {
  constructor(parent, view, ask) {
    this.ask = ask;
    this.view = view;
    this.editor = view.editor = new Editor(view, ask);
    this.editor.onselect = () => this.showSelected();
    this.faults = new Map();
    const button = (text, press, attributes = {}) => element("button", { type: "button", onclick: press, ...attributes }, text);
    this.pause = button("Pause", () => ask("pause", { on: !this.sim?.paused }), { "aria-pressed": "false" });
    this.step = button("Step 0.1 s", () => ask("step", { seconds: 0.1 }));
    this.speeds = SPEEDS.map((factor) => button(`${factor}×`, () => ask("speed", { factor }), { "aria-pressed": "false" }));
    this.factor = element("input", { type: "range", min: -1, max: 1.699, step: 0.01, "aria-label": "Speed of the simulation, logarithmic" });
    this.factor.addEventListener("change", () => ask("speed", { factor: Math.min(50, Math.max(0.1, 10 ** Number(this.factor.value))) }));
    this.actual = element("span", { class: "dim", role: "status" });
    const [x, y, heading] = (this.fields = [field("x", 0), field("y", 0), field("heading °", 0, 5)]);
    const [length, width] = [field("length", 0.4), field("width", 0.4)];
    const pose = () => ({ x: x.value, y: y.value, heading: radians(heading.value) });
    this.things = element("select", { "aria-label": "Robot, walls and obstacles", onchange: () => this.editor.reveal(this.things.value === ROBOT ? ROBOT : Number(this.things.value) || null) });
    this.move = button("Move it here", () => this.editor.moveTo([x.value, y.value, radians(heading.value)]), { disabled: true });
    this.remove = button("Remove", () => this.editor.remove(), { class: "danger", disabled: true });
    this.faultList = element("tbody");
    this.charge = element("input", { type: "range", min: 0, max: 1, step: 0.01, "aria-label": "Charge of the battery" });
    this.charge.addEventListener("change", () => ask("charge", { charge: Number(this.charge.value) }));
    parent.append(element("div", { class: "scroll" },
      element("h3", {}, "Clock"), element("div", { class: "row" }, this.pause, this.step, ...this.speeds), this.factor, this.actual,
      element("h3", {}, "Robot, walls and obstacles"),
      element("p", { class: "dim" }, "Drag walls, obstacles and the dashed outline (the true pose of the robot) in the top view. Keys there: ",
        ...["n", "N"].flatMap((key) => [element("kbd", {}, key), " "]), "select the next or previous one, arrow keys move it, ", element("kbd", {}, "["), " ", element("kbd", {}, "]"), " turn it, ", element("kbd", {}, "Delete"), " removes it, ", element("kbd", {}, "Enter"), " ends."),
      element("div", { class: "row" }, button("Add a box", () => this.addAhead(length.value, width.value || 0.1)), button("Add a circle", () => this.addAhead(length.value, 0)), length.root, width.root),
      element("div", { class: "row" }, this.things, this.move, this.remove),
      element("div", { class: "row" }, x.root, y.root, heading.root),
      element("div", { class: "row" }, button("All walls as loaded", () => ask("restore_world"), { class: "quiet" })),
      element("h3", {}, "Buttons and battery"),
      element("div", { class: "row" }, button("MOTORS button", () => ask("press_motors")), button("RESET button", () => ask("press_reset"))),
      element("label", { class: "slider" }, "Charge ", this.charge),
      element("h3", {}, "Faults"),
      element("div", { class: "row" }, button("No faults", () => ask("no_faults"))),
      element("table", { class: "faults" }, element("thead", {}, element("tr", {}, ...["Fault", "Value", "Meaning"].map((name) => element("th", { scope: "col" }, name)))), this.faultList)));
  }

  addAhead(length, width) {
    const pose = this.view.poseNow("truth");
    if (!pose) return;
    const ahead = 0.5 + length / 2;
    this.adding = true;
    this.ask("add_obstacle", { x: pose[0] + ahead * Math.cos(pose[2]), y: pose[1] + ahead * Math.sin(pose[2]), heading: pose[2], length, width });
  }

  update(sim) {
    this.sim = sim;
    setText(this.pause, sim.paused ? "Go on" : "Pause");
    this.pause.setAttribute("aria-pressed", String(sim.paused));
    this.step.disabled = !sim.paused;
    this.speeds.forEach((one, index) => one.setAttribute("aria-pressed", String(Math.abs(SPEEDS[index] - sim.speed) < 1e-6)));
    if (document.activeElement !== this.factor) this.factor.value = Math.log10(sim.speed);
    if (document.activeElement !== this.charge) this.charge.value = sim.charge;
    setText(this.actual, `simulated ${sim.time.toFixed(1)} s, asked for ${fixed(sim.speed, 1)}×, runs at ${fixed(sim.actual, 1)}×`);
  }

  setObstacles(obstacles) {
    const known = new Set(this.editor.things.map((thing) => thing.number));
    const first = !known.size;
    this.editor.setThings(obstacles);
    this.things.replaceChildren(element("option", { value: "" }, "Select …"), element("option", { value: ROBOT }, "robot"),
      ...obstacles.map((one) => element("option", { value: one.number }, `${one.kind} ${one.number}`)));
    if (first && obstacles.length) this.view.scale = Math.max(40, this.view.canvas.clientWidth / 9);
    const added = obstacles.find((one) => one.kind !== "wall" && !known.has(one.number));
    if (added && this.adding) this.editor.select(added.number);
    this.adding = false;
    this.showSelected();
  }

  /** Show what is selected, and where it is. */
  showSelected() {
    const { selected } = this.editor;
    this.things.value = selected ?? "";
    this.move.disabled = selected === null;
    this.remove.disabled = selected === null || selected === ROBOT;
    const pose = this.editor.current();
    if (!pose) return;
    [pose[0].toFixed(2), pose[1].toFixed(2), degrees(pose[2]).toFixed(0)].forEach((value, index) => {
      if (document.activeElement !== this.fields[index].input) this.fields[index].input.value = value;
    });
  }

  setFaults(faults) {
    for (const fault of faults) {
      const entry = this.faults.get(fault.name) ?? this.addFault(fault);
      if (document.activeElement === entry.input) continue;
      if (fault.kind === "flag") entry.input.checked = fault.value === "1";
      else entry.input.value = fault.value;
      entry.root.classList.toggle("to-robot", fault.value !== "");
    }
  }

  addFault(fault) {
    const flag = fault.kind === "flag";
    const input = element("input", flag ? { type: "checkbox" } : { type: "text", class: "inline-number" });
    input.setAttribute("aria-label", `${fault.name}: ${fault.help}`);
    input.addEventListener("change", () => this.ask("fault", { name: fault.name, value: flag ? (input.checked ? "1" : "") : input.value }));
    const now = fault.kind === "window" ? element("button", { type: "button", onclick: () => this.ask("fault_now", { name: fault.name, seconds: 3 }) }, "3 s now") : null;
    const entry = { input, root: element("tr", {}, element("td", {}, fault.name.replaceAll("_", "_\u200b")), element("td", {}, element("div", { class: "row" }, input, now)), element("td", {}, fault.help)) };
    this.faults.set(fault.name, entry);
    this.faultList.append(entry.root);
    return entry;
  }
}
