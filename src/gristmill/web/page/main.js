// The page: which model it is, and the view that fits what it takes.

import { getModel } from "./api.js";
import { element, focusOn, isolated, replace } from "./dom.js";
import { modelFacts, subtitle } from "./facts.js";
import { Live } from "./live.js";
import { Notice } from "./notice.js";
import { RowsView } from "./rows.js";
import { SentencesView } from "./sentences.js";
import { readState } from "./state.js";
import { TableView } from "./table.js";
import { TreesView } from "./trees.js";

/** @typedef {import("./api.js").Model} Model */

const VIEWS = { rows: RowsView, trees: TreesView, sentences: SentencesView };

const notice = new Notice(found("notice"));
const opening = new Live(getModel, {
  asking: () => {},
  answered: open,
  failed: refuse,
  waiting: (error) => notice.show(error, () => opening.now()),
});
opening.now();
found("skip").addEventListener("click", skip);

/** @param {Model} model */
function open(model) {
  document.title = `${model.name} – gristmill playground`;
  replace(found("title"), isolated(model.name));
  replace(found("subtitle"), subtitle(model));
  const kind = /** @type {keyof typeof VIEWS | undefined} */ (model.inputs.find((input) => input in VIEWS));
  if (!kind) return refuse(new Error(`There is no field for ${model.inputs.join(" or ")}: ask the JSON API.`), model);
  const view = model.form ? new TableView(model, model.form, notice) : new VIEWS[kind](model, notice);
  replace(found("content"), view.element, modelFacts(model));
  const restore = () => view.restore(readState());
  window.addEventListener("hashchange", restore);
  restore();
}

/**
 * @param {Error} error
 * @param {Model | null} [model]
 */
function refuse(error, model = null) {
  replace(found("content"), element("p", { class: "error", role: "alert" }, error.message), model && modelFacts(model));
}

/** To the content, but not by its address: the fragment holds what was typed. @param {Event} event */
function skip(event) {
  event.preventDefault();
  focusOn(found("content"));
}

/** @param {string} id */
function found(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}
