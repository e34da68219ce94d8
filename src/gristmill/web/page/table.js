// The view for rows of a table: a form with a field for each column, the answer, and what each column adds.

import { Refused, explain } from "./api.js";
import { Answer } from "./answer.js";
import { Changes } from "./changes.js";
import { element, isolated } from "./dom.js";
import { exampleButtons } from "./field.js";
import { Form } from "./form.js";
import { shortened } from "./format.js";
import { inputCard, resultColumns } from "./layout.js";
import { Round } from "./round.js";
import { Shapes } from "./shapes.js";
import { one, writeState } from "./state.js";
import { Why, explainedFeatures, explainedPairs } from "./why.js";

/**
 * @typedef {import("./api.js").ExplainedRow} ExplainedRow
 * @typedef {import("./api.js").Column} Column
 * @typedef {import("./api.js").Value} Value
 */

const PAIRED = 60; // columns up to which pairs are requested: there are many more pairs than columns
const EXAMPLE = 40; // letters of an example's button

export class TableView {
  /**
   * @param {import("./api.js").Model} model
   * @param {Column[]} columns
   * @param {import("./notice.js").Notice} notice
   */
  constructor(model, columns, notice) {
    this.columns = columns;
    this.form = new Form(columns, () => this.changed());
    this.answer = new Answer(model);
    this.why = new Why(model.outputs, () => this.changed());
    this.changes = new Changes(model, () => this.round.changed(0));
    this.answer.element.append(this.changes.element);
    const results = resultColumns(this.answer.element, this.why.element);
    this.round = new Round(this.form, results, notice, {
      ask: (signal) => this.ask(signal),
      answered: (explained) => this.answered(explained),
      refused: (error) => this.form.mark(error instanceof Refused ? this.wrong(error) : [], "is refused"),
    });
    const others = model.examples.filter((row) => columns.some((column) => row[column.name] !== column.default));
    const examples = exampleButtons(others, exampleTitle, (row) => this.fill(row));
    const shapes = new Shapes();
    this.element = element("div", { class: "view" }, inputCard(this.form.element, examples), results, shapes.element);
  }

  /** @param {import("./state.js").Entries} entries */
  restore(entries) {
    this.why.output = one(entries, "why");
    this.form.show(entries);
    this.round.changed(0);
  }

  /** @param {Record<string, Value>} row */
  fill(row) {
    this.form.fill(row);
    this.changed();
  }

  changed() {
    writeState([...this.form.entries, ...this.why.entries]);
    this.round.changed();
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<ExplainedRow>}
   */
  async ask(signal) {
    const request = {
      rows: [this.form.row],
      interactions: this.columns.length <= PAIRED,
      output: this.why.output ?? undefined,
      changes: this.changes.isOpen || undefined,
    };
    const [explained] = await explain(request, signal);
    return explained;
  }

  /** @param {ExplainedRow} explained */
  answered(explained) {
    this.form.mark((explained.unknown ?? []).map(String), "training had no such value");
    this.answer.show(explained, explained);
    this.changes.show(explained.changes);
    this.why.show(explainedFeatures(explained), explained.interactions && explainedPairs(explained.interactions));
  }

  /** The column that was refused. @param {Refused} error */
  wrong({ where }) {
    const found = this.columns.find(({ name }) => where === `rows[0].${name}`.slice(0, where?.length));
    return found ? [found.name] : [];
  }
}

/** Its values. @param {Record<string, Value>} row */
function exampleTitle(row) {
  return isolated(shortened(Object.values(row).join(", "), EXAMPLE));
}
