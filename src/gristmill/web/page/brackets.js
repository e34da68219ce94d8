// Where the nodes of a bracketed tree stand in its text, so that parts of it can be left out.

/** @typedef {{ begin: number, end: number, parent: number }} Span of a node; the parent of the root is -1 */

const TOKEN = /[()]|(?:\\[()\s\\]|[^\s()])+/g;

/**
 * Spans of nodes in pre-order; none if brackets do not close.
 *
 * @param {string} text
 * @returns {Span[]}
 */
export function spansOf(text) {
  /** @type {Span[]} */
  const spans = [];
  /** @type {{ node: number, begin: number }[]} */
  const open = []; // brackets; -1: no label yet
  const parent = () => open.findLast((bracket) => bracket.node >= 0)?.node ?? -1;
  for (const { 0: token, index: begin } of text.matchAll(TOKEN)) {
    const top = open.at(-1);
    if (token === "(") open.push({ node: -1, begin });
    else if (token === ")") {
      if (!top) return [];
      open.pop();
      if (top.node >= 0) spans[top.node].end = begin + 1;
    } else {
      const isLabel = top?.node === -1;
      spans.push({ begin: isLabel ? top.begin : begin, end: begin + token.length, parent: parent() });
      if (isLabel) top.node = spans.length - 1;
    }
  }
  return open.length ? [] : spans;
}

/**
 * The text without some of its nodes and what hangs from them.
 *
 * @param {string} text
 * @param {Span[]} spans
 * @param {Set<number>} cut
 */
export function withoutNodes(text, spans, cut) {
  let left = "";
  let from = 0;
  for (const { begin, end } of [...cut].map((node) => spans[node]).sort((a, b) => a.begin - b.begin)) {
    if (begin < from) continue; // inside one that is out already
    left += text.slice(from, begin);
    from = end;
  }
  return left + text.slice(from);
}

/**
 * Nodes that are left, in pre-order.
 *
 * @param {Span[]} spans
 * @param {Set<number>} cut
 */
export function keptNodes(spans, cut) {
  /** @type {boolean[]} */
  const isKept = [];
  spans.forEach(({ parent }, node) => isKept.push(!cut.has(node) && (parent < 0 || isKept[parent])));
  return isKept.flatMap((kept, node) => (kept ? [node] : []));
}
