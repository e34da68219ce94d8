// A combobox: names of features that begin with what is typed, the most frequent first.

import { getFeatures } from "./api.js";
import { element, freshId, isolated, replace } from "./dom.js";
import { counted } from "./format.js";

const MOST = 12; // names that are offered
const PAUSE = 80;

export class Completion {
  /**
   * @param {HTMLInputElement} input
   * @param {(name: string) => void} chosen
   */
  constructor(input, chosen) {
    this.input = input;
    this.chosen = chosen;
    this.active = -1;
    this.timer = 0;
    this.controller = new AbortController();
    const id = freshId();
    this.list = element("ul", { id, class: "options", role: "listbox", "aria-label": "Known features", hidden: true });
    // a press on an option must not take the focus from the field
    this.list.addEventListener("pointerdown", (event) => event.preventDefault());
    const attributes = { role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": id };
    for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
  }

  options() {
    return [...this.list.children];
  }

  get isOpen() {
    return !this.list.hidden;
  }

  typed() {
    this.stop();
    const prefix = this.input.value.trim().replace(/^"/, "");
    if (!prefix) this.close();
    else this.timer = window.setTimeout(() => this.offer(prefix), PAUSE);
  }

  /** @param {string} prefix */
  async offer(prefix) {
    const { signal } = (this.controller = new AbortController());
    // completion is a kindness: it has no error of its own
    const found = await getFeatures(prefix, MOST, signal).catch(() => []);
    if (signal.aborted) return;
    replace(
      this.list,
      found.map(({ name, support }) => this.option(String(name), support)),
    );
    this.open(found.length > 0);
  }

  /**
   * @param {string} name
   * @param {number} support
   */
  option(name, support) {
    const choose = () => this.choose(name);
    return element(
      "li",
      { id: freshId(), role: "option", "aria-selected": "false", "data-name": name, on: { click: choose } },
      isolated(name),
      element("small", {}, counted(support, "support row")),
    );
  }

  chooseActive() {
    this.choose(this.options()[this.active].getAttribute("data-name") ?? "");
  }

  /** @param {string} name */
  choose(name) {
    this.close();
    this.chosen(name);
  }

  /**
   * Whether the key was for the list.
   *
   * @param {KeyboardEvent} event
   */
  pressed(event) {
    if (!this.isOpen) return false;
    if (event.key === "ArrowDown") this.move(1);
    else if (event.key === "ArrowUp") this.move(-1);
    else if (event.key === "Escape") this.close();
    else if (event.key === "Enter" && this.active >= 0) this.chooseActive();
    else return false;
    event.preventDefault();
    return true;
  }

  /** Round and round; between the last and the first is the field itself. @param {number} step */
  move(step) {
    const places = this.options().length + 1;
    this.active = ((this.active + 1 + step + places) % places) - 1;
    this.options().forEach((option, at) => option.setAttribute("aria-selected", String(at === this.active)));
    const active = this.options()[this.active];
    if (active) {
      this.input.setAttribute("aria-activedescendant", active.id);
      active.scrollIntoView({ block: "nearest" });
    } else this.input.removeAttribute("aria-activedescendant");
  }

  close() {
    this.stop();
    this.open(false);
  }

  stop() {
    window.clearTimeout(this.timer);
    this.controller.abort();
  }

  /** @param {boolean} isOpen */
  open(isOpen) {
    this.active = -1;
    this.list.hidden = !isOpen;
    this.input.setAttribute("aria-expanded", String(isOpen));
    this.input.removeAttribute("aria-activedescendant");
  }
}
