// How long the assignment stays this person's: prolonged once while they are active, said before it ends. The
// server's clock counts; of the browser's clock only differences are used.
import { activeWithin } from "./activity.js";
import { every } from "./item.js";
import { post } from "./post.js";
import { clock, sentence } from "./texts.js";

const WARN = 120_000;

/** Watch the lease of `form` (data-lease-until, data-now, data-lease-seconds, data-extend-url, data-extendable). */
export function watchLease(form, notice) {
  const { leaseUntil, now, leaseSeconds, extendUrl } = form.dataset;
  if (!leaseUntil || !now) return;
  const loaded = performance.now();
  const deadlineOf = (until) => loaded + Date.parse(until) - Date.parse(now);
  let deadline = deadlineOf(leaseUntil);
  let extendable = form.dataset.extendable === "true";
  let shownUntil = leaseUntil;
  let said = ""; // which of the two sentences

  const extend = async () => {
    extendable = false;
    const reply = await post(extendUrl, new URLSearchParams()).catch(() => null);
    if (!reply?.ok) return;
    const { lease_until: until } = await reply.json();
    deadline = deadlineOf(until);
    shownUntil = until;
    const shown = document.querySelector("[data-lease-shown]");
    if (shown) shown.textContent = clock(until).slice(0, 5);
    notice("lease", "");
    said = "";
  };

  const look = () => {
    const left = deadline - performance.now();
    if (extendable && left < leaseSeconds * 200 && activeWithin(60_000)) extend();
    else if (left < WARN && said !== (left > 0 ? "lease-ends" : "lease-over")) {
      said = left > 0 ? "lease-ends" : "lease-over";
      notice("lease", sentence(said, { time: clock(shownUntil).slice(0, 5) }), { tone: "warn" });
    }
  };
  every(5000, look);
}
