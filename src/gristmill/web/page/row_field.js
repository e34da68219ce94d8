// Where features are typed: a field with completion, and chips for what is there.

import { getFeatures } from "./api.js";
import { Chips } from "./chips.js";
import { Completion } from "./completion.js";
import { element, focusOn } from "./dom.js";
import { blanksOf, isUnfinishedQuote, partsOf, present, valued, wordsOf } from "./features.js";
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
    this.completion = new Completion(this.input, (name) => this.choose(name));
    this.chips = new Chips({ toggled: (feature) => this.toggle(feature), removed: (feature) => this.remove(feature) });
    const body = element("div", { class: "combo" }, this.input, this.completion.list);
    this.field = new Field("Features", this.input, this.hint(), body);
    this.field.element.append(this.chips.element);
    this.listen();
  }

  listen() {
    this.input.addEventListener("input", (event) => {
      this.completion.typed();
      if (!(/** @type {InputEvent} */ (event).isComposing)) this.takeFinished();
    });
    this.input.addEventListener("keydown", (event) => this.pressed(event));
    this.input.addEventListener("paste", (event) => this.pasted(event));
    this.input.addEventListener("blur", () => this.completion.close());
  }

  hint() {
    const code = (/** @type {string} */ text) => element("code", {}, text);
    const values = this.hasValues ? ["; ", code(this.isNamed ? "name=2.5" : "7:2.5"), " for a value"] : [];
    const quotes = this.isNamed ? ["; ", code('"quotes"'), " around unknown names with blanks"] : [];
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
    return event.key === "," && !isUnfinishedQuote(this.input.value);
  }

  /** Takes what a blank ended: all that stands before it, unless a known name goes on there. */
  async takeFinished() {
    const text = this.input.value.trimStart();
    for (const end of blanksOf(text)) {
      const begun = text.slice(0, end);
      const goesOn = this.isNamed && (await this.known(`${begun} `, 1)).length > 0;
      if (this.input.value.trimStart() !== text) return; // more was typed, and is looked at by itself
      if (goesOn) continue;
      this.input.value = text.slice(end).trimStart();
      this.completion.typed();
      this.take(await this.meantBy(begun));
      return this.takeFinished();
    }
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
    const found = await Promise.all(partsOf(text).map((part) => this.meantBy(part)));
    this.take(found.flat());
  }

  /**
   * A known name as it is, blanks and all; else words.
   *
   * @param {string} text without commas outside of quotes
   */
  async meantBy(text) {
    if (this.isNamed && /\s/.test(text) && (await this.isKnown(text))) return [present(text)];
    return Promise.all(wordsOf(text).map((word) => this.meant(word)));
  }

  /** @param {string} name */
  async isKnown(name) {
    return (await this.known(name, SEARCHED)).some((feature) => feature.name === name);
  }

  /**
   * Features that begin so; none where the server does not answer.
   *
   * @param {string} prefix
   * @param {number} most
   */
  known(prefix, most) {
    return getFeatures(prefix, most, AbortSignal.timeout(1000)).catch(() => []);
  }

  /**
   * A name that is known wins over a name with a value.
   *
   * @param {{ text: string, isQuoted: boolean }} word
   */
  async meant({ text, isQuoted }) {
    const found = isQuoted ? null : valued(text, this.isNamed);
    if (!found) return present(text);
    return this.isNamed && (await this.isKnown(text)) ? present(text) : found;
  }

  /** @param {string} name of a suggestion */
  choose(name) {
    this.input.value = "";
    this.take([present(name)]);
  }

  /** @param {Feature[]} added what is there already is switched on and has the new value */
  take(added) {
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
