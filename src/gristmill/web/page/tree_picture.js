// The picture of a tree: press a node to cut it off, with what hangs from it.

import { scroll } from "./bars.js";
import { Chips } from "./chips.js";
import { element, focusOn, replace, setAttribute } from "./dom.js";
import { shortened } from "./format.js";
import { picture } from "./picture.js";
import { rove, setStop } from "./roving.js";

const LONGEST = 40; // letters of what was cut off

export class TreePicture {
  /** @param {(node: number, isOn: boolean) => void} switched a node of the whole tree */
  constructor(switched) {
    this.switched = switched;
    /** @type {number[]} */
    this.kept = []; // nodes of the whole tree that are drawn
    this.drawn = scroll("Picture of the tree");
    this.drawn.classList.add("picture");
    this.chips = new Chips({ toggled: (chip) => switched(/** @type {any} */ (chip).node, true) }, "Cut off");
    this.hint = element("p", { class: "hint" }, "Press a node to cut it off; what was cut off waits below the tree.");
    this.element = element("div", { class: "gm-card tree-card" }, this.drawn, this.hint, this.chips.element);
    rove(this.drawn, () => this.nodes());
    this.drawn.addEventListener("click", (event) => this.pressed(event));
    this.drawn.addEventListener("keydown", (event) => this.pressed(event));
  }

  /**
   * @param {string | undefined} source
   * @param {number[]} kept empty: nothing can be cut
   * @param {Map<number, string>} cut nodes that are out, and their texts
   */
  show(source, kept, cut) {
    const hadFocus = this.element.contains(document.activeElement);
    const stop = Math.max(0, this.nodes().findIndex((node) => node.getAttribute("tabindex") === "0"));
    this.kept = kept;
    replace(this.drawn, source ? picture(source) : null);
    this.hint.hidden = kept.length < 2;
    setAttribute(this.drawn, "tabindex", kept.length > 1 ? null : 0); // else its nodes are where the keyboard stops
    if (kept.length > 1) this.offer(stop);
    this.chips.show([...cut].map(([node, text]) => ({ name: shortened(text, LONGEST), value: null, on: false, node })));
    // what was pressed is gone: the keyboard goes on beside it
    if (hadFocus && !this.element.contains(document.activeElement)) focusOn(this.drawn.querySelector("[tabindex='0']"));
  }

  /** Those that can be cut off: not the root, which is all there is. */
  nodes() {
    const drawn = /** @type {HTMLElement[]} */ ([...this.drawn.querySelectorAll("[data-node]")]);
    return drawn.filter((node) => this.whole(node) > 0);
  }

  /** The number in the whole tree; 0 for what cannot be cut off. @param {Element} node */
  whole(node) {
    return this.kept[Number(node.getAttribute("data-node"))] ?? 0;
  }

  /** Make buttons of nodes. @param {number} stop which of them Tab reaches */
  offer(stop) {
    setAttribute(this.drawn.firstElementChild ?? this.drawn, "role", "group"); // an image has no buttons in it
    for (const node of this.nodes()) {
      setAttribute(node, "role", "button");
      setAttribute(node, "aria-label", `${node.querySelector("title")?.textContent ?? ""}: cut off`);
    }
    setStop(this.nodes(), stop);
  }

  /** @param {Event} event */
  pressed(event) {
    if (event instanceof KeyboardEvent && !["Enter", " "].includes(event.key)) return;
    const node = /** @type {Element} */ (event.target).closest("[data-node]");
    const whole = node ? this.whole(node) : 0;
    if (!whole) return;
    event.preventDefault();
    this.switched(whole, false);
  }
}
