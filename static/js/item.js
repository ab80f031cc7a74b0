// The item on the page. A submission is answered with the next one, which takes its place without another load: what
// scripts set up for an item ends with it and is set up again for the next.
const starts = [];
let stay = new AbortController();

/** Run `start` for the item on the page, and for each one that takes its place. */
export function onItem(start) {
  starts.push(start);
  start();
}

/** Listen on what outlives the item (document, window, a dialog) until the item goes. */
export function on(target, kind, run, options = {}) {
  target.addEventListener(kind, run, { ...options, signal: stay.signal });
}

/** Run again and again until the item goes. */
export function every(milliseconds, run) {
  const timer = setInterval(run, milliseconds);
  stay.signal.addEventListener("abort", () => clearInterval(timer));
}

/** Run when the item goes. */
export function atEnd(run) {
  stay.signal.addEventListener("abort", run);
}

/** Show the item of `page` (a Document) at `url` instead of this one. Parts with data-stays remain as they are. */
export function showItem(page, url) {
  if (!starts.length) return location.assign(url);
  stay.abort();
  stay = new AbortController();
  globalThis.CSS?.highlights?.clear();
  const body = document.adoptNode(page.body);
  for (const place of body.querySelectorAll("[data-stays]")) place.replaceWith(document.getElementById(place.id));
  document.body.replaceWith(body);
  document.title = page.title;
  history.pushState({}, "", url);
  scrollTo(0, 0);
  globalThis.htmx?.process(body);
  for (const start of starts) start();
  const heading = document.querySelector("#work h2") ?? document.getElementById("main");
  heading.tabIndex = -1;
  return heading.focus({ preventScroll: true });
}

// Another item's address came back into the bar: its page is asked for, as ever.
addEventListener("popstate", () => location.reload());
