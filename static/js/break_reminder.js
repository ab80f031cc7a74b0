// A quiet line after 50 minutes of work without a pause. It stays until it is dismissed, and comes again after as long.
import { activeWithin } from "./activity.js";
import { keep, kept } from "./browser_storage.js";
import { every } from "./item.js";
import { notice } from "./notices.js";
import { sentence } from "./texts.js";

const LONG = 50 * 60_000;
const PAUSE = 5 * 60_000; // without doing anything
const LOOK = 10_000;
const NAME = "work-since"; // {since, last}: times of the stretch of work, for all tabs

function look() {
  if (!activeWithin(LOOK + 1_000)) return;
  const now = Date.now();
  const before = kept(NAME);
  const since = before && now - before.last < PAUSE ? before.since : now;
  keep(NAME, { since, last: now });
  const is = now - since >= LONG;
  const box = document.querySelector("[data-notice=break]");
  if (is && !box) notice("break", sentence("break"), { choices: [["dismiss", () => keep(NAME, { since: now, last: now })]] });
  if (!is) box?.remove();
}

/** Look while the item is on the page whether it is time for a break. */
export function remindOfBreaks() {
  look();
  every(LOOK, look);
}
