// Numbers and counts as people read them; the exact number stays in the `value` of a <data> element.

import { element } from "./dom.js";

const MINUS = "\u2212"; // as wide as a plus, and read aloud

/** @param {number | null} value null: beyond what numbers can be */
function plain(value) {
  if (value === null) return "not finite";
  if (value === 0) return "0"; // also where it has a sign
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString("en").replace("-", MINUS);
  return String(Number(value.toPrecision(4))).replaceAll("-", MINUS);
}

/** @param {number | null} value */
export function signed(value) {
  return value !== null && value > 0 ? `+${plain(value)}` : plain(value);
}

/** @param {number} share */
export function percent(share) {
  return `${Number((100 * share).toPrecision(3))} %`;
}

/**
 * @param {number} value
 * @param {(value: number) => string} [written]
 */
export function number(value, written = plain) {
  return element("data", { value }, written(value));
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** @param {number} bytes */
export function size(bytes) {
  const units = ["bytes", "kB", "MB", "GB"];
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  return `${Number((bytes / 1000 ** step).toPrecision(3))} ${units[step]}`;
}

/**
 * @param {string} text
 * @param {number} most
 */
export function shortened(text, most) {
  const letters = [...text];
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join("")}…`;
}
