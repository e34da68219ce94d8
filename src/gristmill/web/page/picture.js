// Pictures that the server draws, as part of the page: they take the colours of the text around them.

const ELEMENTS = new Set(["svg", "title", "desc", "g", "path", "rect", "line", "polyline", "circle", "text", "tspan"]);
const ACTIVE = /^(on|style|.*href)/i; // attributes that could do more than draw

/**
 * The picture, of which only shapes and texts are left; null if it is none.
 *
 * @param {string} source
 */
export function picture(source) {
  const root = new DOMParser().parseFromString(source, "image/svg+xml").documentElement;
  if (root.localName !== "svg") return null;
  for (const part of [root, ...root.querySelectorAll("*")]) clean(part);
  return /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.importNode(root, true)));
}

/** @param {Element} part */
function clean(part) {
  if (!ELEMENTS.has(part.localName)) return part.remove();
  for (const { name } of [...part.attributes]) if (ACTIVE.test(name)) part.removeAttribute(name);
}
