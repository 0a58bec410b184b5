// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// The WebSocket: frames come in, requests go out. It connects again by itself.

import { openSocket } from "./socket.js";

const RETRY = 1000; // ms between two attempts

export class Connection extends EventTarget {
  constructor() {
    super();
    this.open = false;
    this.roundTrip = null; // ms, of the newest request that was answered
    this.waiting = new Map();
    this.number = 0;
    this.connect();
  }

  connect() {
    this.socket = openSocket();
    this.socket.onopen = () => {
      this.open = true;
      this.dispatchEvent(new Event("open"));
    };
    this.socket.onmessage = (event) => this.receive(JSON.parse(event.data));
    // The robot in a web page: its worker gives no sign. The next frame shows the robot again.
    this.socket.onsilence = () => this.dispatchEvent(new Event("closed"));
    this.socket.onclose = () => {
      this.open = false;
      for (const { resolve } of this.waiting.values()) resolve({ ok: false, text: "the connection was lost" });
      this.waiting.clear();
      this.dispatchEvent(new Event("closed"));
      setTimeout(() => this.connect(), RETRY);
    };
  }

  receive(message) {
    if (message.type === "frame") {
      // Acknowledged when it is drawn: a page that is busy or hidden gets fewer frames.
      this.dispatchEvent(new CustomEvent("frame", { detail: message }));
      this.send({ type: "ack", n: message.n });
      return;
    }
    const request = this.waiting.get(message.id);
    if (request) {
      this.waiting.delete(message.id);
      this.roundTrip = performance.now() - request.sent;
      request.resolve(message);
    }
    if (!message.ok) this.dispatchEvent(new CustomEvent("refused", { detail: message.text }));
  }

  /** Send a message without waiting for an answer; lost while there is no connection. */
  send(message) {
    if (this.open && this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** Ask for something; the answer has `ok` and `text`. */
  ask(type, values = {}) {
    if (!this.open) return Promise.resolve({ ok: false, text: "the page is not connected" });
    const id = ++this.number;
    return new Promise((resolve) => {
      this.waiting.set(id, { resolve, sent: performance.now() });
      this.send({ type, id, ...values });
    });
  }
}
