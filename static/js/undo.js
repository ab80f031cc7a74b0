// A decision that was sent can be taken back from the page that comes next: for some seconds the bar says what was
// said, and leads back to it. The tab remembers it; the answer itself is with the server.
import { forgetHere, keepHere, keptHere } from "./browser_storage.js";

const NAME = "said";
const LASTS = 5_000;
const STALE = 60_000; // a page that took longer to come, or another day's tab

/** Remember what was said of the assignment at `url`; `key` is the person's key for undo, "" with keys off. */
export function remember({ url, said, key }) {
  keepHere(NAME, { url, said, key, at: Date.now() });
}

/** Offer the way back to what was said last, once. Returns a function that goes there, or null. */
export function offerUndo() {
  const box = document.getElementById("undo");
  const last = keptHere(NAME);
  forgetHere(NAME);
  if (!box || !last || Date.now() - last.at > STALE || last.url === location.pathname) return null;
  const link = box.querySelector("a");
  const left = box.querySelector("progress");
  link.href = last.url;
  box.querySelector("[data-said]").textContent = last.said;
  for (const hint of box.querySelectorAll("kbd")) hint.hidden = !last.key;
  box.hidden = false;
  let until = 0;
  const run = (now) => {
    until ||= now + LASTS;
    left.value = Math.max(0, until - now) / 1000;
    box.hidden = now >= until;
    if (!box.hidden) requestAnimationFrame(run);
  };
  requestAnimationFrame(run);
  return { key: last.key, go: () => !box.hidden && link.click() };
}
