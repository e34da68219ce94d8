// What is on the page lives in the fragment of its address, which browsers do not send: it can be kept and handed on.

/** @typedef {[key: string, value: string][]} Entries */

const PAUSE = 300; // milliseconds: some browsers refuse more than a hundred addresses in half a minute

let timer = 0;

/** @returns {Entries} */
export function readState() {
  window.clearTimeout(timer);
  return [...new URLSearchParams(location.hash.slice(1))];
}

/** @param {Entries} entries */
export function writeState(entries) {
  const hash = new URLSearchParams(entries).toString();
  window.clearTimeout(timer);
  timer = window.setTimeout(() => history.replaceState(null, "", hash ? `#${hash}` : location.pathname), PAUSE);
}

/**
 * The first value of a key.
 *
 * @param {Entries} entries
 * @param {string} key
 */
export function one(entries, key) {
  return entries.find(([name]) => name === key)?.[1] ?? null;
}

/**
 * @param {Entries} entries
 * @param {string} key
 */
export function all(entries, key) {
  return entries.filter(([name]) => name === key).map(([, value]) => value);
}
