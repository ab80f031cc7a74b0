// Choose all rows of a table, or none where all are chosen.
for (const button of document.querySelectorAll("[data-choose-all]")) {
  button.addEventListener("click", () => {
    const boxes = [...button.form.querySelectorAll("tbody input[type=checkbox]")];
    const all = boxes.every((box) => box.checked);
    for (const box of boxes) box.checked = !all;
  });
}
