// Tables with a bar in each line, as the reports have them: positive ones to the right, negative ones to the left.

import { element } from "./dom.js";
import { counted, number, signed } from "./format.js";

/**
 * @typedef {import("./dom.js").Child} Child
 * @typedef {{ name: Child | Child[], value: number, more?: Child[], isPlain?: boolean }} Line
 *   more: what stands in the further columns; isPlain: without a bar
 */

/**
 * @param {string} caption
 * @param {string[]} heads of the name, of the number, and of further columns
 * @param {Line[]} lines
 * @param {{ first?: Line, last?: Line, written?: (value: number) => string, among?: Line[] }} [options]
 *   first and last: lines without a bar; written: how numbers are; among: all lines that have bars of one scale
 */
export function barTable(caption, heads, lines, { first, last, written = signed, among = lines } = {}) {
  const drawn = among.filter((line) => !line.isPlain);
  const most = Math.max(...drawn.map((line) => Math.abs(line.value)), 0) || 1;
  const isTwoSided = drawn.some((line) => line.value < 0);
  const width = (isTwoSided ? 50 : 100) / most;
  const further = heads.length - 2;
  const rows = lines.map((line) => row(line, written, line.isPlain ? null : bar(line.value, width), further));
  const ends = [first, last].map((line) => line && row(line, written, null, further));
  return element(
    "table",
    { class: `gm-table gm-contributions${isTwoSided ? "" : " gm-one-sided"}` },
    element("caption", {}, caption),
    element("thead", {}, head(heads)),
    element("tbody", {}, ends[0], rows, ends[1]),
  );
}

/**
 * The first lines, and all others as one.
 *
 * @param {Line[]} lines
 * @param {number} most
 * @param {string} what a line is about
 * @returns {Line[]}
 */
export function withRest(lines, most, what) {
  const rest = lines.slice(most);
  if (rest.length < 2) return lines;
  const sum = rest.reduce((total, line) => total + line.value, 0);
  return [...lines.slice(0, most), { name: counted(rest.length, `other ${what}`), value: sum, isPlain: true }];
}

/**
 * A wide thing that scrolls inside its own region, which the keyboard reaches.
 *
 * @param {string} label
 * @param {...Child} children
 */
export function scroll(label, ...children) {
  return element("div", { class: "gm-scroll", tabindex: 0, role: "region", "aria-label": label }, ...children);
}

/** @param {string[]} heads */
function head([name, value, ...more]) {
  return element(
    "tr",
    {},
    element("th", { scope: "col" }, name),
    element("th", { scope: "col", class: "gm-number" }, value),
    element("td", { "aria-hidden": "true" }),
    more.map((text) => element("th", { scope: "col" }, text)),
  );
}

/**
 * @param {Line} line
 * @param {(value: number) => string} written
 * @param {HTMLElement | null} drawn
 * @param {number} further columns
 */
function row(line, written, drawn, further) {
  return element(
    "tr",
    { class: drawn ? null : "gm-plain" },
    element("th", { scope: "row" }, line.name),
    element("td", { class: "gm-number" }, number(line.value, written)),
    element("td", { class: drawn ? "gm-bars" : null, "aria-hidden": "true" }, drawn),
    Array.from({ length: further }, (_, at) => element("td", {}, line.more?.[at])),
  );
}

/**
 * @param {number} value
 * @param {number} width of a value of 1, in percent
 */
function bar(value, width) {
  const made = element("span", { class: `gm-bar ${value < 0 ? "gm-against" : "gm-for"}` });
  made.style.width = `${Math.abs(value) * width}%`;
  return made;
}
