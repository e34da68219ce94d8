// One line above everything: the server is gone or busy, and when it will be asked again.

import { Unreachable } from "./api.js";
import { element, replace } from "./dom.js";

export class Notice {
  /** @param {HTMLElement} target */
  constructor(target) {
    this.target = target;
  }

  /**
   * @param {Error | null} error null: all is well
   * @param {() => void} retry
   */
  show(error, retry) {
    this.target.hidden = error === null;
    if (error === null) return replace(this.target);
    const told = error instanceof Unreachable ? "The server does not answer." : error.message;
    const button = element("button", { type: "button", "data-key": "retry", on: { click: retry } }, "Try now");
    replace(this.target, element("span", {}, `${told} It is asked again by itself.`), " ", button);
  }
}
