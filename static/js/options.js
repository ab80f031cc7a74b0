// Controls of the answer page beside the text: options to choose from and radio buttons.

/** On a phone the options unfold when they are wanted, and leave the room to the text. */
export function bindOptions() {
  const button = document.getElementById("fold-options");
  if (!button) return;
  const show = (open) => button.setAttribute("aria-expanded", String(open));
  button.addEventListener("click", () => show(button.getAttribute("aria-expanded") !== "true"));
  button.nextElementSibling.addEventListener("click", ({ target, detail }) => {
    if (detail && target.closest(".choice")) setTimeout(() => show(false)); // by hand; arrow keys walk on
  });
}

/** The chosen option in the folded line. */
export function showOption(form) {
  const button = document.getElementById("fold-options");
  if (!button) return;
  const chosen = form.querySelector("input[name=option]:checked");
  const text = chosen ? chosen.closest("label").querySelector("[dir]").textContent : button.dataset.empty;
  button.querySelector("[data-chosen]").textContent = text;
}

/** Choose the option with that number, from 1; false if there is none. */
export function chooseOption(form, number) {
  const option = form.querySelectorAll("input[name=option]")[number - 1];
  if (!option || option.disabled) return false;
  option.click();
  return true;
}

/** Choose a radio button by its value; false if there is none. */
export function chooseRadio(form, name, value) {
  const radio = form.querySelector(`input[name=${name}][value=${value}]`);
  if (!radio || radio.disabled) return false;
  radio.click();
  return true;
}
