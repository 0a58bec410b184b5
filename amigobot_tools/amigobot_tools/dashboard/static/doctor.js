// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// The doctor: a button that examines the robot, what it found, and the remedies.
import { element, setText } from "./dom.js";

const MARKS = { ok: "✓", note: "i", warning: "!", error: "✕" };

export class Doctor {
  constructor(parent, ask) {
    this.button = element("button", { type: "button", class: "primary", onclick: () => this.start(ask) }, "Examine the robot");
    this.state = element("span", { class: "dim", role: "status" });
    this.verdict = element("div");
    this.findings = element("tbody");
    this.table = element("table", { class: "findings", hidden: true },
      element("thead", {}, element("tr", {}, ...["", "Check", "Found"].map((name) => element("th", { scope: "col" }, name)))), this.findings);
    this.help = element("p", { class: "dim" });
    this.refused = "";
    parent.append(element("div", { class: "row" }, this.button, this.state), this.help,
      element("div", { class: "scroll" }, this.verdict, this.table));
  }

  async start(ask) {
    const answer = await ask("doctor");
    this.refused = answer.ok ? "" : answer.text;
    setText(this.state, this.refused);
  }

  /** Say what an examination does, which depends on the source. */
  explain(kind, connected) {
    setText(this.help, kind === "node" ? "Looks at the nodes and topics of ROS around the driver."
      : connected ? "Examines line, settings, battery, motors and sensors on the open connection. The robot stops and rests meanwhile: no browser can drive it for about 15 s."
        : "There is no connection: the dashboard lets go of the port, and the doctor examines port, line and robot from the bottom up, without moving it.");
  }

  update({ running, progress, healthy, seconds, verdict = [], findings = [] }) {
    this.button.disabled = running;
    setText(this.button, findings.length && !running ? "Examine again" : "Examine the robot");
    setText(this.state, running ? `${progress || "beginning"} …` : progress || this.refused || (findings.length ? `took ${seconds.toFixed(0)} s` : ""));
    if (running) this.refused = "";
    this.table.hidden = !findings.length;
    this.findings.replaceChildren(...findings.map((finding) => element("tr", {},
      element("td", {}, element("span", { class: `mark ${finding.severity}`, role: "img", "aria-label": finding.severity }, MARKS[finding.severity])),
      element("td", {}, finding.check),
      element("td", {}, finding.text, ...finding.details.map((detail) => element("div", { class: "dim" }, detail))))));
    this.verdict.replaceChildren(...(running || progress || !findings.length ? [] : healthy ? [element("p", { class: "finding ok" }, "All is well at rest. Not examined: driving, whether ranges and inputs are true.")]
      : verdict.map((cause) => this.cause(cause, findings))));
  }

  cause({ check, text, action, command, again }, findings) {
    const severe = findings.some((finding) => finding.check === check && finding.severity === "error");
    const then = again ? action.replace(/ ?(Then|Check again):$/, "") : action;
    return element("div", { class: `finding ${severe ? "error" : "warning"}` }, element("strong", {}, text),
      then ? element("p", {}, again ? `${then} Then examine again.` : then) : null,
      command && !again ? element("p", {}, element("code", { class: "mono" }, command)) : null);
  }
}
