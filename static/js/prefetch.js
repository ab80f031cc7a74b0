// The next item, loaded while this one is worked on: it is on the page as soon as a response is sent, without waiting
// for the reply. Where items are quick the reply to the response before brings it, else a draft. The server holds its
// place for a minute from then; each draft renews it, and a request of its own where none is saved for long.
import { activeWithin } from "./activity.js";
import { every, itemOf, on } from "./item.js";
import { post, token } from "./post.js";

const RENEW = 45_000;
const LOOK = 5_000;

let held = null;
let told = 0; // when the server said last that it is held
let asked = true;
let sending = null;

/** Begin for the item on the page, whose next is not known yet. */
export function startPrefetching(form) {
  held = null;
  asked = !form.dataset.prefetchUrl;
  every(LOOK, () => held && performance.now() - told > RENEW && activeWithin(60_000) && load(form));
  on(window, "pagehide", () => held && letGo(form));
}

/**
 * Load the item after this one, once. Called as soon as the response could be submitted: a change that is to be saved
 * goes in the same request.
 */
export async function prefetch(form, draft) {
  if (asked) return;
  asked = true;
  await sending;
  if (held || !form.isConnected) return;
  if (!(await draft?.saveAndPrefetch())) await load(form);
}

async function load(form) {
  const { prefetchUrl, release } = form.dataset;
  const options = { release, prefetch: heldId() ?? "", signal: AbortSignal.timeout(15_000) };
  told = performance.now();
  await holdFrom(await post(prefetchUrl, new URLSearchParams(), options).catch(() => null), form);
}

/** What a reply says of the next item: it comes with it, is held for longer, or, near the end of a batch, no more. */
export async function holdFrom(reply, form) {
  const item = await itemFrom(reply);
  if (!form.isConnected || !reply?.ok) return;
  const until = reply.headers.get("X-Held-Until");
  if (item || !until) hold(item);
  else if (held) hold({ ...held, until });
}

/** The item that a reply holds, or null. */
export async function itemFrom(reply) {
  const url = reply?.ok ? reply.headers.get("X-Item") : null;
  const source = url && await reply.text().catch(() => null); // a reply can break off
  return source ? { ...itemOf(source, url), until: reply.headers.get("X-Held-Until") } : null;
}

/** Keep an item as the next one; null: there is none. */
export function hold(item) {
  held = item;
  told = performance.now();
}

/** The id of the next item, if it is here. */
export function heldId() {
  return held?.id;
}

/** The next item, if it is here; it is the caller's then. */
export function takeHeld() {
  const item = held;
  held = null;
  return item;
}

/** `until` says which hold ends: not that of the page that a reload brings, should it come first. */
function letGo(form) {
  const fields = new URLSearchParams({ csrfmiddlewaretoken: token(), let_go: held.until ?? "" });
  held = null;
  navigator.sendBeacon(form.dataset.prefetchUrl, fields);
}

/** A response is on its way (a promise that never rejects), while the item after it is on the page already. */
export function nowSending(reply) {
  const own = reply.finally(() => { if (sending === own) sending = null; });
  sending = own;
}

/** A promise until the response before is stored or its item came back; null if none is on its way. */
export function pending() {
  return sending;
}

// Until then the server does not know that the worker has this item: what leads away waits.
addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]:not([href^='#'], [target])");
  if (!sending || !link || event.defaultPrevented) return;
  event.preventDefault();
  sending.then(() => link.click());
});
addEventListener("submit", (event) => {
  const { target, submitter } = event;
  if (!sending || event.defaultPrevented) return;
  event.preventDefault();
  sending.then(() => target.requestSubmit(submitter));
});
