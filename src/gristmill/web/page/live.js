// Answers while one types: a pause first, then one request; answers to older requests are never shown.

import { Refused, Unreachable } from "./api.js";

const PAUSE = 120; // milliseconds without a key, so that not every letter is a question
const SLOWEST_RETRY = 8; // seconds
const PASSING = ["busy", "stopping"]; // what the server refuses for a while only

/**
 * @template Answer
 * @typedef {{
 *   asking: () => void,
 *   answered: (answer: Answer) => void,
 *   failed: (error: Error) => void,
 *   waiting: (error: Error | null) => void,
 * }} Listener
 */

/** @template Answer */
export class Live {
  /**
   * @param {(signal: AbortSignal) => Promise<Answer>} ask
   * @param {Listener<Answer>} listener
   */
  constructor(ask, listener) {
    this.ask = ask;
    this.listener = listener;
    this.controller = new AbortController();
    this.timer = 0;
    this.tries = 0;
  }

  /** The input is another one now. */
  changed(pause = PAUSE) {
    this.stop();
    this.listener.asking();
    this.timer = window.setTimeout(() => this.now(), pause);
  }

  /** Whatever is under way does not matter any more. */
  stop() {
    window.clearTimeout(this.timer);
    this.controller.abort();
  }

  async now() {
    this.stop();
    const { signal } = (this.controller = new AbortController());
    try {
      const answer = await this.ask(signal);
      if (!signal.aborted) this.succeed(answer);
    } catch (error) {
      if (!signal.aborted) this.fail(/** @type {Error} */ (error));
    }
  }

  /** @param {Answer} answer */
  succeed(answer) {
    this.tries = 0;
    this.listener.waiting(null);
    this.listener.answered(answer);
  }

  /** @param {Error} error */
  fail(error) {
    const isBusy = error instanceof Refused && PASSING.includes(error.code);
    const waits = isBusy || error instanceof Unreachable;
    this.listener.waiting(waits ? error : null);
    if (waits) this.again(isBusy ? error.wait : undefined);
    else this.listener.failed(error);
  }

  /** @param {number} [seconds] */
  again(seconds = Math.min(2 ** this.tries, SLOWEST_RETRY)) {
    this.tries += 1;
    this.timer = window.setTimeout(() => this.now(), 1000 * seconds);
  }
}
