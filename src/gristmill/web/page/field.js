// A control with its label, a hint, and what is wrong with it.

import { element, freshId, replace } from "./dom.js";

export class Field {
  /**
   * @param {string} label
   * @param {HTMLInputElement | HTMLTextAreaElement} control
   * @param {import("./dom.js").Child[]} hint
   * @param {HTMLElement} [body] what stands between label and hint, with the control in it
   */
  constructor(label, control, hint, body = control) {
    this.control = control;
    control.id = freshId();
    this.hint = element("p", { id: freshId(), class: "hint" }, hint);
    // polite: half of what is typed is wrong as long as it is typed
    this.error = element("p", { id: freshId(), class: "error", role: "status" });
    control.setAttribute("aria-describedby", `${this.hint.id} ${this.error.id}`);
    for (const name of ["autocapitalize", "autocomplete"]) control.setAttribute(name, "off");
    control.spellcheck = false;
    const title = element("label", { class: "field-label", for: control.id }, label);
    this.element = element("div", { class: "field" }, title, body, this.error, this.hint);
  }

  /** @param {string | null} message null: nothing is wrong */
  say(message, ...more) {
    this.control.setAttribute("aria-invalid", String(message !== null));
    replace(this.error, message, ...more);
  }
}

/**
 * A labelled choice.
 *
 * @param {string} label
 * @param {[value: string, text: string][]} options
 * @param {() => void} changed
 */
export function choice(label, options, changed) {
  const id = freshId();
  const select = element("select", { id, on: { change: changed } });
  for (const [value, text] of options) select.append(element("option", { value }, text));
  return { select, element: element("p", { class: "choice" }, element("label", { for: id }, label), " ", select) };
}

/**
 * Buttons that fill in an example.
 *
 * @template Example
 * @param {Example[]} examples
 * @param {(example: Example) => import("./dom.js").Child | import("./dom.js").Child[]} shown
 * @param {(example: Example) => void} chosen
 */
export function exampleButtons(examples, shown, chosen) {
  if (!examples.length) return null;
  const buttons = examples.map((example) =>
    element("button", { type: "button", class: "example", on: { click: () => chosen(example) } }, shown(example)),
  );
  return element("div", { class: "examples", role: "group", "aria-label": "Try an example" }, "Try ", buttons);
}
