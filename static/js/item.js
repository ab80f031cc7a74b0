// The item on the page. A submission is answered with the next one, which takes its place without another load: what
// scripts set up for an item ends with it and is set up again for the next.
const starts = [];
let stay = new AbortController();
let onShow = item(document.cloneNode(true), location.pathname);

function item(page, url) {
  return { page, url, id: page.getElementById("work")?.dataset.assignment, since: performance.now() };
}

/** An item as the server sent it, ready to be shown. */
export function itemOf(source, url) {
  const sent = item(new DOMParser().parseFromString(source, "text/html"), url);
  return { ...sent, body: document.importNode(sent.page.body, true) };
}

/** The item on the page, as it came; it can be shown once more. */
export function itemOnShow() {
  return onShow;
}

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

/** Show an item instead of this one. Parts with data-stays remain as they are. `again`: it was here before. */
export function showItem(item, { again = false } = {}) {
  const { page, url } = item;
  if (!starts.length) return location.assign(url);
  stay.abort();
  const body = item.body ?? document.importNode(page.body, true);
  countOn(body, { since: item.since, again });
  onShow = { ...item, body: null, since: performance.now() };
  stay = new AbortController();
  globalThis.CSS?.highlights?.clear();
  for (const place of body.querySelectorAll("[data-stays]")) place.replaceWith(document.getElementById(place.id));
  document.body.replaceWith(body);
  document.title = page.title;
  if (again) history.replaceState({}, "", url);
  else history.pushState({}, "", url);
  scrollTo(0, 0);
  globalThis.htmx?.process(body);
  for (const start of starts) start();
  const heading = document.querySelector("#work h2") ?? document.getElementById("main");
  heading.tabIndex = -1;
  return heading.focus({ preventScroll: true });
}

/** The time for an item that was loaded ahead begins now; for one that comes back it went on. */
function countOn(body, { since, again }) {
  const passed = performance.now() - since;
  const later = (time) => new Date(Date.parse(time) + passed).toISOString();
  const { dataset } = body.querySelector("#work");
  if (!dataset.leaseUntil) return;
  dataset.now = later(dataset.now);
  if (again) return;
  dataset.leaseUntil = later(dataset.leaseUntil);
  for (const time of body.querySelectorAll("[data-lease-shown]")) time.dateTime = later(time.dateTime);
}

// Another item's address came back into the bar: its page is asked for, as ever.
addEventListener("popstate", () => location.reload());
