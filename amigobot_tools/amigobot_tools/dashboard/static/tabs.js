// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// Tabs as in the ARIA pattern: arrow keys move between them.
import { byId, element } from "./dom.js";

export class Tabs {
  constructor() {
    this.tabs = new Map();
    byId("tabs").addEventListener("keydown", (event) => this.key(event));
  }

  /** Add a tab; returns its panel. */
  add(name, title) {
    const count = element("span", { class: "count", hidden: true });
    const tab = element("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, "aria-selected": "false", tabindex: -1, onclick: () => this.show(name) }, title, count);
    const panel = element("div", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, hidden: true });
    byId("tabs").append(tab);
    byId("panels").append(panel);
    this.tabs.set(name, { tab, panel, count });
    if (this.tabs.size === 1) this.show(name);
    return panel;
  }

  show(name) {
    this.shown = name;
    for (const [other, { tab, panel }] of this.tabs) {
      const chosen = other === name;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      panel.hidden = !chosen;
      // On a phone the row of tabs scrolls; scrollIntoView would move the page as well.
      if (chosen) tab.parentElement.scrollLeft += tab.getBoundingClientRect().left - tab.parentElement.getBoundingClientRect().left - 40;
    }
    this.onshow?.(name);
  }

  setCount(name, number) {
    const entry = this.tabs.get(name);
    if (!entry) return;
    entry.count.hidden = !number;
    entry.count.textContent = number ? String(number) : "";
  }

  key(event) {
    const names = [...this.tabs.keys()];
    const at = names.indexOf(this.shown);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const name = names[(to + names.length) % names.length];
    this.show(name);
    this.tabs.get(name).tab.focus();
  }
}
