// Features as chips: press one to switch it off, press again to switch it on.

import { element, focusOn, isolated, replace } from "./dom.js";
import { title } from "./features.js";
import { rove, setStop } from "./roving.js";

/**
 * @typedef {import("./features.js").Feature} Feature
 * @typedef {{ unknown: Set<string>, values: Map<string, number>, wrong: string | null }} Marks
 */

const HELP = "Arrow keys move, Space switches off and on";

export class Chips {
  /**
   * @param {{ toggled: (feature: Feature) => void, removed?: (feature: Feature) => void }} listener
   *   without `removed` chips cannot be taken away
   * @param {string} [label]
   */
  constructor(listener, label = "Features") {
    this.listener = listener;
    /** @type {Feature[]} */
    this.features = [];
    /** @type {Marks} */
    this.marks = { unknown: new Set(), values: new Map(), wrong: null };
    const help = listener.removed ? `${HELP}, Delete removes it` : HELP;
    this.element = element("div", { class: "chips", role: "toolbar", "aria-label": `${label}. ${help}`, hidden: true });
    this.element.addEventListener("keydown", (event) => this.pressed(event));
    rove(this.element, () => this.buttons());
  }

  /** @param {Feature[]} features */
  show(features) {
    this.features = features;
    const stop = this.buttons().findIndex((button) => button.tabIndex === 0);
    replace(this.element, ...features.map((feature, at) => this.chip(feature, at)));
    setStop(this.buttons(), stop);
    this.element.hidden = !features.length;
  }

  /** @param {Marks} marks what the last answer said about features */
  mark(marks) {
    this.marks = marks;
    this.show(this.features);
  }

  focusLast() {
    focusOn(this.buttons().at(-1) ?? null);
  }

  buttons() {
    return /** @type {HTMLElement[]} */ ([...this.element.querySelectorAll(".chip-name")]);
  }

  /**
   * @param {Feature} feature
   * @param {number} at
   */
  chip(feature, at) {
    const isUnknown = this.marks.unknown.has(feature.name);
    const press = () => this.listener.toggled(feature);
    const name = element(
      "button",
      { type: "button", class: "chip-name", "aria-pressed": String(feature.on), "data-key": at, on: { click: press } },
      isolated(title(feature)),
      isUnknown && element("small", {}, " unknown"),
    );
    if (isUnknown) {
      const effect = this.marks.values.has(feature.name) ? "only makes the row longer" : "counts for nothing";
      name.title = `The model has never seen this feature: it ${effect}`;
    }
    const isWrong = this.marks.wrong === feature.name;
    const attributes = { class: "chip", "data-side": this.side(feature), "data-wrong": isWrong };
    return element("span", attributes, name, this.listener.removed && this.cross(feature));
  }

  /** @param {Feature} feature */
  side(feature) {
    const value = feature.on ? this.marks.values.get(feature.name) : 0;
    return value ? (value > 0 ? "for" : "against") : null;
  }

  /** For pointers; on the keyboard it is Delete. @param {Feature} feature */
  cross(feature) {
    const label = `remove ${title(feature)}`;
    const remove = () => this.listener.removed?.(feature);
    return element(
      "button",
      { type: "button", class: "chip-cross", tabindex: -1, "aria-label": label, on: { click: remove } },
      "×",
    );
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const at = this.buttons().indexOf(/** @type {HTMLElement} */ (event.target));
    if (at < 0 || !this.listener.removed || !["Delete", "Backspace"].includes(event.key)) return;
    event.preventDefault();
    this.listener.removed(this.features[at]);
    focusOn(this.buttons()[Math.min(at, this.features.length - 1)] ?? null);
  }
}
