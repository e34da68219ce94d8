// The view for sentences: tags, words or arcs, and for each decision why it was made.

import { explain } from "./api.js";
import { Answer } from "./answer.js";
import { scroll } from "./bars.js";
import { element, isolated, replace } from "./dom.js";
import { Field, exampleButtons } from "./field.js";
import { shortened } from "./format.js";
import { inputCard, resultColumns } from "./layout.js";
import { picture } from "./picture.js";
import { Round } from "./round.js";
import { one, writeState } from "./state.js";
import { Steps } from "./steps.js";
import { Why, explainedFeatures } from "./why.js";

/**
 * @typedef {import("./api.js").ExplainedSentence} ExplainedSentence
 * @typedef {import("./api.js").Step} Step
 */

const RAW = /** @type {Record<string, string>} */ ({
  segmenter: "Running text, without blanks between words.",
  pipeline: "Raw text, a sentence or more.",
});
const EXAMPLE = 40; // letters of an example's button
const LEFT_OUT = 2000; // letters up to which features are left out one by one: there are some dozens to a word

export class SentencesView {
  /**
   * @param {import("./api.js").Model} model
   * @param {import("./notice.js").Notice} notice
   */
  constructor(model, notice) {
    this.model = model;
    this.at = 0;
    /** @type {ExplainedSentence | null} */
    this.explained = null;
    this.area = element("textarea", { rows: 2, dir: "auto", on: { input: () => this.changed() } });
    this.field = new Field(RAW[model.kind] ? "Text" : "Sentence", this.area, this.hint());
    this.drawn = scroll("Dependencies");
    this.drawn.classList.add("picture");
    this.steps = new Steps((at) => this.choose(at));
    this.summary = element("p", { class: "summary", role: "status", dir: "auto" });
    this.answer = new Answer(model, "Decision");
    this.why = new Why(model.outputs, () => this.changed());
    const parts = [this.drawn, this.summary, this.stepsTitle(), this.steps.element];
    const whole = element("section", { class: "gm-card", "aria-label": "Answer" }, parts);
    const results = resultColumns(this.answer.element, this.why.element, whole);
    this.round = new Round(this.field, results, notice, {
      ask: (signal) => this.ask(signal),
      answered: (explained) => this.answered(explained),
      refused: () => {},
    });
    const texts = model.examples.map(textOf);
    const examples = exampleButtons(texts, (text) => shortened(text, EXAMPLE), (text) => this.fill(text));
    this.element = element("div", { class: "view" }, inputCard(this.field.element, examples), results);
  }

  hint() {
    if (RAW[this.model.kind]) return [RAW[this.model.kind]];
    const columns = this.model.columns ?? 1;
    if (columns < 2) return ["Words with blanks between them."];
    const shape = ["word", ...Array(columns - 1).fill("TAG")].join("/");
    const example = this.model.kind === "parser" ? "They/PRON work/VERB" : shape;
    return ["Words with blanks between them, as ", element("code", {}, example), "."];
  }

  stepsTitle() {
    const what = ["parser", "pipeline"].includes(this.model.kind) ? "step of the parser" : "decision";
    return element("p", { class: "hint" }, `Choose a ${what} to see why it was taken:`);
  }

  /** @param {import("./state.js").Entries} entries */
  restore(entries) {
    const [first] = this.model.examples;
    this.area.value = one(entries, "text") ?? (first === undefined ? "" : textOf(first));
    this.at = Math.max(0, Math.trunc(Number(one(entries, "at"))) || 0);
    this.why.output = one(entries, "why");
    this.ready(0);
  }

  /** @param {string} text */
  fill(text) {
    this.area.value = text;
    this.at = 0;
    this.changed();
  }

  changed() {
    this.keep();
    this.ready();
  }

  keep() {
    writeState([["text", this.area.value], ["at", String(this.at)], ...this.why.entries]);
  }

  /** @param {number} [pause] */
  ready(pause) {
    if (this.area.value.trim()) this.round.changed(pause);
    else this.round.cleared();
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<ExplainedSentence>}
   */
  async ask(signal) {
    const text = this.area.value;
    const request = { sentences: [text], without: text.length <= LEFT_OUT, output: this.why.output ?? undefined };
    const [explained] = await explain(request, signal);
    return explained;
  }

  /** @param {ExplainedSentence} explained */
  answered(explained) {
    this.explained = explained;
    const svg = explained.svg ? picture(explained.svg) : null;
    replace(this.drawn, svg);
    this.drawn.hidden = svg === null;
    replace(this.summary, summary(explained));
    this.at = Math.min(this.at, Math.max(0, explained.steps.length - 1));
    this.steps.show(explained, this.at);
    this.explain(explained.steps[this.at]);
  }

  /** @param {number} at */
  choose(at) {
    this.at = at;
    this.keep();
    this.steps.choose(at);
    if (this.explained) this.explain(this.explained.steps[at]);
  }

  /** @param {Step | undefined} step */
  explain(step) {
    for (const part of [this.answer.element, this.why.element]) part.hidden = step === undefined;
    if (!step) return;
    const scored = { label: step.label, scores: step.scores ?? { [step.output]: step.score } };
    replace(this.answer.title, "Decision: ", isolated(step.what));
    this.answer.show(scored, step);
    // what would be without a feature is compared with what the machine itself finds best
    const label = step.best ?? step.label;
    this.why.show(situation(step), explainedFeatures({ ...step, label, scores: scored.scores }));
  }
}

/** The result in words, for screen readers and without colours. @param {ExplainedSentence} explained */
function summary(explained) {
  if (explained.words) return explained.words.map((word) => element("span", { class: "word" }, isolated(word)));
  const { tokens = [], tags, heads, relations } = explained;
  const links = heads?.map((head, at) => `${relations?.[at]}${head ? ` of ${tokens[head - 1]}` : ""}`);
  const shown = tags ?? links;
  return shown && element("span", { class: "hidden" }, tokens.map((token, at) => `${token} ${shown[at]}`).join(", "));
}

/** What a decision was made about, as far as it is known. @param {Step} step */
function situation(step) {
  const written = (/** @type {string[]} */ words) => words.join(" ") || "nothing";
  /** @type {[string, string | undefined][]} */
  const all = [
    ["stack", step.stack && written(step.stack)],
    ["to come", step.buffer && written(step.buffer)],
    ["machine", step.machine],
    ["best by itself", step.best],
    ["higher, but impossible here", step.impossible],
  ];
  const known = all.filter(([, value]) => value !== undefined);
  if (!known.length) return null;
  const lines = known.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, isolated(value))]);
  return element("dl", { class: "situation" }, lines);
}

/**
 * As it is typed: columns of a word have slashes between them.
 *
 * @param {string | (string | string[])[]} sentence
 */
function textOf(sentence) {
  if (typeof sentence === "string") return sentence;
  return sentence.map((token) => (typeof token === "string" ? token : token.join("/"))).join(" ");
}
