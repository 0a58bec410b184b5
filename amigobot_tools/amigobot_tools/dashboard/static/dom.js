// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// Elements from code. Texts are set as text, never as HTML: a robot's name or a log line cannot become a script.

/** Make an element: attributes whose name begins with "on" are listeners. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "class") made.className = value;
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** The element with this id. */
export const byId = (id) => document.getElementById(id);

/** Set a text if it has changed: screen readers and layout notice every change. */
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/** A number with a fixed number of places; a dash for an unknown one. */
export function fixed(value, places = 2) {
  return value === null || value === undefined || Number.isNaN(value) ? "–" : value.toFixed(places);
}

/** Time of day of a Unix time. */
export function clockTime(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString([], { hour12: false });
}

/** Seconds as minutes and seconds. */
export function duration(seconds) {
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${(seconds - 60 * minutes).toFixed(1).padStart(4, "0")}`;
}

/** Prepare a canvas for its size on the screen; returns its context in CSS pixels, width and height. */
export function context2d(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

let colors = {};
/** A color of the style sheet by its name. */
export function color(name) {
  if (!(name in colors)) colors[name] = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  return colors[name];
}
/** The theme has changed: read the colors again. */
export function forgetColors() {
  colors = {};
}
