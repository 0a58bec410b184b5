// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// The joystick: mouse, touch, keys and gamepad become velocities, which are sent while it is held.

const PERIOD = 50; // ms between two velocities; the server stops the robot after 300 ms without one
const ZEROS = 4; // zeros that are sent after it is let go
const DEAD = 0.12; // of a gamepad's axis around its middle

const KEYS = {
  ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, 1], ArrowRight: [0, -1],
  KeyW: [1, 0], KeyS: [-1, 0], KeyA: [0, 1], KeyD: [0, -1],
};

export class Joystick {
  /** `limits` returns the speeds at full deflection, m/s and rad/s; `may` whether this page may drive now. */
  constructor(connection, pad, knob, limits, may) {
    Object.assign(this, { connection, pad, knob, limits, may });
    this.pointer = null;
    this.position = [0, 0]; // forward and left, -1 to 1
    this.held = new Set();
    this.zeros = 0;
    this.gamepadUsed = false;
    pad.addEventListener("pointerdown", (event) => this.grab(event));
    pad.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
      pad.addEventListener(name, (event) => event.pointerId === this.pointer && this.release());
    }
    window.addEventListener("keydown", (event) => this.key(event, true));
    window.addEventListener("keyup", (event) => this.key(event, false));
    window.addEventListener("blur", () => this.release());
    document.addEventListener("visibilitychange", () => document.hidden && this.release());
    setInterval(() => this.tick(), PERIOD);
  }

  grab(event) {
    this.pointer = event.pointerId;
    this.pad.setPointerCapture(event.pointerId);
    this.pad.focus({ preventScroll: true });
    this.move(event);
  }

  move(event) {
    if (event.pointerId !== this.pointer) return;
    const box = this.pad.getBoundingClientRect();
    const radius = box.width / 2;
    let right = (event.clientX - box.left - radius) / (radius * 0.8);
    let down = (event.clientY - box.top - radius) / (radius * 0.8);
    const length = Math.hypot(right, down);
    if (length > 1) [right, down] = [right / length, down / length];
    this.position = [-down, -right];
  }

  release() {
    const was = this.pointer !== null || this.held.size > 0;
    this.pointer = null;
    this.held.clear();
    this.position = [0, 0];
    if (was) this.zeros = ZEROS;
  }

  key(event, down) {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.code in KEYS)) return;
    if (!down) {
      if (this.held.delete(event.code) && !this.held.size) this.zeros = ZEROS;
      this.tick();
      return;
    }
    // Keys of a text field, a slider or a list belong to that; everywhere else they drive.
    const target = event.target.closest?.("input, select, textarea, [role=tab], #timeline");
    if (target) return;
    event.preventDefault();
    if (event.repeat) return;
    this.held.add(event.code);
    this.tick(); // at once
  }

  gamepad() {
    for (const pad of navigator.getGamepads?.() ?? []) {
      if (!pad?.connected) continue;
      if (pad.buttons[1]?.pressed) this.connection.send({ type: "emergency" });
      const [x, y] = [pad.axes[0] ?? 0, pad.axes[1] ?? 0].map((v) => (Math.abs(v) < DEAD ? 0 : v));
      if (x || y) return [-y, -x];
    }
    return null;
  }

  direction() {
    if (this.pointer !== null) return this.position;
    if (this.held.size) {
      const sum = [0, 0];
      for (const code of this.held) {
        sum[0] += KEYS[code][0];
        sum[1] += KEYS[code][1];
      }
      return sum.map((value) => Math.max(-1, Math.min(1, value)));
    }
    return this.gamepad();
  }

  tick() {
    const direction = this.direction();
    if (!direction && this.gamepadUsed) this.zeros = ZEROS;
    this.gamepadUsed = Boolean(direction) && this.pointer === null && !this.held.size;
    const [forward, left] = direction ?? [0, 0];
    this.knob.style.left = `${50 - left * 33}%`;
    this.knob.style.top = `${50 - forward * 33}%`;
    this.pad.classList.toggle("active", Boolean(direction));
    if (!direction && this.zeros <= 0) return;
    if (!direction) this.zeros -= 1;
    if (!this.may()) return;
    const { linear, angular } = this.limits();
    this.connection.send({ type: "drive", linear: forward * linear, angular: left * angular });
  }
}
