// The requests to the server. No other origin gets requests.

/**
 * @typedef {string | number} Name
 * @typedef {Name[] | Record<string, number>} Row
 * @typedef {{ label: string | null, score: number, value: number | null }} Without
 * @typedef {{ name: Name, value: number, without?: Without }} Part
 * @typedef {{ features: Name[], value: number }} Pair
 * @typedef {{
 *   label: string | null, value?: number | null, scores: Record<string, number>,
 *   probabilities?: Record<string, number>, unknown?: Name[],
 * }} Scored
 * @typedef {{ name: string, before: string, after: string }} Change
 * @typedef {{ said: string, proven: boolean, answers: { label: string | null, changes: Change[] }[] }} Changes
 * @typedef {{ name: string, value: number, shared: string[], others: string[] }} Decider
 * @typedef {{ for: Decider[], against: Decider[] }} Deciders
 * @typedef {Scored & {
 *   output: string, baseline: number, score: number, features: Part[], interactions?: Pair[], changes?: Changes | null,
 *   influence?: Deciders | null,
 * }} ExplainedRow
 * @typedef {{ label: string, parent: number, value: number }} TreeNode
 * @typedef {Scored & {
 *   output: string, baseline: number, score: number, tree: string, nodes: TreeNode[], words?: Part[], svg?: string,
 * }} ExplainedTree
 * @typedef {{
 *   token: number, what: string, label: string, score: number, output: string, baseline: number, features: Part[],
 *   scores?: Record<string, number>, stack?: string[], buffer?: string[], machine?: string, best?: string,
 *   impossible?: string,
 * }} Step
 * @typedef {{
 *   tokens?: string[], tags?: string[] | null, heads?: number[], relations?: string[], words?: string[],
 *   steps: Step[], svg?: string,
 * }} ExplainedSentence
 * @typedef {{ columns: string[], output: string, caption: string, svg: string }} Shape
 * @typedef {string | number | boolean | null} Value
 * @typedef {{
 *   name: string, kind: string, missing: boolean, times: boolean, options: string[] | null, default: Value,
 *   fields: { name: string, bins: string[] }[],
 * }} Column
 * @typedef {{
 *   name: string, version: string, kind: string, inputs: string[], task: string, classes: string[] | null,
 *   outputs: string[], kernel: string, scheme: string, support: number, features: number | null,
 *   named_features: boolean, probabilities: boolean, changes?: boolean, influence?: boolean, columns?: number, values?: boolean, target?: string | null, form?: Column[],
 *   engine: { name: string, exact: boolean, bytes: number, reason: string | null },
 *   limits: Record<string, number>, examples: any[],
 * }} Model
 */

/** What the server refused, in its words; `where` says in which part of the input. */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {{ code: string, message: string, where: string | null }} error
   * @param {number} [wait] seconds after which to try again
   */
  constructor(status, error, wait) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.where = error.where;
    this.wait = wait;
  }
}

/** There was no answer at all: the server has ended, or cannot be reached. */
export class Unreachable extends Error {}

/** @returns {Promise<Model>} */
export function getModel() {
  return request("/api/model", {});
}

/**
 * @param {string} prefix
 * @param {number} limit
 * @param {AbortSignal} signal
 * @returns {Promise<{ name: Name, support: number }[]>}
 */
export async function getFeatures(prefix, limit, signal) {
  const query = new URLSearchParams({ prefix, limit: String(limit) });
  return (await request(`/api/features?${query}`, { signal })).features;
}

/** @returns {Promise<Shape[]>} */
export async function getShapes() {
  return (await request("/api/shapes", {})).results;
}

/**
 * @param {object} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<Scored[]>}
 */
export async function score(body, signal) {
  return (await post("/api/score", body, signal)).results;
}

/**
 * @param {object} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<any[]>}
 */
export async function explain(body, signal) {
  return (await post("/api/explain", body, signal)).results;
}

/**
 * @param {string} path
 * @param {object} body
 * @param {AbortSignal} [signal]
 */
function post(path, body, signal) {
  return request(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });
}

/**
 * @param {string} path
 * @param {RequestInit} options
 */
async function request(path, options) {
  const response = await reached(fetch(path, { ...options, cache: "no-store" }));
  const answer = await reached(response.json());
  if (response.ok) return answer;
  const wait = Number(response.headers.get("Retry-After")) || undefined;
  throw new Refused(response.status, answer.error ?? { code: "unknown", message: response.statusText }, wait);
}

/**
 * @template Value
 * @param {Promise<Value>} coming
 */
async function reached(coming) {
  try {
    return await coming;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Unreachable("The server does not answer.");
  }
}
