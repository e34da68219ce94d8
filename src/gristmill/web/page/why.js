// The explanation of an answer: what each feature adds, the answer without it, and which pairs interact.

import { barTable, scroll, withRest } from "./bars.js";
import { element, freshId, isolated, replace } from "./dom.js";
import { choice } from "./field.js";
import { number, signed } from "./format.js";

/**
 * @typedef {import("./api.js").ExplainedRow} ExplainedRow
 * @typedef {import("./api.js").Part} Part
 * @typedef {import("./api.js").Pair} Pair
 */

const FEATURES = 100; // that are shown
const PAIRS = 8;

export class Why {
  /**
   * @param {string[]} outputs
   * @param {() => void} changed another output was chosen
   */
  constructor(outputs, changed) {
    /** @type {[string, string][]} */
    const options = [["", "this answer"]];
    for (const name of outputs) options.push([`=${name}`, name]); // an output may have an empty name
    this.choice = choice("Why", options, changed);
    this.choice.element.hidden = outputs.length < 2;
    this.body = element("div", {});
    const id = freshId();
    const title = element("h2", { id }, "What pushed it");
    this.element = element("section", { class: "why", "aria-labelledby": id }, title, this.choice.element, this.body);
  }

  /** The output that was chosen; null: that of the answer. */
  get output() {
    return this.choice.select.value ? this.choice.select.value.slice(1) : null;
  }

  set output(name) {
    this.choice.select.value = name === null ? "" : `=${name}`;
    if (this.choice.select.selectedIndex < 0) this.choice.select.value = "";
  }

  /** For the address. @returns {import("./state.js").Entries} */
  get entries() {
    return this.output === null ? [] : [["why", this.output]];
  }

  /** @param {...import("./dom.js").Child} children */
  show(...children) {
    replace(this.body, ...children);
  }
}

/** @param {ExplainedRow} explained */
export function explainedFeatures(explained) {
  const heads = ["feature", "adds"];
  if (explained.features.some((part) => part.without)) heads.push("without it");
  const lines = explained.features.map((part) => ({
    name: isolated(String(part.name)),
    value: part.value,
    more: part.without ? [without(explained, part.without)] : [],
  }));
  const caption = `What each feature adds to ${scoreName(explained)}`;
  return scroll(caption, barTable(caption, heads, withRest(lines, FEATURES, "feature"), ends(explained)));
}

/** @param {Pair[]} pairs */
export function explainedPairs(pairs) {
  const heavy = pairs
    .filter((pair) => pair.value !== 0)
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
    .slice(0, PAIRS);
  if (!heavy.length) return null;
  const lines = heavy.map(({ features, value }) => ({
    name: [isolated(String(features[0])), " & ", isolated(String(features[1]))],
    value,
  }));
  const caption = "Pairs that interact: what both add beyond each alone";
  return scroll(caption, barTable(caption, ["pair", "adds"], lines));
}

/**
 * What is explained: the score of an output, or the value where the answer is a number, one of several perhaps.
 *
 * @param {{ label: string | null, output: string }} explained
 */
export function scoreName({ label, output }) {
  return label === null ? `the ${output}` : `the score of ${output}`;
}

/** @param {{ label: string | null, baseline: number, score: number, output: string }} explained */
export function ends(explained) {
  return {
    first: { name: "baseline", value: explained.baseline },
    last: { name: isolated(scoreName(explained)), value: explained.score },
  };
}

/**
 * @param {ExplainedRow} explained
 * @param {import("./api.js").Without} other
 */
function without(explained, other) {
  const flips = other.label !== null && other.label !== explained.label;
  return element(
    "span",
    { class: flips ? "without flips" : "without" },
    number(other.score, signed),
    flips && element("b", {}, " → ", isolated(other.label)),
  );
}
