// The answer is stored with us: the form tells the marketplace, once.
const form = document.getElementById("leave");
let sent = false;

form.addEventListener("submit", (event) => {
  if (sent) event.preventDefault();
  sent = true;
  form.querySelector("button").setAttribute("aria-disabled", "true");
});
addEventListener("pageshow", (event) => { if (event.persisted) sent = false; });
form.requestSubmit();
