// Many buttons, one stop of the Tab key: arrows move among them.

import { focusOn } from "./dom.js";

const STEPS = /** @type {Record<string, number>} */ ({ ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 });

/**
 * Let one item be reached by Tab.
 *
 * @param {(HTMLElement | SVGElement)[]} items
 * @param {number} at
 */
export function setStop(items, at) {
  const stop = Math.max(0, Math.min(at, items.length - 1));
  items.forEach((item, place) => item.setAttribute("tabindex", place === stop ? "0" : "-1"));
}

/**
 * Where a key leads from an item; null if it is no such key. Ends are ends.
 *
 * @param {KeyboardEvent} event
 * @param {number} at
 * @param {number} count
 */
function moved(event, at, count) {
  if (event.ctrlKey || event.altKey || event.metaKey) return null;
  if (event.key === "Home") return 0;
  if (event.key === "End") return count - 1;
  const step = STEPS[event.key];
  return step === undefined ? null : Math.max(0, Math.min(at + step, count - 1));
}

/**
 * Arrow keys among the items of a container.
 *
 * @param {HTMLElement} container
 * @param {() => HTMLElement[]} items
 * @param {(at: number) => void} [arrived]
 */
export function rove(container, items, arrived = () => {}) {
  container.addEventListener("keydown", (event) => {
    const list = items();
    const at = list.indexOf(/** @type {HTMLElement} */ (event.target));
    const next = at < 0 ? null : moved(event, at, list.length);
    if (next === null) return;
    event.preventDefault();
    setStop(list, next);
    focusOn(list[next]);
    arrived(next);
  });
}
