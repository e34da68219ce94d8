// What the nodes of a tree add, and its words.

import { barTable, scroll, withRest } from "./bars.js";
import { element, isolated } from "./dom.js";
import { shortened } from "./format.js";
import { ends, scoreName } from "./why.js";

/** @typedef {import("./api.js").ExplainedTree} ExplainedTree */

const SHOWN = 15; // nodes that have a line
const LONGEST = 40; // letters of the words below a node

/** @param {ExplainedTree} explained */
export function explainedNodes(explained) {
  const below = wordsBelow(explained.nodes);
  const nodes = explained.nodes.map((node, at) => ({ ...node, words: below[at] }));
  nodes.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  const each = nodes.map(({ label, words, value }) => ({ name: nodeName(label, words), value }));
  const lines = withRest(each, SHOWN, "node");
  if (explained.words?.length) {
    lines.push({ name: "all words of the tree", value: total(explained.words), isPlain: true });
  }
  const caption = `What each node adds to ${scoreName(explained)}`;
  return scroll(caption, barTable(caption, ["node", "adds"], lines, ends(explained)));
}

/** @param {ExplainedTree} explained */
export function explainedWords(explained) {
  const lines = (explained.words ?? [])
    .filter((word) => word.value !== 0)
    .slice(0, SHOWN)
    .map(({ name, value }) => ({ name: isolated(String(name)), value }));
  const caption = "What words add, wherever they stand";
  return lines.length ? scroll(caption, barTable(caption, ["word", "adds"], lines)) : null;
}

/** @param {{ value: number }[]} parts */
function total(parts) {
  return parts.reduce((sum, part) => sum + part.value, 0);
}

/**
 * @param {string} label
 * @param {string} words
 */
function nodeName(label, words) {
  return [isolated(label), words !== label && element("small", {}, " ", isolated(shortened(words, LONGEST)))];
}

/** The leaves under each node. @param {import("./api.js").TreeNode[]} nodes in pre-order */
function wordsBelow(nodes) {
  const isInner = new Set(nodes.map((node) => node.parent));
  /** @type {string[][]} */
  const words = nodes.map((node, at) => (isInner.has(at) ? [] : [node.label]));
  for (let at = nodes.length - 1; at > 0; at -= 1) words[nodes[at].parent].unshift(...words[at]);
  return words.map((some) => some.join(" "));
}
