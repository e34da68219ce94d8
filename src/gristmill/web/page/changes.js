// What would change the answer: the cheapest changes, searched for when this is opened, and what is proven of them.

import { scroll } from "./bars.js";
import { element, isolated, replace } from "./dom.js";

/**
 * @typedef {import("./api.js").Changes} FoundChanges
 */

export class Changes {
  /**
   * @param {import("./api.js").Model} model
   * @param {() => void} opened
   */
  constructor(model, opened) {
    this.body = element("div", {});
    const title = element("summary", { "data-key": "changes" }, "What would change it");
    const toggle = () => this.isOpen && opened();
    this.element = element("details", { class: "changes", hidden: !model.changes, on: { toggle } }, title, this.body);
  }

  get isOpen() {
    return this.element.open;
  }

  /** @param {FoundChanges | null | undefined} found */
  show(found) {
    replace(this.body, ...(found ? [element("p", { class: "hint" }, `${found.said}.`), ...found.answers.map(drawn)] : []));
  }
}

/** @param {FoundChanges["answers"][number]} answer */
function drawn({ label, changes }) {
  const lines = changes.map(({ name, before, after }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, isolated(name)),
      element("td", {}, isolated(before), " → ", element("b", {}, isolated(after))),
    ),
  );
  const caption = element("caption", {}, "for ", element("b", {}, isolated(label ?? "another value")));
  return scroll("changes", element("table", { class: "gm-table" }, caption, element("tbody", {}, lines)));
}
