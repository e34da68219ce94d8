// The answer in large letters, and how near the other classes come.

import { barTable, scroll } from "./bars.js";
import { element, freshId, isolated, replace } from "./dom.js";
import { number, percent, signed } from "./format.js";

/**
 * @typedef {import("./api.js").Scored} Scored
 * @typedef {import("./api.js").Model} Model
 */

const NEAREST = 6; // classes that are shown at once

export class Answer {
  /**
   * @param {Model} model
   * @param {string} [title]
   */
  constructor(model, title = "Answer") {
    this.model = model;
    this.showsAll = false; // classes
    this.verdict = element("p", { class: "verdict" });
    this.compared = element("p", { class: "compared", hidden: true });
    this.classes = element("div", { class: "classes" });
    // one short sentence is read aloud, not the tables
    this.spoken = element("p", { class: "hidden", role: "status" });
    const id = freshId();
    this.title = element("h2", { id }, title);
    this.element = element(
      "section",
      { class: "answer", "aria-labelledby": id },
      this.title,
      this.verdict,
      this.compared,
      this.spoken,
      this.classes,
    );
  }

  /**
   * @param {Scored} now
   * @param {{ output?: string, score?: number }} explained the output whose score stands beside the answer
   * @param {Scored | null} [whole] the answer if nothing is switched off
   * @param {string} [caption] what that is
   */
  show(now, explained, whole = null, caption = "with everything on") {
    const output = explained.output ?? Object.keys(now.scores)[0];
    const score = explained.score ?? now.scores[output];
    const flipped = whole !== null && whole.label !== now.label;
    const [answer, beside] = verdictOf(now, output, score);
    replace(this.verdict, element("strong", {}, answer), " ", beside && element("span", { class: "score" }, beside));
    this.verdict.classList.toggle("flipped", flipped);
    this.compared.hidden = whole === null;
    if (whole) {
      const before = number(whole.scores[output], signed);
      const label = whole.label !== null && [element("b", {}, isolated(whole.label)), ", "];
      replace(this.compared, `${caption}: `, ...(label || []), before);
    }
    this.spoken.textContent = spokenOf(now, score, flipped && whole);
    replace(this.classes, this.nearest(now));
  }

  /** @param {Scored} now */
  nearest(now) {
    const [head, shares, format] = now.probabilities
      ? /** @type {const} */ (["probability", now.probabilities, percent])
      : /** @type {const} */ (["score", now.scores, signed]);
    const lines = Object.entries(shares)
      .sort(([, a], [, b]) => b - a)
      .map(([name, value]) => ({ name: isolated(name), value }));
    if (lines.length < 2) return this.sides();
    const isPairs = !now.probabilities && this.model.scheme === "one-vs-one";
    const unit = now.label === null ? "output" : isPairs ? "pair" : "class";
    const options = { written: format, among: lines };
    const table = (/** @type {typeof lines} */ some) =>
      scroll(`${head} by ${unit}`, barTable("", [unit, head], some, options));
    const rest = lines.slice(NEAREST);
    return element("div", {}, table(lines.slice(0, NEAREST)), rest.length > 0 && this.more(rest.length, table(rest)));
  }

  /**
   * What is behind a press, open as long as it was opened: answers come with every key.
   *
   * @param {number} count
   * @param {HTMLElement} table
   */
  more(count, table) {
    const toggle = (/** @type {Event} */ event) => {
      this.showsAll = /** @type {HTMLDetailsElement} */ (event.target).open;
    };
    const title = element("summary", { "data-key": "more" }, `${count} more`);
    return element("details", { open: this.showsAll, on: { toggle } }, title, table);
  }

  /** Of a single score: what its sign means. */
  sides() {
    const { classes, task } = this.model;
    if (classes?.length !== 2) return null;
    const [below, above] = task === "outliers" ? [" (an outlier)", " (like what was learned from)"] : ["", ""];
    const shown = ["Above 0: ", isolated(classes[1]), `${above}. Below 0: `, isolated(classes[0]), `${below}.`];
    return element("p", { class: "hint" }, shown);
  }
}

/**
 * What stands in large letters, and beside it: the label and a score, or a value and its name if there are several.
 *
 * @param {Scored} scored
 * @param {string} output
 * @param {number} score
 */
function verdictOf({ label, scores }, output, score) {
  const isOneOfMany = Object.keys(scores).length > 1;
  if (label === null) return [number(score), isOneOfMany && [isolated(output)]];
  return [isolated(label), ["score ", isOneOfMany && ["of ", isolated(output), " "], number(score, signed)].flat()];
}

/**
 * @param {Scored} scored
 * @param {number} score
 * @param {Scored | false | null} before where the label was another one
 */
function spokenOf({ label }, score, before) {
  if (label === null) return signed(score);
  return `${label}, score ${signed(score)}${before ? `, before ${before.label}` : ""}`;
}
