// Who decided it: the support vectors that add most, for and against, with what they share; asked for when opened.

import { scroll } from "./bars.js";
import { element, isolated, replace } from "./dom.js";
import { signed } from "./format.js";

/**
 * @typedef {import("./api.js").Deciders} FoundDeciders
 * @typedef {import("./api.js").Decider} Decider
 */

export class Deciders {
  /**
   * @param {import("./api.js").Model} model
   * @param {() => void} opened
   */
  constructor(model, opened) {
    this.body = element("div", {});
    const title = element("summary", { "data-key": "influence" }, "Who decided it");
    const toggle = () => this.isOpen && opened();
    this.element = element("details", { class: "deciders", hidden: !model.influence, on: { toggle } }, title, this.body);
  }

  get isOpen() {
    return this.element.open;
  }

  /**
   * @param {FoundDeciders | null | undefined} found
   * @param {string} output
   */
  show(found, output) {
    replace(this.body, ...(found ? [drawn("for", output, found.for), drawn("against", output, found.against)] : []));
  }
}

/**
 * @param {string} side
 * @param {string} output
 * @param {Decider[]} found
 */
function drawn(side, output, found) {
  const lines = found.map(({ name, value, shared, others }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, isolated(name)),
      element("td", { class: "number" }, signed(value)),
      element("td", {}, element("b", {}, isolated(shared.join(", "))), others.length ? ` not: ${others.join(", ")}` : ""),
    ),
  );
  const caption = element("caption", {}, `${side} `, element("b", {}, isolated(output)));
  return scroll(`${side} it`, element("table", { class: "gm-table" }, caption, element("tbody", {}, lines)));
}
