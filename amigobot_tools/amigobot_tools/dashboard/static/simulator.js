// The simulator's controls: clock, pose, obstacles, faults, buttons. Things are also dragged in the top view.
import { element, fixed, setText } from "./dom.js";

const SPEEDS = [0.1, 0.5, 1, 2, 5, 10, 50];
const degrees = (radians) => (radians * 180) / Math.PI;
const radians = (value) => (value * Math.PI) / 180;

/** Drags robot and obstacles in the top view. */
class Editor {
  constructor(view, ask) {
    Object.assign(this, { view, ask, preview: null, held: null });
  }

  press(x, y) {
    const near = (thing, reach) => Math.hypot(thing[0] - x, thing[1] - y) < Math.max(reach, 14 / this.view.scale);
    const truth = this.view.poseNow("truth");
    if (truth && near(truth, 0.17)) {
      this.held = { robot: true, at: [x - truth[0], y - truth[1]] };
      this.preview = truth;
      return true;
    }
    const obstacle = this.view.obstacles.find((one) => near([one.x, one.y], Math.max(one.length, one.width) / 2));
    if (!obstacle) return false;
    this.held = { obstacle: { ...obstacle }, at: [x - obstacle.x, y - obstacle.y] };
    return true;
  }

  drag(x, y) {
    const [px, py] = [x - this.held.at[0], y - this.held.at[1]];
    this.held.moved = true;
    if (this.held.robot) this.preview = [px, py, this.preview[2]];
    else Object.assign(this.held.obstacle, { x: px, y: py });
  }

  /** The obstacle where it is dragged to. */
  moved(obstacle) {
    return this.held?.obstacle?.number === obstacle.number ? this.held.obstacle : obstacle;
  }

  async drop() {
    const { held, preview } = this;
    if (held.moved && held.robot) await this.ask("place", { x: preview[0], y: preview[1], heading: preview[2] });
    else if (held.moved) {
      const { number, x, y, heading } = held.obstacle;
      await this.ask("move_obstacle", { number, x, y, heading });
    }
    this.held = this.preview = null;
  }
}

function field(label, value, step = 0.1) {
  const input = element("input", { type: "number", step, value, class: "inline-number" });
  return { input, root: element("label", {}, `${label} `, input), get value() { return Number(input.value) || 0; } };
}

export class SimulatorPanel {
  constructor(parent, view, ask) {
    this.ask = ask;
    this.view = view;
    view.editor = new Editor(view, ask);
    this.faults = new Map();
    const button = (text, press, attributes = {}) => element("button", { type: "button", onclick: press, ...attributes }, text);
    this.pause = button("Pause", () => ask("pause", { on: !this.sim?.paused }), { "aria-pressed": "false" });
    this.step = button("Step 0.1 s", () => ask("step", { seconds: 0.1 }));
    this.speeds = SPEEDS.map((factor) => button(`${factor}×`, () => ask("speed", { factor }), { "aria-pressed": "false" }));
    this.factor = element("input", { type: "range", min: -1, max: 1.699, step: 0.01, "aria-label": "Speed of the simulation, logarithmic" });
    this.factor.addEventListener("change", () => ask("speed", { factor: Math.min(50, Math.max(0.1, 10 ** Number(this.factor.value))) }));
    this.actual = element("span", { class: "dim", role: "status" });
    const [x, y, heading] = [field("x", 0), field("y", 0), field("heading °", 0, 5)];
    const [length, width] = [field("length", 0.4), field("width", 0.4)];
    const pose = () => ({ x: x.value, y: y.value, heading: radians(heading.value) });
    this.obstacles = element("div");
    this.faultList = element("tbody");
    this.charge = element("input", { type: "range", min: 0, max: 1, step: 0.01, "aria-label": "Charge of the battery" });
    this.charge.addEventListener("change", () => ask("charge", { charge: Number(this.charge.value) }));
    parent.append(element("div", { class: "scroll" },
      element("h3", {}, "Clock"), element("div", { class: "row" }, this.pause, this.step, ...this.speeds), this.factor, this.actual,
      element("h3", {}, "Robot and obstacles"),
      element("p", { class: "dim" }, "Drag the dashed outline (the true pose) or an obstacle in the top view, or give numbers, in m."),
      element("div", { class: "row" }, x.root, y.root, heading.root),
      element("div", { class: "row" }, length.root, width.root),
      element("div", { class: "row" }, button("Put the robot here", () => ask("place", pose())),
        button("Add a box here", () => ask("add_obstacle", { ...pose(), length: length.value, width: width.value || 0.1 })),
        button("Add a circle here", () => ask("add_obstacle", { ...pose(), length: length.value, width: 0 })),
        button("Add a box ahead", () => this.addAhead(length.value, width.value || 0.1))),
      this.obstacles,
      element("h3", {}, "Buttons and battery"),
      element("div", { class: "row" }, button("MOTORS button", () => ask("press_motors")), button("RESET button", () => ask("press_reset"))),
      element("label", { class: "slider" }, "Charge ", this.charge),
      element("h3", {}, "Faults"),
      element("div", { class: "row" }, button("No faults", () => ask("no_faults"))),
      element("table", {}, element("thead", {}, element("tr", {}, ...["Fault", "Value", "Meaning"].map((name) => element("th", { scope: "col" }, name)))), this.faultList)));
  }

  addAhead(length, width) {
    const pose = this.view.poseNow("truth");
    if (!pose) return;
    const ahead = 0.5 + length / 2;
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
    this.view.obstacles = obstacles;
    this.obstacles.replaceChildren(...obstacles.map((one) => {
      const [x, y, heading] = [field("x", one.x.toFixed(2)), field("y", one.y.toFixed(2)), field("°", degrees(one.heading).toFixed(0), 5)];
      const move = () => this.ask("move_obstacle", { number: one.number, x: x.value, y: y.value, heading: radians(heading.value) });
      return element("div", { class: "row" }, `${one.width ? "Box" : "Circle"} ${one.number}`, x.root, y.root, heading.root,
        element("button", { type: "button", onclick: move }, "Move"),
        element("button", { type: "button", class: "danger", onclick: () => this.ask("remove_obstacle", { number: one.number }) }, "Remove"));
    }));
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
    const entry = { input, root: element("tr", {}, element("td", {}, fault.name), element("td", {}, element("div", { class: "row" }, input, now)), element("td", {}, fault.help)) };
    this.faults.set(fault.name, entry);
    this.faultList.append(entry.root);
    return entry;
  }
}
