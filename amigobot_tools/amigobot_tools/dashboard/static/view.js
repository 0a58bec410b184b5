// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// The top view: robot, trail, sonars, hits, walls, map. World coordinates in m, x to the right, y up.
import { color, context2d, fixed } from "./dom.js";

const TRAIL = 6000; // points
const TRAIL_STEP = 0.02; // m
const HITS = 3000;
const HIT_LIFE = 45; // s until a hit has faded
const PING_LIFE = 1.5; // s until a sonar's cone has faded
const SHOWN_LATE = 0.06; // s that the picture is behind, to move evenly between two frames

/** A pose of one frame in another: `origin` is that frame's pose in it. */
export function compose(origin, x, y, yaw) {
  const [c, s] = [Math.cos(origin[2]), Math.sin(origin[2])];
  return [origin[0] + c * x - s * y, origin[1] + s * x + c * y, origin[2] + yaw];
}

const turn = (from, to) => Math.atan2(Math.sin(to - from), Math.cos(to - from));

export class View {
  constructor(canvas) {
    this.canvas = canvas;
    this.scale = 90; // pixels per m
    this.center = [0, 0];
    this.follow = true;
    this.body = null;
    this.others = {};
    this.bodies = {};
    this.path = [];
    this.map = null;
    this.frames = [];
    this.editor = null; // the things of a simulated world, and the presses that move them
    this.forget();
    this.pointers = new Map();
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.lift(event));
    canvas.addEventListener("keydown", (event) => this.key(event));
    this.changed = true;
    this.times = []; // of the pictures of the last second, for the frame rate
    requestAnimationFrame(() => this.draw());
  }

  forget() {
    this.touch();
    this.trail = [];
    this.truthTrail = [];
    this.hits = [];
    this.pingTimes = [];
  }

  // -- what comes --------------------------------------------------------------------------------------------

  describe(description) {
    this.body = description.body;
    this.sonars = description.sonars ?? [];
    this.maxRange = description.max_range;
    this.beam = description.field_of_view ?? 0.26;
  }

  frame(now) {
    this.touch();
    const state = now.state;
    if (state.x === null || state.x === undefined) {
      this.state = state;
      return;
    }
    const origin = now.origin ?? [0, 0, 0];
    const at = performance.now() / 1000;
    const pose = compose(origin, state.x, state.y, state.yaw);
    const truth = now.sim ? [now.sim.x, now.sim.y, now.sim.yaw] : null;
    this.frames = [...this.frames.slice(-1), { at, pose, truth }];
    this.state = state;
    this.others = now.others ?? {};
    this.keep(this.trail, pose);
    if (truth) this.keep(this.truthTrail, truth);
    state.sonars.forEach(([range, age], index) => {
      const fired = age === null ? null : at - age;
      // The same ping comes with several frames: its age tells.
      if (fired === null || Math.abs(fired - (this.pingTimes[index] ?? -9)) < 0.03) return;
      this.pingTimes[index] = fired;
      if (range === null || range < 0 || range >= this.maxRange) return;
      const [x, y, heading] = this.sonars[index] ?? [0, 0, 0];
      const [hx, hy] = compose(pose, x + range * Math.cos(heading), y + range * Math.sin(heading), 0);
      this.hits.push([hx, hy, at]);
      if (this.hits.length > HITS) this.hits.shift();
    });
  }

  keep(trail, pose) {
    const last = trail[trail.length - 1];
    if (!last || Math.hypot(pose[0] - last[0], pose[1] - last[1]) >= TRAIL_STEP) {
      trail.push([pose[0], pose[1]]);
      if (trail.length > TRAIL) trail.shift();
    }
  }

  setMap(map) {
    const cells = Uint8Array.from(atob(map.cells), (character) => character.charCodeAt(0));
    const image = document.createElement("canvas");
    image.width = map.width;
    image.height = map.height;
    const context = image.getContext("2d");
    const data = context.createImageData(map.width, map.height);
    cells.forEach((cell, index) => {
      const row = map.height - 1 - Math.floor(index / map.width);
      const at = 4 * (row * map.width + (index % map.width));
      const shade = cell === 1 ? 60 : 170;
      data.data.set([shade, shade, shade, cell === 1 ? 255 : cell === 2 ? 70 : 0], at);
    });
    context.putImageData(data, 0, 0);
    this.map = { ...map, image };
  }

  /** All walls and obstacles of a simulated world, as segments. */
  walls() {
    return this.editor?.things.flatMap((thing) => this.editor.segments(thing)) ?? [];
  }

  // -- coordinates -------------------------------------------------------------------------------------------

  toScreen(x, y) {
    return [this.width / 2 + (x - this.center[0]) * this.scale, this.height / 2 - (y - this.center[1]) * this.scale];
  }

  toWorld(px, py) {
    return [this.center[0] + (px - this.width / 2) / this.scale, this.center[1] - (py - this.height / 2) / this.scale];
  }

  /** The pose between the last two frames that belongs to this instant. */
  poseNow(name = "pose") {
    const [before, last] = this.frames.length > 1 ? this.frames : [this.frames[0], this.frames[0]];
    if (!last?.[name]) return null;
    if (!before?.[name] || before === last) return last[name];
    const share = Math.min(1, Math.max(0, (performance.now() / 1000 - SHOWN_LATE - before.at) / (last.at - before.at || 1)));
    const [a, b] = [before[name], last[name]];
    if (Math.hypot(b[0] - a[0], b[1] - a[1]) > 0.5) return b; // it was carried
    return [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * turn(a[2], b[2])];
  }

  // -- zoom and pan ------------------------------------------------------------------------------------------

  zoom(factor, px = this.width / 2, py = this.height / 2) {
    this.touch();
    const before = this.toWorld(px, py);
    this.scale = Math.min(800, Math.max(4, this.scale * factor));
    if (this.follow) return;
    const after = this.toWorld(px, py);
    this.center = [this.center[0] + before[0] - after[0], this.center[1] + before[1] - after[1]];
  }

  setFollow(on) {
    this.follow = on;
    this.touch();
    this.onfollow?.(on);
  }

  fit() {
    const points = [
      ...this.walls().flatMap(([x1, y1, x2, y2]) => [[x1, y1], [x2, y2]]),
      ...this.trail, ...this.path, ...this.hits,
    ];
    const pose = this.poseNow();
    if (pose) points.push(pose);
    if (points.length < 2) return;
    const xs = points.map((point) => point[0]);
    const ys = points.map((point) => point[1]);
    const [left, right] = [xs.reduce((a, b) => Math.min(a, b)), xs.reduce((a, b) => Math.max(a, b))];
    const [low, high] = [ys.reduce((a, b) => Math.min(a, b)), ys.reduce((a, b) => Math.max(a, b))];
    this.setFollow(false);
    const { clientWidth: width, clientHeight: height } = this.canvas; // it may not be drawn yet
    this.center = [(left + right) / 2, (low + high) / 2];
    this.scale = Math.min(400, 0.8 * Math.min(width / (right - left || 1), height / (high - low || 1)));
  }

  wheel(event) {
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
  }

  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    if (this.pointers.size === 1) this.editing = this.editor?.press(...this.toWorld(event.offsetX, event.offsetY)) ?? false;
  }

  drag(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const here = [event.offsetX, event.offsetY];
    this.pointers.set(event.pointerId, here);
    if (this.editing) {
      this.editor.drag(...this.toWorld(...here));
    } else if (this.pointers.size === 1) {
      if (Math.hypot(here[0] - before[0], here[1] - before[1]) > 0) this.setFollow(false);
      this.center = [this.center[0] - (here[0] - before[0]) / this.scale, this.center[1] + (here[1] - before[1]) / this.scale];
    } else {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
      const ratio = Math.hypot(here[0] - other[0], here[1] - other[1]) / (Math.hypot(before[0] - other[0], before[1] - other[1]) || 1);
      this.zoom(ratio, other[0], other[1]);
    }
  }

  lift(event) {
    this.pointers.delete(event.pointerId);
    if (this.editing) this.editor.drop();
    this.editing = false;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.editor?.key(event)) {
      event.preventDefault();
      event.stopPropagation(); // arrow keys move what is selected, not the robot
      return;
    }
    const action = {
      "+": () => this.zoom(1.25), "=": () => this.zoom(1.25), "-": () => this.zoom(0.8),
      f: () => this.setFollow(!this.follow), e: () => this.fit(), c: () => this.forget(),
    }[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  }

  // -- the picture -------------------------------------------------------------------------------------------

  /** Draw again at the next opportunity. */
  touch() {
    this.changed = true;
  }

  /** Whether the robot is between the poses of the last two frames. */
  moving() {
    const [before, last] = this.frames;
    if (!last?.pose || performance.now() / 1000 > last.at + SHOWN_LATE + 0.05) return false;
    return ["pose", "truth"].some((name) => before[name] && last[name] && before[name].some((value, index) => value !== last[name][index]));
  }

  draw() {
    requestAnimationFrame(() => this.draw());
    const { clientWidth, clientHeight } = this.canvas;
    const resized = clientWidth !== this.width || clientHeight !== this.height;
    if (!this.changed && !resized && !this.pointers.size && !this.moving()) return;
    this.changed = false;
    const now = performance.now();
    this.times = [...this.times.filter((time) => now - time < 1000), now];
    const { context, width, height } = context2d(this.canvas);
    Object.assign(this, { width, height });
    if (!width) return;
    const pose = this.poseNow();
    if (this.follow && pose) this.center = [pose[0], pose[1]];
    if (this.map) this.drawMap(context);
    this.drawGrid(context);
    this.drawLines(context, this.path, "path", 2, 1);
    this.drawThings(context);
    this.drawHits(context, now / 1000);
    this.drawLines(context, this.truthTrail, "truth", 1.5, 0.5);
    this.drawLines(context, this.trail, "trail", 2, 0.85);
    if (pose) this.drawSonars(context, pose);
    const truth = this.poseNow("truth");
    for (const [name, other] of Object.entries(this.others)) this.drawOther(context, name, other);
    if (pose) this.drawRobot(context, pose, false);
    if (truth) this.drawRobot(context, this.editor?.preview ?? truth, true, this.editor?.selected === "robot");
    this.drawScale(context);
  }

  drawGrid(context) {
    const steps = [0.1, 0.25, 0.5, 1, 2, 5, 10, 25];
    const step = steps.find((candidate) => candidate * this.scale >= 28) ?? 50;
    const [left, top] = this.toWorld(0, 0);
    const [right, bottom] = this.toWorld(this.width, this.height);
    context.lineWidth = 1;
    context.strokeStyle = color("grid");
    context.beginPath();
    for (let x = Math.ceil(left / step) * step; x <= right; x += step) {
      const [px] = this.toScreen(x, 0);
      context.moveTo(px, 0);
      context.lineTo(px, this.height);
    }
    for (let y = Math.ceil(bottom / step) * step; y <= top; y += step) {
      const [, py] = this.toScreen(0, y);
      context.moveTo(0, py);
      context.lineTo(this.width, py);
    }
    context.stroke();
  }

  drawMap(context) {
    const { map } = this;
    const [px, py] = this.toScreen(map.x, map.y + map.height * map.resolution);
    const size = map.resolution * this.scale;
    context.imageSmoothingEnabled = false;
    context.drawImage(map.image, px, py, map.width * size, map.height * size);
  }

  drawThings(context) {
    if (!this.editor) return;
    const { things, selected } = this.editor;
    const trace = (thing) => {
      context.beginPath();
      let end = [];
      for (const [x1, y1, x2, y2] of this.editor.segments(thing)) {
        if (end[0] !== x1 || end[1] !== y1) context.moveTo(...this.toScreen(x1, y1));
        context.lineTo(...this.toScreen(x2, y2));
        end = [x2, y2];
      }
    };
    context.lineCap = context.lineJoin = "round";
    for (const thing of things) {
      trace(thing);
      const added = thing.kind !== "wall";
      context.fillStyle = context.strokeStyle = color(added ? "obstacle" : "wall");
      if (added) {
        context.globalAlpha = 0.35;
        context.fill();
        context.globalAlpha = 1;
      }
      context.lineWidth = added ? 2 : 2.5;
      context.stroke();
      if (thing.number !== selected) continue;
      context.strokeStyle = color("accent");
      context.globalAlpha = 0.45;
      context.lineWidth = 9;
      context.stroke();
      context.globalAlpha = 1;
    }
  }

  drawLines(context, points, name, lineWidth, alpha) {
    if (points.length < 2) return;
    context.strokeStyle = color(name);
    context.lineWidth = lineWidth;
    context.lineJoin = "round";
    context.globalAlpha = alpha;
    context.beginPath();
    points.forEach(([x, y], index) => {
      const [px, py] = this.toScreen(x, y);
      if (index) context.lineTo(px, py);
      else context.moveTo(px, py);
    });
    context.stroke();
    context.globalAlpha = 1;
  }

  drawHits(context, now) {
    this.hits = this.hits.filter((hit) => now - hit[2] < HIT_LIFE);
    context.fillStyle = color("hit");
    for (const [x, y, at] of this.hits) {
      const [px, py] = this.toScreen(x, y);
      context.globalAlpha = Math.max(0.05, 1 - (now - at) / HIT_LIFE);
      context.fillRect(px - 2, py - 2, 4, 4);
    }
    context.globalAlpha = 1;
  }

  drawSonars(context, pose) {
    (this.state?.sonars ?? []).forEach(([range, age], index) => {
      if (age === null || age > PING_LIFE || range === null || !this.sonars[index]) return;
      const [x, y, heading] = compose(pose, ...this.sonars[index]);
      const echo = range >= 0 && range < this.maxRange;
      const reach = echo ? range : this.maxRange;
      const [px, py] = this.toScreen(x, y);
      context.globalAlpha = (echo ? 0.26 : 0.07) * (1 - age / PING_LIFE) + 0.03;
      context.fillStyle = color("cone");
      context.beginPath();
      context.moveTo(px, py);
      context.arc(px, py, reach * this.scale, -heading - this.beam / 2, -heading + this.beam / 2);
      context.closePath();
      context.fill();
      if (echo) {
        context.globalAlpha = 1 - 0.8 * (age / PING_LIFE);
        context.strokeStyle = color("hit");
        context.lineWidth = 2.5;
        context.beginPath();
        context.arc(px, py, reach * this.scale, -heading - this.beam / 2, -heading + this.beam / 2);
        context.stroke();
      }
    });
    context.globalAlpha = 1;
  }

  /** The body as the profile has it: outline, wheels, sonars and bumpers. The true pose is an outline only. */
  drawRobot(context, pose, outline, selected = false) {
    const body = this.body ?? { front: 0.16, rear: 0.17, width: 0.28, wheel_diameter: 0.1, wheel_width: 0.025, track: 0.244 };
    const { front, rear, width } = body;
    context.save();
    context.translate(...this.toScreen(pose[0], pose[1]));
    context.rotate(-pose[2]);
    // From here on x is forward and y to the right of the robot, in m.
    context.scale(this.scale, this.scale);
    const pixel = 1 / this.scale;
    const nose = Math.min(0.45 * width, front);
    context.beginPath();
    context.moveTo(-rear, -width / 2 + 0.03);
    context.quadraticCurveTo(-rear, -width / 2, -rear + 0.03, -width / 2);
    context.lineTo(front - nose, -width / 2);
    context.quadraticCurveTo(front, -width / 2, front, 0);
    context.quadraticCurveTo(front, width / 2, front - nose, width / 2);
    context.lineTo(-rear + 0.03, width / 2);
    context.quadraticCurveTo(-rear, width / 2, -rear, width / 2 - 0.03);
    context.closePath();
    if (outline) {
      context.setLineDash([5 * pixel, 4 * pixel]);
      context.strokeStyle = color("truth");
      context.lineWidth = 2 * pixel;
      context.stroke();
      if (selected) {
        context.setLineDash([]);
        context.strokeStyle = color("accent");
        context.globalAlpha = 0.45;
        context.lineWidth = 9 * pixel;
        context.stroke();
      }
      context.restore();
      return;
    }
    context.fillStyle = color("robot");
    context.fill();
    context.strokeStyle = color("robot-edge");
    context.lineWidth = 1.5 * pixel;
    context.stroke();
    context.fillStyle = color("ink");
    const axles = body.wheelbase ? [body.wheelbase / 2, -body.wheelbase / 2] : [0];
    const spacing = body.wheel_spacing || body.track;
    for (const axle of axles) {
      for (const side of [-1, 1]) {
        const middle = (side * Math.min(spacing, width - body.wheel_width)) / 2;
        context.fillRect(axle - body.wheel_diameter / 2, middle - body.wheel_width / 2, body.wheel_diameter, body.wheel_width);
      }
    }
    context.fillStyle = "#ffffff";
    for (const [x, y] of this.sonars ?? []) {
      context.beginPath();
      context.arc(x, -y, 0.011, 0, 2 * Math.PI);
      context.fill();
    }
    context.beginPath();
    context.moveTo(front * 0.62, 0);
    context.lineTo(front * 0.1, -0.045);
    context.lineTo(front * 0.1, 0.045);
    context.closePath();
    context.fill();
    this.drawBumpers(context, body, pixel);
    context.restore();
  }

  /** Another robot of the same world: its outline and its name. */
  drawOther(context, name, [x, y, yaw]) {
    const body = this.bodies[name];
    if (!body) return;
    const [px, py] = this.toScreen(x, y);
    context.save();
    context.translate(px, py);
    context.rotate(-yaw);
    context.scale(this.scale, this.scale);
    context.beginPath();
    context.roundRect(-body.rear, -body.width / 2, body.front + body.rear, body.width, 0.05);
    context.moveTo(body.front, 0);
    context.lineTo(0, 0);
    context.restore();
    context.fillStyle = context.strokeStyle = color("obstacle");
    context.globalAlpha = 0.4;
    context.fill();
    context.globalAlpha = 1;
    context.lineWidth = 2;
    context.stroke();
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "center";
    context.fillText(name, px, py - body.width * this.scale * 0.5 - 6);
  }

  drawBumpers(context, body, pixel) {
    const half = body.width / 2;
    const rings = [
      [this.state?.front_bumpers ?? [], body.front, 1],
      [this.state?.rear_bumpers ?? [], -body.rear, -1],
    ];
    for (const [segments, x, sign] of rings) {
      segments.forEach((pressed, index) => {
        const step = body.width / segments.length;
        context.fillStyle = color(pressed ? "bad" : "dim");
        context.fillRect(x + sign * 2 * pixel, sign * (-half + index * step) - (sign < 0 ? step : 0) + pixel, sign * 5 * pixel, step - 2 * pixel);
      });
    }
  }

  drawScale(context) {
    const length = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20].find((candidate) => candidate * this.scale >= 60) ?? 50;
    const [x, y] = [this.width - 14 - length * this.scale, this.height - 14];
    context.strokeStyle = context.fillStyle = color("dim");
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x, y - 5);
    context.lineTo(x, y);
    context.lineTo(x + length * this.scale, y);
    context.lineTo(x + length * this.scale, y - 5);
    context.stroke();
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "right";
    context.fillText(`${length} m`, this.width - 18, y - 6);
  }

  /** Pose as text, for the corner of the picture and for screen readers. */
  text() {
    const state = this.state ?? {};
    const degrees = state.yaw === null || state.yaw === undefined ? null : (state.yaw * 180) / Math.PI;
    return `x ${fixed(state.x)} m   y ${fixed(state.y)} m   ${fixed(degrees, 0)}°`;
  }
}
