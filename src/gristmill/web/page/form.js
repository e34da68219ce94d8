// A form with an input for each column of a table: numbers, choices, boxes to tick, dates.

import { element, freshId, isolated, replace } from "./dom.js";

/**
 * @typedef {import("./api.js").Column} Column
 * @typedef {import("./api.js").Value} Value
 */

const MISSING = ""; // the value of a control for a value that is not known
const OTHER = "\u0000other"; // and for a category that training did not have

export class Form {
  /**
   * @param {Column[]} columns
   * @param {() => void} changed
   */
  constructor(columns, changed) {
    this.inputs = columns.map((column) => new ColumnInput(column, changed));
    this.error = element("p", { class: "error", role: "status" });
    const fields = this.inputs.map((input) => input.element);
    const reset = element("button", { type: "button", on: { click: () => this.reset(changed) } }, "Typical values");
    const form = element("form", { class: "form", on: { submit: (event) => event.preventDefault() } }, ...fields);
    this.element = element("div", {}, form, this.error, element("p", {}, reset));
  }

  /** What is sent. @returns {Record<string, Value>} */
  get row() {
    return Object.fromEntries(this.inputs.map((input) => [input.column.name, input.value]));
  }

  /** For the address: what is not as it was. @returns {import("./state.js").Entries} */
  get entries() {
    const others = this.inputs.filter((input) => input.value !== input.initial);
    return others.map((input) => [`row.${input.column.name}`, JSON.stringify(input.value)]);
  }

  /** @param {import("./state.js").Entries} entries */
  show(entries) {
    const known = new Map(entries);
    for (const input of this.inputs) {
      const text = known.get(`row.${input.column.name}`);
      input.value = text === undefined ? input.initial : parsed(text);
    }
  }

  /** @param {Record<string, Value>} row */
  fill(row) {
    for (const input of this.inputs) input.value = row[input.column.name] ?? null;
  }

  /** @param {() => void} changed */
  reset(changed) {
    this.show([]);
    changed();
  }

  /** @param {string | null} message null: nothing is wrong */
  say(message) {
    replace(this.error, message);
  }

  /**
   * @param {string[]} names of columns
   * @param {string} why
   */
  mark(names, why) {
    for (const input of this.inputs) input.mark(names.includes(input.column.name) ? why : null);
  }
}

/** @param {string} text from the address, which anyone may have written @returns {Value} */
function parsed(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" ? null : value;
  } catch {
    return null;
  }
}

class ColumnInput {
  /**
   * @param {Column} column
   * @param {() => void} changed
   */
  constructor(column, changed) {
    this.column = column;
    const id = freshId();
    this.note = element("small", { id: freshId() });
    this.control = controlFor(column, { id, "aria-describedby": this.note.id, on: { input: changed } });
    const label = element("label", { for: id }, isolated(column.name));
    this.element = element("div", { class: "form-field" }, label, this.control, this.note);
    this.value = column.default;
    this.initial = this.value; // as the control has it
  }

  /** @returns {Value} null: it is not known */
  get value() {
    const { control } = this;
    if (control instanceof HTMLInputElement && control.type === "checkbox") return control.checked;
    if (control.value === MISSING) return null;
    if (control.value === OTHER) return otherThan(this.column.options ?? []);
    if (this.column.kind === "number") return Number(control.value);
    return this.column.kind === "boolean" ? control.value === "true" : control.value;
  }

  set value(value) {
    const { control } = this;
    if (control instanceof HTMLInputElement && control.type === "checkbox") {
      control.checked = value === true;
    } else if (this.column.options && this.column.kind !== "boolean" && value !== null) {
      control.value = this.column.options.includes(String(value)) ? String(value) : OTHER;
    } else {
      control.value = value === null ? MISSING : String(value).replace(" ", "T").slice(0, this.length);
    }
  }

  /** Of what the control takes: a date has no time. */
  get length() {
    return this.column.kind === "date" ? (this.column.times ? 16 : 10) : undefined;
  }

  /** @param {string | null} why */
  mark(why) {
    replace(this.note, why);
    this.element.classList.toggle("marked", why !== null);
  }
}

/**
 * @param {Column} column
 * @param {Record<string, any>} attributes
 */
function controlFor(column, attributes) {
  if (column.kind === "number") return element("input", { type: "number", step: "any", ...attributes });
  if (column.kind === "date") {
    return element("input", { type: column.times ? "datetime-local" : "date", ...attributes });
  }
  if (column.kind !== "boolean" && !column.options) return element("input", { type: "text", ...attributes });
  if (column.kind === "boolean" && !column.missing) return element("input", { type: "checkbox", ...attributes });
  return element("select", attributes, ...choices(column).map(([value, text]) => element("option", { value }, text)));
}

/** @param {Column} column @returns {[value: string, text: string][]} */
function choices({ kind, options, missing }) {
  /** @type {[string, string][]} */
  const unknown = missing ? [[MISSING, "(missing)"]] : [];
  if (kind === "boolean") return [["true", "yes"], ["false", "no"], ...unknown];
  return [...(options ?? []).map((text) => /** @type {[string, string]} */ ([text, text])), [OTHER, "(other)"], ...unknown];
}

/** A text that is none of these. @param {string[]} texts */
function otherThan(texts) {
  let text = "other";
  while (texts.includes(text)) text = `(${text})`;
  return text;
}
