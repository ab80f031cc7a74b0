// Narrows folded groups of entries (what the selector in data-group finds) to those that contain every typed word. The
// field is shown by this script only, because without it everything is listed.
const FEW = 3; // parts of a group; each is a screen of tables

for (const field of document.querySelectorAll("[data-filters]")) {
  const list = document.getElementById(field.dataset.filters);
  const none = document.getElementById(`${list.id}-none`);
  const groups = [...list.querySelectorAll("[data-group]")];
  let before = null; // which groups were open before anything was typed
  field.parentElement.hidden = false;
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    before ??= groups.map((group) => group.open);
    for (const [at, group] of groups.entries()) {
      let found = 0;
      for (const entry of group.querySelectorAll(group.dataset.group || "[data-entry]")) {
        const parts = list.dataset.searched ? entry.querySelectorAll(list.dataset.searched) : [entry];
        const text = Array.from(parts, (part) => part.textContent).join(" ").toLowerCase();
        entry.hidden = !words.every((word) => text.includes(word));
        found += !entry.hidden;
      }
      const parts = [...group.querySelectorAll("[data-part]")];
      const fitting = parts.filter((part) => part.querySelector("[data-entry]:not([hidden])"));
      for (const part of parts) { // of which one at a time is open, unless a search leaves a few
        part.dataset.part ||= part.name;
        part.name = words.length && fitting.length <= FEW ? "" : part.dataset.part;
        part.open = words.length > 0 && (fitting.length <= FEW || part === fitting[0]);
        part.hidden = !fitting.includes(part);
      }
      group.hidden = found === 0;
      group.open = words.length ? true : before[at];
    }
    if (!words.length) before = null;
    none.hidden = groups.some((group) => !group.hidden);
  });
}
