// The keys that one needs most, in a line that can be folded: the rows of the `?` dialog with words for it (data-short).
import { keep, kept } from "./browser_storage.js";

const NAME = "legend-folded"; // for this browser, whatever the task

/** Fill the legend of the item on the page; rows with the same words, such as next and previous, are one entry. */
export function showLegend() {
  const legend = document.getElementById("legend");
  const [button, line] = legend.children;
  const entries = new Map();
  for (const row of document.querySelectorAll("#keys-box tr[data-short]")) {
    const keys = [...row.querySelector("td").cloneNode(true).childNodes];
    entries.set(row.dataset.short, [...(entries.get(row.dataset.short) ?? []), ...keys, " "]);
  }
  line.replaceChildren(...[...entries].map(([words, keys]) => {
    const entry = document.createElement("span");
    entry.append(...keys, words);
    return entry;
  }));
  const fold = (folded) => {
    button.setAttribute("aria-expanded", String(!folded));
    line.hidden = folded;
  };
  button.addEventListener("click", () => {
    fold(!line.hidden);
    keep(NAME, line.hidden);
  });
  fold(kept(NAME) === true);
}
