// Decisions as buttons: tokens with their tags, places between characters, or the moves of a parser.

import { element, isolated, replace } from "./dom.js";
import { rove, setStop } from "./roving.js";

/**
 * @typedef {import("./api.js").ExplainedSentence} ExplainedSentence
 * @typedef {import("./api.js").Step} Step
 * @typedef {import("./dom.js").Child} Child
 */

const COLOURS = 6; // of chunks

export class Steps {
  /** @param {(at: number) => void} chosen */
  constructor(chosen) {
    this.chosen = chosen;
    const label = "Decisions. Arrow keys move, Enter asks why";
    this.element = element("div", { class: "steps", role: "toolbar", "aria-label": label, dir: "auto" });
    rove(this.element, () => this.buttons());
  }

  /**
   * @param {ExplainedSentence} told
   * @param {number} at the decision that is explained
   */
  show(told, at) {
    const [kind, draw] = /** @type {const} */ (
      told.words ? ["boundaries", boundaries] : told.tags ? ["tagged", tagged] : ["moves", moves]
    );
    this.element.className = `steps ${kind}`;
    replace(this.element, draw(told, (step, ...children) => this.button(step, ...children)));
    this.choose(at);
  }

  /** @param {number} at */
  choose(at) {
    this.buttons().forEach((button, place) => button.setAttribute("aria-pressed", String(place === at)));
    setStop(this.buttons(), at);
  }

  buttons() {
    return /** @type {HTMLElement[]} */ ([...this.element.querySelectorAll("button")]);
  }

  /**
   * @param {number} at
   * @param {...(Child | Child[])} children
   */
  button(at, ...children) {
    const attributes = { type: "button", class: "step", "data-key": at, on: { click: () => this.chosen(at) } };
    return element("button", attributes, ...children);
  }
}

/** @typedef {(at: number, ...children: (Child | Child[])[]) => HTMLElement} Button */

/**
 * @param {ExplainedSentence} told
 * @param {Button} button
 */
function tagged(told, button) {
  const colours = chunkColours(told.tags ?? []);
  return told.steps.map((step, at) => {
    const tag = told.tags?.[step.token] ?? step.label;
    const made = button(at, isolated(told.tokens?.[step.token] ?? step.what), element("small", {}, isolated(tag)));
    made.dataset.colour = String(colours.get(chunkType(tag)) ?? "none");
    made.dataset.goesOn = String(/^[IE]-/.test(told.tags?.[step.token + 1] ?? ""));
    return made;
  });
}

/**
 * Characters, and between them what was decided.
 *
 * @param {ExplainedSentence} told
 * @param {Button} button
 */
function boundaries(told, button) {
  const at = new Map(told.steps.map((step, place) => [step.token, place]));
  return (told.tokens ?? []).flatMap((character, token) => {
    const place = at.get(token);
    const shown = element("span", { class: "character" }, character);
    if (place === undefined) return [shown];
    const { label, what } = told.steps[place];
    const made = button(place, label === "end" ? "|" : "·");
    made.setAttribute("aria-label", `${what}: ${label}`);
    made.dataset.end = String(label === "end");
    return [shown, made];
  });
}

/**
 * @param {ExplainedSentence} told
 * @param {Button} button
 */
function moves(told, button) {
  const small = (/** @type {Child[]} */ ...children) => element("small", {}, ...children);
  return told.steps.map(({ label, what }, at) =>
    button(at, small(at + 1), " ", isolated(label), small(" ", isolated(what))),
  );
}

/** The type of a chunk, or null outside of all. @param {string} tag */
function chunkType(tag) {
  return /^[BIES]-(.+)$/.exec(tag)?.[1] ?? null;
}

/** Types in order of their names, so that a colour stays when the sentence changes little. @param {string[]} tags */
function chunkColours(tags) {
  const types = [...new Set(tags.map(chunkType))].filter((type) => type !== null).sort();
  return new Map(types.map((type, at) => [type, at % COLOURS]));
}
