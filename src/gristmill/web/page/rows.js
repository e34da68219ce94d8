// The view for rows: features as chips, the answer, what each adds, and the answer without it.

import { Refused, explain, score } from "./api.js";
import { Answer } from "./answer.js";
import { Changes } from "./changes.js";
import { Deciders } from "./deciders.js";
import { element, isolated } from "./dom.js";
import { asEntries, featuresOf, fromEntries, rowOf } from "./features.js";
import { exampleButtons } from "./field.js";
import { shortened } from "./format.js";
import { inputCard, resultColumns } from "./layout.js";
import { Round } from "./round.js";
import { RowField } from "./row_field.js";
import { one, writeState } from "./state.js";
import { Why, explainedFeatures, explainedPairs } from "./why.js";

/**
 * @typedef {import("./api.js").ExplainedRow} ExplainedRow
 * @typedef {import("./api.js").Scored} Scored
 * @typedef {import("./api.js").Row} Row
 */

const PAIRED = 60; // features up to which pairs are requested: there are many more pairs than features
const EXAMPLE = 30; // letters of an example's button
const FEWEST = 4; // letters of a name that still say something

export class RowsView {
  /**
   * @param {import("./api.js").Model} model
   * @param {import("./notice.js").Notice} notice
   */
  constructor(model, notice) {
    this.model = model;
    this.input = new RowField(model, () => this.changed());
    this.answer = new Answer(model);
    this.why = new Why(model.outputs, () => this.changed());
    this.changes = new Changes(model, () => this.round.changed(0));
    this.deciders = new Deciders(model, () => this.round.changed(0));
    this.answer.element.append(this.changes.element, this.deciders.element);
    const results = resultColumns(this.answer.element, this.why.element);
    this.round = new Round(this.input.field, results, notice, {
      ask: (signal) => this.ask(signal),
      answered: ([explained, whole]) => this.answered(explained, whole),
      refused: (error) => this.refused(error),
    });
    const examples = exampleButtons(model.examples, exampleTitle, (row) => this.fill(row));
    this.element = element("div", { class: "view" }, inputCard(this.input.field.element, examples), results);
  }

  /** @param {import("./state.js").Entries} entries */
  restore(entries) {
    const features = fromEntries(entries);
    this.why.output = one(entries, "why");
    this.input.show(!entries.length && this.model.examples.length ? featuresOf(this.model.examples[0]) : features);
    this.round.changed(0);
  }

  /** @param {Row} row */
  fill(row) {
    this.input.set(featuresOf(row));
  }

  changed() {
    writeState([...asEntries(this.input.features), ...this.why.entries]);
    this.round.changed();
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<[ExplainedRow, Scored | null]>}
   */
  async ask(signal) {
    const { features } = this.input;
    const isWhole = features.every((feature) => feature.on);
    const row = rowOf(features, this.model.named_features);
    const request = {
      rows: [row],
      without: features.length <= (this.model.limits.without ?? Infinity),
      interactions: features.length <= PAIRED,
      output: this.why.output ?? undefined,
      changes: this.changes.isOpen || undefined,
      influence: this.deciders.isOpen || undefined,
    };
    const whole = isWhole ? null : this.wholeAnswer(signal);
    const [[explained], other] = await Promise.all([explain(request, signal), whole]);
    return [explained, other];
  }

  /**
   * The answer with everything on; null if what is off would be refused.
   *
   * @param {AbortSignal} signal
   */
  async wholeAnswer(signal) {
    const features = this.input.features.map((feature) => ({ ...feature, on: true }));
    try {
      const [found] = await score({ rows: [rowOf(features, this.model.named_features)] }, signal);
      return found;
    } catch (error) {
      if (error instanceof Refused && error.code === "bad_input") return null;
      throw error;
    }
  }

  /**
   * @param {ExplainedRow} explained
   * @param {Scored | null} whole
   */
  answered(explained, whole) {
    const values = new Map(explained.features.map((part) => [String(part.name), part.value]));
    this.input.chips.mark({ unknown: new Set((explained.unknown ?? []).map(String)), values, wrong: null });
    this.answer.show(explained, explained, whole);
    this.changes.show(explained.changes);
    this.deciders.show(explained.influence, explained.output);
    this.why.show(explainedFeatures(explained), explained.interactions && explainedPairs(explained.interactions));
  }

  /** @param {Error} error */
  refused(error) {
    const wrong = error instanceof Refused ? this.wrong(error) : null;
    this.input.chips.mark({ unknown: new Set(), values: new Map(), wrong });
  }

  /**
   * The feature that was refused, by its place in the row that was sent.
   *
   * @param {Refused} error
   */
  wrong({ where }) {
    const [, place, name] = /^rows\[0\](?:\[(\d+)\]|\.(.+)|\["(.+)"\])/.exec(where ?? "") ?? [];
    if (place === undefined) return name ?? null;
    return this.input.features.filter((feature) => feature.on)[Number(place)]?.name ?? null;
  }
}

/** Its features, as many as have room. @param {Row} row */
function exampleTitle(row) {
  /** @type {import("./dom.js").Child[]} */
  const shown = [];
  let left = EXAMPLE;
  for (const { name } of featuresOf(row)) {
    if (left < Math.min(name.length, FEWEST)) return [...shown, "…"];
    shown.push(isolated(shortened(name, left)), " ");
    left -= name.length + 1;
  }
  return shown.slice(0, -1);
}
