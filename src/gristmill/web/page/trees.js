// The view for trees: a bracketed tree, its answer, its picture with what each node adds, and the answer without it.

import { explain } from "./api.js";
import { Answer } from "./answer.js";
import { keptNodes, spansOf, withoutNodes } from "./brackets.js";
import { element } from "./dom.js";
import { exampleButtons } from "./field.js";
import { shortened } from "./format.js";
import { inputCard, resultColumns } from "./layout.js";
import { Round } from "./round.js";
import { all, one, writeState } from "./state.js";
import { TreeField } from "./tree_field.js";
import { TreePicture } from "./tree_picture.js";
import { explainedNodes, explainedWords } from "./tree_why.js";
import { Why } from "./why.js";

/** @typedef {import("./api.js").ExplainedTree} ExplainedTree */

const EXAMPLE = 40; // letters of an example's button

export class TreesView {
  /**
   * @param {import("./api.js").Model} model
   * @param {import("./notice.js").Notice} notice
   */
  constructor(model, notice) {
    this.model = model;
    /** @type {Set<number>} */
    this.cut = new Set(); // nodes of the tree as typed
    this.input = new TreeField(() => this.typed());
    this.answer = new Answer(model);
    this.why = new Why(model.outputs, () => this.changed());
    this.picture = new TreePicture((node, isOn) => this.switch(node, isOn));
    const results = resultColumns(this.answer.element, this.why.element, this.picture.element);
    this.round = new Round(this.input.field, results, notice, {
      ask: (signal) => this.ask(signal),
      answered: ([explained, whole]) => this.answered(explained, whole),
      refused: (error) => this.input.say(error.message),
    });
    const examples = exampleButtons(model.examples, words, (tree) => this.fill(tree));
    this.element = element("div", { class: "view" }, inputCard(this.input.field.element, examples), results);
  }

  get text() {
    return this.input.area.value;
  }

  /** @param {import("./state.js").Entries} entries */
  restore(entries) {
    this.input.area.value = one(entries, "tree") ?? this.model.examples[0] ?? "";
    const nodes = spansOf(this.text).length;
    this.cut = new Set(all(entries, "cut").map(Number).filter((node) => node > 0 && node < nodes));
    this.why.output = one(entries, "why");
    this.ready(0);
  }

  /** @param {string} tree */
  fill(tree) {
    this.input.area.value = tree;
    this.typed();
  }

  typed() {
    this.cut.clear();
    this.changed();
  }

  /**
   * @param {number} node
   * @param {boolean} isOn
   */
  switch(node, isOn) {
    if (isOn) this.cut.delete(node);
    else this.cut.add(node);
    this.changed();
  }

  changed() {
    const cut = [...this.cut].map((node) => /** @type {[string, string]} */ (["cut", String(node)]));
    writeState([["tree", this.text], ...cut, ...this.why.entries]);
    this.ready();
  }

  /** @param {number} [pause] */
  ready(pause) {
    if (this.text.trim()) this.round.changed(pause);
    else this.round.cleared();
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<[ExplainedTree, ExplainedTree | null]>}
   */
  async ask(signal) {
    const left = withoutNodes(this.text, spansOf(this.text), this.cut);
    const trees = this.cut.size ? [left, this.text] : [this.text];
    const [explained, whole] = await explain({ trees, output: this.why.output ?? undefined }, signal);
    return [explained, whole ?? null];
  }

  /**
   * @param {ExplainedTree} explained
   * @param {ExplainedTree | null} whole
   */
  answered(explained, whole) {
    this.answer.show(explained, explained, whole, "with the whole tree");
    const spans = spansOf(this.text);
    const kept = keptNodes(spans, this.cut);
    const cut = new Map([...this.cut].map((node) => [node, this.text.slice(spans[node].begin, spans[node].end)]));
    // places in the picture and in the text are the same only if both read the brackets alike
    this.picture.show(explained.svg, kept.length === explained.nodes.length ? kept : [], cut);
    this.why.show(explainedNodes(explained), explained.words && explainedWords(explained));
  }

}

/** The words of a tree, for its button. @param {string} tree */
function words(tree) {
  const leaves = [...tree.matchAll(/([^\s()]+)\s*(?=\))/g)].map(([, leaf]) => leaf);
  return shortened(leaves.join(" ") || tree, EXAMPLE);
}
