// Elements from plain calls. Texts become text nodes, never markup: names of features come from anyone.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * An element: null and false are left out, `on` holds listeners, all else are attributes.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "on") listen(made, value);
    else setAttribute(made, key, value);
  }
  made.append(...nodes(children));
  return made;
}

/** A name from anyone, whose direction of writing does not reach what stands around it. @param {string} text */
export function isolated(text) {
  return element("bdi", {}, text);
}

/**
 * @param {Element} target
 * @param {string} name
 * @param {string | number | boolean | null | undefined} value
 */
export function setAttribute(target, name, value) {
  if (value === null || value === undefined || value === false) target.removeAttribute(name);
  else target.setAttribute(name, value === true ? "" : String(value));
}

/**
 * New children in place of the old; the focus stays on what has the same `data-key`.
 *
 * @param {Element} target
 * @param {...(Child | Child[])} children
 */
export function replace(target, ...children) {
  const focused = document.activeElement;
  const key = focused instanceof Element && target.contains(focused) ? focused.getAttribute("data-key") : null;
  target.replaceChildren(...nodes(children));
  if (key !== null) focusOn(target.querySelector(`[data-key="${CSS.escape(key)}"]`));
}

/** @param {Element | null} target */
export function focusOn(target) {
  if (target instanceof HTMLElement || target instanceof SVGElement) target.focus();
}

let last = 0;

/** A name that no other element has. */
export function freshId() {
  last += 1;
  return `e${last}`;
}

/** @param {(Child | Child[])[]} children */
function nodes(children) {
  return /** @type {(Node | string)[]} */ (
    children
      .flat()
      .filter((child) => child !== null && child !== undefined && child !== false)
      .map((child) => (child instanceof Node ? child : String(child)))
  );
}

/**
 * @param {Element} target
 * @param {Record<string, (event: any) => void>} listeners
 */
function listen(target, listeners) {
  for (const [kind, listener] of Object.entries(listeners)) target.addEventListener(kind, listener);
}
