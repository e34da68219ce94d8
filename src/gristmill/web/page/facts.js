// Facts of the model, as a card.

import { element, freshId, isolated } from "./dom.js";
import { counted, shortened, size } from "./format.js";

/** @typedef {import("./api.js").Model} Model */

const CLASSES = 12; // that are named
const LONGEST = 40; // letters of a class

const KINDS = /** @type {Record<string, string>} */ ({
  rows: "Sets of features",
  table: "Rows of a table",
  trees: "Trees",
  tagger: "Tags for words",
  segmenter: "Words in running text",
  parser: "Dependencies between words",
  pipeline: "Sentences, words and dependencies of raw text",
  roles: "Semantic roles",
});

/** @param {Model} model */
export function subtitle(model) {
  const what = KINDS[model.kind] ?? model.kind;
  return `${what}, with ${counted(model.support, learnedNoun(model))}. Type below: the answer follows.`;
}

/** What a model has many of. @param {Model} model */
function learnedNoun(model) {
  return model.form ? "weight" : "support vector";
}

/** @param {Model} model */
export function modelFacts(model) {
  const id = freshId();
  return element(
    "section",
    { class: "gm-card facts", "aria-labelledby": id },
    element("h2", { id }, "The model"),
    element("dl", {}, lines(model).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])),
  );
}

/**
 * @param {Model} model
 * @returns {[string, import("./dom.js").Child | import("./dom.js").Child[]][]}
 */
function lines(model) {
  const { engine } = model;
  /** @type {[string, any][]} */
  const all = [
    ["kernel", element("code", {}, model.kernel)],
    [`${learnedNoun(model)}s`, model.support.toLocaleString("en")],
    ["predicts", model.target && isolated(model.target)],
    ["columns", model.form?.length.toLocaleString("en")],
    ["features", model.features?.toLocaleString("en")],
    ["classes", model.classes && classNames(model.classes)],
    ["scheme", model.classes && model.classes.length > 2 && model.scheme],
    ["engine", `${engine.name}${engine.bytes ? `, ${size(engine.bytes)}` : ""}`],
    ["answers", engine.exact ? "exact: equal to the definition" : "approximate, as it was compiled"],
    ["why this engine", engine.reason],
    ["gristmill", model.version],
  ];
  return all.filter(([, value]) => value);
}

/** @param {string[]} classes */
function classNames(classes) {
  const shown = classes.slice(0, CLASSES).flatMap((name) => [isolated(shortened(name, LONGEST)), ", "]);
  const more = classes.length - CLASSES;
  return [...shown.slice(0, -1), more > 0 && ` and ${more.toLocaleString("en")} more`];
}
