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
   * @param {ExplainedSentence} explained
   * @param {number} at the decision that is explained
   */
  show(explained, at) {
    const [kind, draw] = /** @type {const} */ (
      explained.words ? ["boundaries", boundaries] : explained.tags ? ["tagged", tagged] : ["moves", moves]
    );
    this.element.className = `steps ${kind}`;
    replace(this.element, draw(explained, (step, ...children) => this.button(step, ...children)));
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
 * @param {ExplainedSentence} explained
 * @param {Button} button
 */
function tagged(explained, button) {
  const colours = chunkColours(explained.tags ?? []);
  return explained.steps.map((step, at) => {
    const tag = explained.tags?.[step.token] ?? step.label;
    const made = button(at, isolated(explained.tokens?.[step.token] ?? step.what), element("small", {}, isolated(tag)));
    made.dataset.colour = String(colours.get(chunkType(tag)) ?? "none");
    made.dataset.goesOn = String(/^[IE]-/.test(explained.tags?.[step.token + 1] ?? ""));
    return made;
  });
}

/**
 * Characters, and between them what was decided.
 *
 * @param {ExplainedSentence} explained
 * @param {Button} button
 */
function boundaries(explained, button) {
  const at = new Map(explained.steps.map((step, place) => [step.token, place]));
  return (explained.tokens ?? []).flatMap((character, token) => {
    const place = at.get(token);
    const shown = element("span", { class: "character" }, character);
    if (place === undefined) return [shown];
    const { label, what } = explained.steps[place];
    const made = button(place, label === "end" ? "|" : "·");
    made.setAttribute("aria-label", `${what}: ${label}`);
    made.dataset.end = String(label === "end");
    return [shown, made];
  });
}

/**
 * @param {ExplainedSentence} explained
 * @param {Button} button
 */
function moves(explained, button) {
  const small = (/** @type {Child[]} */ ...children) => element("small", {}, ...children);
  return explained.steps.map(({ label, what }, at) =>
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
