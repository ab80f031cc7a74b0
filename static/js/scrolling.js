// Scrolling something into the part of the window that no bar covers.

function stuck(side) {
  const edges = [...document.querySelectorAll(`[data-edge="${side}"]`)];
  return edges.filter((edge) => getComputedStyle(edge).position === "sticky").map((edge) => edge.getBoundingClientRect());
}

const GAP = 12;

/** Bring an element or a range between the bars, moving as little as possible; of what is too tall, its beginning. */
export function reveal(place) {
  const high = Math.max(0, ...stuck("top").map((box) => box.height && box.bottom)) + GAP;
  const low = Math.min(innerHeight, ...stuck("bottom").filter((box) => box.height).map((box) => box.top)) - GAP;
  const { top, bottom } = place.getBoundingClientRect();
  if (top < high || bottom - top > low - high) scrollBy(0, top - high);
  else if (bottom > low) scrollBy(0, bottom - low);
}
