// What columns add over all of their bins, and pairs of them together: drawn by the server when this is opened.

import { getShapes } from "./api.js";
import { scroll } from "./bars.js";
import { element, isolated, replace } from "./dom.js";
import { picture } from "./picture.js";

export class Shapes {
  constructor() {
    this.body = element("div", { class: "gm-grid" });
    const toggle = () => this.element.open && this.load();
    const title = element("summary", { "data-key": "shapes" }, "What each column adds");
    this.element = element("details", { class: "gm-card shapes", on: { toggle } }, title, this.body);
    this.isAsked = false;
  }

  /** Once; again where the server did not answer. */
  async load() {
    if (this.isAsked) return;
    this.isAsked = true;
    try {
      replace(this.body, ...drawn(await getShapes()));
    } catch (error) {
      this.isAsked = false;
      replace(this.body, element("p", { class: "error", role: "alert" }, error instanceof Error ? error.message : ""));
    }
  }
}

/** @param {import("./api.js").Shape[]} shapes */
function drawn(shapes) {
  if (!shapes.length) return [element("p", { class: "hint" }, "This model is no sum of tables of its columns.")];
  return shapes.map(({ caption, svg }) =>
    scroll(caption, element("figure", { class: "gm-figure" }, element("figcaption", {}, isolated(caption)), picture(svg))),
  );
}
