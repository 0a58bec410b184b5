// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// A real robot at a serial port of the browser. The worker decides what is sent; this file moves the bytes.
const SILENCE = 1000; // ms without a sign of the worker after which the robot is stopped from here, and shown as lost
const CHECK = 250; // ms
const RETRY = 2000; // ms until a port that is lost is opened again
export const FRESH = 300; // ms after which a velocity is too old to be taken, and a frame to be written
const PAUSE = 50; // ms between two frames: real controllers lose one that follows at once

export class Serial {
  /** `tell(kind, ...content)` sends a message to the worker; `onsilence()` is called when it gives no sign. */
  constructor(tell, onsilence) {
    Object.assign(this, { tell, onsilence });
    this.port = null;
    this.baud = 0; // of the open port; 0: it is closed
    this.opened = 0; // ms since 1970
    this.late = false; // the newest frame was too old
    this.queue = Promise.resolve(); // opening, closing and writing, in order
    this.shutdown = []; // the shutdown sequence, frames: STOP, motors off, CLOSE
    this.alive = 0; // ms, when the worker last gave a sign
    setInterval(() => this.check(), CHECK);
  }

  /** Let the person choose a port; must be called from a click. */
  async choose() {
    this.port = await navigator.serial.requestPort();
    this.alive = performance.now();
    this.tell("open_port");
  }

  then(work) {
    this.queue = this.queue.then(work).catch(() => this.lost());
  }

  /** Open the port at a line speed, again if it is open: Web Serial cannot change the speed of an open port. */
  open(baud) {
    this.then(async () => {
      if (baud === this.baud) return;
      await this.shut();
      await this.port.open({ baudRate: baud, bufferSize: 4096 });
      await this.port.setSignals({ dataTerminalReady: true, requestToSend: true }).catch(() => {}); // some adapters have none
      this.baud = baud;
      this.opened = Date.now();
      this.reading = this.read();
    });
  }

  /** Pass on what arrives until the port is closed or lost. Noise, as at a wrong line speed, ends only a stream. */
  async read() {
    let stream = null;
    while (this.baud && this.port.readable && this.port.readable !== stream) {
      stream = this.port.readable;
      this.reader = stream.getReader();
      try {
        for (let bytes; (bytes = (await this.reader.read()).value);) this.tell("received", bytes);
      } catch { /* the port has another stream now, or none if it is lost */ }
      this.reader.releaseLock();
    }
    if (this.baud) this.lost();
  }

  /** Write a frame that was made at a time (ms since 1970). One STOP takes the place of all that had to wait too long. */
  write(bytes, made = Infinity) {
    this.then(async () => {
      const late = Date.now() - Math.max(made, this.opened) > FRESH;
      if (!this.baud || (late && this.late)) return;
      this.late = late;
      const writer = this.port.writable.getWriter();
      await writer.write(late ? this.shutdown[0] : bytes).finally(() => writer.releaseLock());
    });
  }

  async shut() {
    if (!this.baud) return;
    this.baud = 0;
    await this.reader.cancel().catch(() => {});
    await this.reading;
    await this.port.close().catch(() => {});
  }

  /** The port cannot be used: the worker opens it again after a while. */
  lost() {
    if (!this.port) return;
    this.shut();
    this.tell("plug", false);
    setTimeout(() => this.port && !this.baud && this.tell("plug", true), RETRY);
  }

  /** The worker has ended, or the page goes: stop the robot and end its session. */
  stop() {
    if (!this.port) return;
    for (const frame of this.shutdown) {
      this.write(frame);
      this.then(() => new Promise((resolve) => { setTimeout(resolve, PAUSE); }));
    }
  }

  /** End the connection. */
  close() {
    this.stop();
    this.then(() => this.shut());
    return this.queue.then(() => { this.port = null; });
  }

  check() {
    if (performance.now() - this.alive < SILENCE) return;
    this.alive = performance.now();
    this.onsilence();
    if (this.port && this.shutdown.length) this.write(this.shutdown[0]); // STOP: the worker may come back
  }
}
