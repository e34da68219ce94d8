// One request and its answer: sends the input, shows the answer, and marks old answers as old.

import { setAttribute } from "./dom.js";
import { Live } from "./live.js";

/**
 * @template Answer
 * @typedef {{
 *   ask: (signal: AbortSignal) => Promise<Answer>,
 *   answered: (answer: Answer) => void,
 *   refused: (error: Error) => void,
 * }} ModelAdapter
 */

/** @template Answer */
export class Round {
  /**
   * @param {import("./field.js").Field} field where errors are shown
   * @param {HTMLElement} results
   * @param {import("./notice.js").Notice} notice
   * @param {ModelAdapter<Answer>} adapter
   */
  constructor(field, results, notice, adapter) {
    this.field = field;
    this.results = results;
    this.notice = notice;
    this.adapter = adapter;
    results.hidden = true;
    this.live = new Live(adapter.ask, {
      asking: () => setAttribute(results, "aria-busy", "true"),
      answered: (answer) => this.answered(answer),
      failed: (error) => this.failed(error),
      waiting: (error) => this.waiting(error),
    });
  }

  /** @param {number} [pause] */
  changed(pause) {
    this.live.changed(pause);
  }

  /** There is nothing to ask. */
  cleared() {
    this.live.stop();
    this.waiting(null);
    this.field.say(null);
    this.setStale(false);
    this.results.hidden = true;
  }

  /** @param {Answer} answer */
  answered(answer) {
    this.field.say(null);
    this.results.hidden = false;
    this.setStale(false);
    this.adapter.answered(answer);
  }

  /** @param {Error} error */
  failed(error) {
    this.setStale(true);
    this.field.say(error.message);
    this.adapter.refused(error);
  }

  /** @param {Error | null} error */
  waiting(error) {
    this.notice.show(error, () => this.live.now());
    if (error) this.setStale(true);
  }

  /** @param {boolean} isStale whether what is shown belongs to an older input */
  setStale(isStale) {
    setAttribute(this.results, "aria-busy", null);
    setAttribute(this.results, "data-stale", isStale);
  }
}
