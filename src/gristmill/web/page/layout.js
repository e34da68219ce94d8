// The layout of a view: the field above, the answer and its explanation side by side where there is room.

import { element, freshId } from "./dom.js";

/** @typedef {import("./dom.js").Child} Child */

/** @param {...Child} children */
export function inputCard(...children) {
  const id = freshId();
  const title = element("h2", { id, class: "hidden" }, "Input");
  return element("section", { class: "gm-card input", "aria-labelledby": id }, title, ...children);
}

/**
 * @param {HTMLElement} answer
 * @param {HTMLElement} why
 * @param {...Child} wide what takes the whole width, above both
 */
export function resultColumns(answer, why, ...wide) {
  for (const part of [answer, why]) part.classList.add("gm-card");
  const stale = element("p", { class: "stale-note" }, "This is the answer to an earlier input.");
  return element("div", { class: "results" }, stale, ...wide, element("div", { class: "columns" }, answer, why));
}
