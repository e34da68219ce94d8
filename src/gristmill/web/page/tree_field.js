// Where a tree is typed. What cannot be read is shown at its place.

import { element, focusOn } from "./dom.js";
import { Field } from "./field.js";

const AROUND = 24; // characters shown on each side of a mistake

export class TreeField {
  /** @param {() => void} changed */
  constructor(changed) {
    this.area = element("textarea", { rows: 4, wrap: "soft", dir: "auto" });
    const example = element("code", {}, "(S (NP (D the) (N dog)) (VP (V barks)))");
    this.field = new Field("Tree", this.area, ["Bracketed: ", example]);
    this.area.addEventListener("input", changed);
  }

  /**
   * A mistake, shown at its place if the message ends with one.
   *
   * @param {string} message
   */
  say(message) {
    const [text, line, column] = /^(.*), line (\d+), column (\d+)$/s.exec(message)?.slice(1) ?? [message];
    if (column === undefined) return this.field.say(message);
    const at = placeIn(this.area.value, Number(line), Number(column));
    const letters = [...this.area.value.slice(at)];
    const before = [...this.area.value.slice(0, at)].slice(-AROUND).join("");
    const mark = element("mark", {}, letters[0]?.trim() ? letters[0] : letters.length ? "␣" : "end");
    const shown = element("code", { class: "mistake" }, before, mark, letters.slice(1, 1 + AROUND).join(""));
    const go = () => this.select(at, (letters[0] ?? "").length);
    return this.field.say(text, ": ", shown, " ", element("button", { type: "button", on: { click: go } }, "Go there"));
  }

  /**
   * @param {number} at
   * @param {number} length
   */
  select(at, length) {
    focusOn(this.area);
    this.area.setSelectionRange(at, at + length);
  }
}

/**
 * The place of a byte of a line, both counted from 1, in the text.
 *
 * @param {string} text
 * @param {number} line
 * @param {number} column
 */
function placeIn(text, line, column) {
  const lines = text.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const bytes = new TextEncoder().encode(lines[line - 1] ?? "").slice(0, column - 1);
  return Math.min(before + new TextDecoder().decode(bytes).length, text.length);
}
