// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// Light or dark: as the system says, unless the button chooses.
const dark = window.matchMedia("(prefers-color-scheme: dark)");

function chosen() {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null; // no storage: the system decides
  }
}

const theme = () => chosen() ?? (dark.matches ? "dark" : "light");

/** Show the theme, now and whenever it changes, also in another page or frame. */
export function followTheme(changed = () => {}) {
  const apply = () => {
    document.documentElement.dataset.theme = theme();
    changed();
  };
  dark.addEventListener("change", apply);
  window.addEventListener("storage", apply);
  apply();
  return apply;
}

export function otherTheme() {
  try {
    localStorage.setItem("theme", theme() === "dark" ? "light" : "dark");
  } catch { /* no storage: the system decides */ }
}
