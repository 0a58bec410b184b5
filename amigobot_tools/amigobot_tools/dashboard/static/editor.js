// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// Moves what stands in the simulated world, and the robot: in the top view with mouse, touch and keys, or by a toolbar.
import { byId, setText } from "./dom.js";
import { compose } from "./view.js";

const REACH = 12; // pixels around a wall that count as the wall
const STEP = 0.05; // m of an arrow key
const FINE = 0.01; // m with Shift
const TURN = Math.PI / 36; // of a key or button
const ARROWS = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
export const ROBOT = "robot";

/** Distance from a point to a segment. */
function distance([x1, y1, x2, y2], x, y) {
  const [ex, ey] = [x2 - x1, y2 - y1];
  const along = Math.min(1, Math.max(0, ((x - x1) * ex + (y - y1) * ey) / (ex * ex + ey * ey || 1)));
  return Math.hypot(x1 + along * ex - x, y1 + along * ey - y);
}

export class Editor {
  constructor(view, ask) {
    Object.assign(this, { view, ask, things: [], selected: null, moved: null, held: null, sending: false });
    this.bar = byId("selection");
    byId("turn-left").addEventListener("click", () => this.turn(TURN));
    byId("turn-right").addEventListener("click", () => this.turn(-TURN));
    byId("remove-thing").addEventListener("click", () => this.remove());
    byId("deselect").addEventListener("click", () => this.select(null));
  }

  // -- what there is -----------------------------------------------------------------------------------------

  setThings(things) {
    this.things = things;
    if (this.selected !== null && this.selected !== ROBOT && !things.some((thing) => thing.number === this.selected)) this.select(null);
    this.describe();
  }

  /** The pose of a thing as it is shown: where it is being moved to, or where it is. */
  pose(thing) {
    return this.moved && this.selected === thing.number ? this.moved : [thing.x, thing.y, thing.heading];
  }

  /** Where the robot is being carried to; null if it is not. */
  get preview() {
    return this.selected === ROBOT ? this.moved : null;
  }

  current() {
    if (this.moved) return this.moved;
    if (this.selected === ROBOT) return this.view.poseNow("truth");
    const thing = this.things.find((one) => one.number === this.selected);
    return thing ? [thing.x, thing.y, thing.heading] : null;
  }

  name() {
    const thing = this.things.find((one) => one.number === this.selected);
    return this.selected === ROBOT ? "robot" : thing ? `${thing.kind} ${thing.number}` : "";
  }

  /** Segments of a thing in the world. */
  segments(thing) {
    const pose = this.pose(thing);
    const place = (x, y) => compose(pose, x, y, 0).slice(0, 2);
    return thing.outline.map(([x1, y1, x2, y2]) => [...place(x1, y1), ...place(x2, y2)]);
  }

  // -- selection ---------------------------------------------------------------------------------------------

  select(what) {
    this.selected = what;
    this.moved = null;
    this.describe();
    this.onselect?.();
    this.view.touch();
  }

  /** Select something that may be outside of the picture. */
  reveal(what) {
    this.select(what);
    const pose = this.current();
    if (!pose) return;
    const [px, py] = this.view.toScreen(pose[0], pose[1]);
    if (px > 0 && py > 0 && px < this.view.width && py < this.view.height) return;
    this.view.setFollow(false);
    this.view.center = [pose[0], pose[1]];
  }

  describe() {
    const pose = this.current();
    this.bar.hidden = !pose;
    if (!pose) return;
    setText(byId("selection-name"), `${this.name()}: x ${pose[0].toFixed(2)}, y ${pose[1].toFixed(2)}, ${((pose[2] * 180) / Math.PI).toFixed(0)}°`);
    byId("remove-thing").hidden = this.selected === ROBOT;
  }

  /** The next thing in the order of their numbers, after the robot. */
  next(step) {
    const all = [ROBOT, ...this.things.map((thing) => thing.number)];
    const at = all.indexOf(this.selected);
    this.reveal(all[(at < 0 && step < 0 ? all.length - 1 : at + step + all.length) % all.length]);
  }

  nearest(x, y) {
    const truth = this.view.poseNow("truth");
    const reach = REACH / this.view.scale;
    if (truth && Math.hypot(truth[0] - x, truth[1] - y) < Math.max(0.17, reach)) return ROBOT;
    let [best, found] = [reach, null];
    for (const thing of this.things) {
      // The inside of a box or circle counts as far as a wall that is a little away.
      const inside = thing.kind !== "wall" && Math.hypot(thing.x - x, thing.y - y) < Math.hypot(thing.outline[0][0], thing.outline[0][1]) * 0.8;
      const away = inside ? reach / 2 : Math.min(...this.segments(thing).map((segment) => distance(segment, x, y)));
      if (away < best) [best, found] = [away, thing.number];
    }
    return found;
  }

  // -- mouse and touch ---------------------------------------------------------------------------------------

  press(x, y) {
    const found = this.nearest(x, y);
    if (found !== this.selected) this.select(found);
    if (found === null) return false;
    const pose = this.current();
    this.held = [x - pose[0], y - pose[1]];
    return true;
  }

  drag(x, y) {
    const heading = this.current()[2];
    this.moved = [x - this.held[0], y - this.held[1], heading];
    this.describe();
  }

  drop() {
    this.held = null;
    if (this.moved) this.send();
  }

  // -- keys and buttons --------------------------------------------------------------------------------------

  /** Take a key of the top view; returns whether it was one for the editor. */
  key(event) {
    if (event.key === "n" || event.key === "N") this.next(event.shiftKey ? -1 : 1);
    else if (this.selected === null) return false;
    else if (event.key in ARROWS) this.shift(ARROWS[event.key].map((axis) => axis * (event.shiftKey ? FINE : STEP)));
    else if (event.key === "[") this.turn(TURN);
    else if (event.key === "]") this.turn(-TURN);
    else if (event.key === "Delete" || event.key === "Backspace") this.remove();
    else if (event.key === "Enter") this.select(null);
    else return false;
    return true;
  }

  shift([dx, dy]) {
    const [x, y, heading] = this.current();
    this.moveTo([x + dx, y + dy, heading]);
  }

  turn(angle) {
    const [x, y, heading] = this.current();
    this.moveTo([x, y, heading + angle]);
  }

  moveTo(pose) {
    this.moved = pose;
    this.describe();
    this.view.touch();
    this.send();
  }

  remove() {
    if (this.selected !== null && this.selected !== ROBOT) this.ask("remove_obstacle", { number: this.selected });
  }

  /** Send where the selected thing goes; one request at a time, the newest pose wins. */
  async send() {
    if (this.sending) return;
    this.sending = true;
    let sent = null;
    while (this.moved && this.moved !== sent && !this.held) {
      sent = this.moved;
      const [x, y, heading] = sent;
      const number = this.selected;
      const answer = await (number === ROBOT ? this.ask("place", { x, y, heading }) : this.ask("move_obstacle", { number, x, y, heading }));
      if (this.selected !== number) break;
      const thing = this.things.find((one) => one.number === number);
      if (answer.ok && thing) Object.assign(thing, { x, y, heading });
      if (!answer.ok) break;
    }
    this.sending = false;
    if (!this.held) this.moved = null;
    this.describe();
    this.view.touch();
  }
}
