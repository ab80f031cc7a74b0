// Choose all rows of a table, or none where all are chosen; also those of a group.
const ROWS = "tbody input[type=checkbox]";
for (const button of document.querySelectorAll("[data-choose-all]")) {
  button.addEventListener("click", () => {
    const boxes = [...button.form.querySelectorAll(`${ROWS}, [data-choose-group]`)];
    const all = boxes.every((box) => box.checked);
    for (const box of boxes) box.checked = !all;
  });
}
for (const box of document.querySelectorAll("[data-choose-group]")) {
  const rows = [...box.closest("li").querySelectorAll(ROWS)];
  box.addEventListener("change", () => rows.forEach((row) => (row.checked = box.checked)));
  for (const row of rows) row.addEventListener("change", () => (box.checked = rows.every((each) => each.checked)));
}
