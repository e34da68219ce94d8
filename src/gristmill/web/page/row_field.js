// Where features are typed: a field with completion, and chips for what is there.

import { getFeatures } from "./api.js";
import { Chips } from "./chips.js";
import { Completion } from "./completion.js";
import { element, focusOn } from "./dom.js";
import { isUnfinishedQuote, present, valued, wordsOf } from "./features.js";
import { Field } from "./field.js";

/** @typedef {import("./features.js").Feature} Feature */

const SEARCHED = 100; // names among which one that looks like name=value is looked for

export class RowField {
  /**
   * @param {import("./api.js").Model} model
   * @param {() => void} changed
   */
  constructor(model, changed) {
    this.isNamed = model.named_features;
    this.hasValues = model.values ?? true;
    this.changed = changed;
    /** @type {Feature[]} */
    this.features = [];
    this.input = element("input", { type: "text", enterkeyhint: "done" });
    this.completion = new Completion(this.input, (name) => this.take([present(name)]));
    this.chips = new Chips({ toggled: (feature) => this.toggle(feature), removed: (feature) => this.remove(feature) });
    const body = element("div", { class: "combo" }, this.input, this.completion.list);
    this.field = new Field("Features", this.input, this.hint(), body);
    this.field.element.append(this.chips.element);
    this.listen();
  }

  listen() {
    this.input.addEventListener("input", () => this.completion.typed());
    this.input.addEventListener("keydown", (event) => this.pressed(event));
    this.input.addEventListener("paste", (event) => this.pasted(event));
    this.input.addEventListener("blur", () => this.completion.close());
  }

  hint() {
    const code = (/** @type {string} */ text) => element("code", {}, text);
    const values = this.hasValues ? ["; ", code(this.isNamed ? "name=2.5" : "7:2.5"), " for a value"] : [];
    const quotes = this.isNamed ? ["; ", code('"quotes"'), " around names with blanks"] : [];
    return [this.isNamed ? "Names" : "Numbers", ", with Enter or a blank after each", ...values, ...quotes, "."];
  }

  /** @param {Feature[]} features */
  show(features) {
    this.features = features;
    this.chips.show(features);
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.isComposing || this.completion.pressed(event)) return;
    if (this.endsWord(event)) {
      event.preventDefault();
      this.takeText(this.input.value);
    } else if (event.key === "Backspace" && !this.input.value) {
      this.chips.focusLast();
    }
  }

  /** @param {KeyboardEvent} event */
  endsWord(event) {
    if (event.key === "Enter") return true;
    return [",", " "].includes(event.key) && !isUnfinishedQuote(this.input.value);
  }

  /** @param {ClipboardEvent} event */
  pasted(event) {
    const text = event.clipboardData?.getData("text") ?? "";
    if (this.input.value || !/[\s,]/.test(text.trim())) return; // part of a name
    event.preventDefault();
    this.takeText(text);
  }

  /** @param {string} text */
  async takeText(text) {
    this.completion.close();
    this.input.value = "";
    this.take(await Promise.all(wordsOf(text).map((word) => this.meant(word))));
  }

  /**
   * A name that is known wins over a name with a value.
   *
   * @param {{ text: string, isQuoted: boolean }} word
   */
  async meant({ text, isQuoted }) {
    const found = isQuoted ? null : valued(text, this.isNamed);
    if (!found) return present(text);
    const known = this.isNamed ? await getFeatures(text, SEARCHED, AbortSignal.timeout(1000)).catch(() => []) : [];
    return known.some(({ name }) => name === text) ? present(text) : found;
  }

  /** @param {Feature[]} added what is there already is switched on and has the new value */
  take(added) {
    this.input.value = "";
    if (!added.length) return;
    const all = new Map(this.features.map((feature) => [feature.name, feature]));
    for (const feature of added) all.set(feature.name, feature);
    this.set([...all.values()]);
  }

  /** @param {Feature} feature */
  toggle(feature) {
    this.set(this.features.map((one) => (one === feature ? { ...one, on: !one.on } : one)));
  }

  /** @param {Feature} feature */
  remove(feature) {
    this.set(this.features.filter((one) => one !== feature));
    if (!this.features.length) focusOn(this.input);
  }

  /** @param {Feature[]} features */
  set(features) {
    this.show(features);
    this.changed();
  }
}
