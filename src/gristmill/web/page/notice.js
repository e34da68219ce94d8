// One line above everything: the server is gone or busy, and will be asked again.

import { Unreachable } from "./api.js";
import { element, focusOn, replace } from "./dom.js";

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
    if (error === null) return this.hide();
    this.target.hidden = false;
    const text = error instanceof Unreachable ? "The server does not answer." : error.message;
    const button = element("button", { type: "button", "data-key": "retry", on: { click: retry } }, "Try now");
    replace(this.target, element("span", {}, `${text} It will be asked again.`), " ", button);
  }

  /** The focus, if it was here, goes to what comes next. */
  hide() {
    const hadFocus = this.target.contains(document.activeElement);
    replace(this.target);
    this.target.hidden = true;
    if (hadFocus) focusOn(this.target.nextElementSibling);
  }
}
