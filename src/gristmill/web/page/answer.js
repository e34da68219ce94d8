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
   * @param {{ output?: string, score?: number }} told the output whose score stands beside the answer
   * @param {Scored | null} [whole] the answer if nothing is switched off
   * @param {string} [said] what that is
   */
  show(now, told, whole = null, said = "with everything on") {
    const output = told.output ?? Object.keys(now.scores)[0];
    const score = told.score ?? now.scores[output];
    const flipped = whole !== null && whole.label !== now.label;
    const isScore = now.label === null && Object.keys(now.scores).length === 1; // it stands there already
    const scored = element("span", { class: "score" }, scoreText(now, output), " ", number(score, signed));
    replace(this.verdict, answerOf(now), " ", isScore ? null : scored);
    this.verdict.classList.toggle("flipped", flipped);
    this.compared.hidden = whole === null;
    if (whole) replace(this.compared, `${said}: `, element("b", {}, written(whole)), ", ", scoreOf(whole, output));
    this.spoken.textContent = `${written(now)}, score ${signed(score)}${flipped ? `, before ${written(whole)}` : ""}`;
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
    const unit = now.probabilities || this.model.scheme !== "one-vs-one" ? "class" : "pair";
    const table = (/** @type {typeof lines} */ some) => barTable("", [unit, head], some, { written: format });
    const rest = lines.slice(NEAREST);
    return element(
      "div",
      {},
      scroll(`${head} by ${unit}`, table(lines.slice(0, NEAREST))),
      rest.length > 0 && element("details", {}, element("summary", {}, `${rest.length} more`), table(rest)),
    );
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
 * @param {Scored} scored
 * @param {string} output
 */
function scoreText(scored, output) {
  return Object.keys(scored.scores).length > 1 ? `score of ${output}` : "score";
}

/**
 * @param {Scored} scored
 * @param {string} output
 */
function scoreOf(scored, output) {
  return number(scored.scores[output], signed);
}

/** @param {Scored} scored */
function written(scored) {
  return scored.label ?? signed(scored.value ?? Object.values(scored.scores)[0]);
}

/** @param {Scored} scored */
function answerOf(scored) {
  if (scored.label === null) return element("strong", {}, number(scored.value ?? Object.values(scored.scores)[0]));
  return element("strong", {}, isolated(scored.label));
}
