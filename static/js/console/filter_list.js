// Narrows folded groups of entries to those that contain every typed word. The field is shown by this script only,
// because without it everything is listed.
for (const field of document.querySelectorAll("[data-filters]")) {
  const list = document.getElementById(field.dataset.filters);
  const none = document.getElementById(`${list.id}-none`);
  const groups = [...list.querySelectorAll("[data-group]")];
  field.parentElement.hidden = false;
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const group of groups) {
      let found = 0;
      for (const entry of group.querySelectorAll("[data-entry]")) {
        const text = entry.textContent.toLowerCase();
        entry.hidden = !words.every((word) => text.includes(word));
        found += !entry.hidden;
      }
      group.hidden = found === 0;
      group.open = words.length > 0;
    }
    none.hidden = groups.some((group) => !group.hidden);
  });
}
