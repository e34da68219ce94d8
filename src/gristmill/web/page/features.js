// Features: how they are typed, kept in the address, and sent.

/**
 * One feature of the row; `value` is null where it is just there.
 *
 * @typedef {{ name: string, value: number | null, on: boolean }} Feature
 */

const QUOTED_OR_BARE = /"((?:[^"]|"")*)"?|[^\s,"][^\s,]*/g;
const WITH_VALUE = /^(.+)=([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)$/is;
const NUMBERED = /^(\d+)[=:]([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)$/i;

/**
 * The words of what was typed or pasted: separated by commas or blanks, but for what stands in double quotes.
 *
 * @param {string} text
 */
export function wordsOf(text) {
  return [...text.matchAll(QUOTED_OR_BARE)]
    .map(([word, quoted]) => ({ text: quoted?.replaceAll('""', '"') ?? word, isQuoted: quoted !== undefined }))
    .filter((word) => word.text !== "");
}

/**
 * What stands between commas, as it was typed; commas in double quotes separate nothing.
 *
 * @param {string} text
 */
export function partsOf(text) {
  return (text.match(/(?:"(?:[^"]|"")*"?|[^,"])+/g) ?? []).map((part) => part.trim()).filter((part) => part !== "");
}

/**
 * Where words of a text may end: at each blank that no quotes are around.
 *
 * @param {string} text
 */
export function blanksOf(text) {
  return [...text.matchAll(/\s+/g)].map(({ index }) => index).filter((at) => !isUnfinishedQuote(text.slice(0, at)));
}

/** @param {string} text */
export function isUnfinishedQuote(text) {
  return text.split('"').length % 2 === 0;
}

/**
 * `name=2.5` as a feature with a value, or null.
 *
 * @param {string} word
 * @param {boolean} isNamed whether features have names; if not, `7:2.5` is one as well
 * @returns {Feature | null}
 */
export function valued(word, isNamed) {
  const found = (isNamed ? WITH_VALUE : NUMBERED).exec(word);
  return found ? { name: found[1], value: asValue(Number(found[2])), on: true } : null;
}

/** @param {string} name @returns {Feature} */
export function present(name) {
  return { name, value: null, on: true };
}

/** @param {Feature} feature */
export function title(feature) {
  return feature.value === null ? feature.name : `${feature.name} = ${feature.value}`;
}

/**
 * The row that is sent: those that are on.
 *
 * @param {Feature[]} features
 * @param {boolean} isNamed whether features have names; if not, they are numbers
 * @returns {import("./api.js").Row}
 */
export function rowOf(features, isNamed) {
  const there = features.filter((feature) => feature.on);
  const sent = (/** @type {string} */ name) => (!isNamed && /^\d{1,15}$/.test(name) ? Number(name) : name);
  if (there.every((feature) => feature.value === null)) return there.map((feature) => sent(feature.name));
  return Object.fromEntries(there.map((feature) => [feature.name, feature.value ?? 1]));
}

/** @param {import("./api.js").Row} row @returns {Feature[]} */
export function featuresOf(row) {
  if (Array.isArray(row)) return row.map((name) => present(String(name)));
  return Object.entries(row).map(([name, value]) => ({ name, value: asValue(value), on: true }));
}

/** @param {Feature[]} features @returns {import("./state.js").Entries} */
export function asEntries(features) {
  return features.map(({ name, value, on }) => [`${on ? "on" : "off"}${value === null ? "" : `:${value}`}`, name]);
}

/** @param {import("./state.js").Entries} entries @returns {Feature[]} */
export function fromEntries(entries) {
  return entries.flatMap(([key, name]) => {
    const [, state, , value] = /^(on|off)(:(.+))?$/.exec(key) ?? [];
    if (!state || (value !== undefined && !Number.isFinite(Number(value)))) return [];
    return [{ name, value: value === undefined ? null : asValue(Number(value)), on: state === "on" }];
  });
}

/** @param {number} value */
function asValue(value) {
  return value === 1 ? null : value;
}
