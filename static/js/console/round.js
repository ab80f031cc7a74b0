// The pass mark of a round: drag the line over the histogram, or move the slider under it with the arrow keys.
// What the mark gives is asked of the server once the mark rests (htmx, on the slider's change).

const slider = document.querySelector("[data-mark]");
const chart = document.querySelector(".scores");
const line = chart?.querySelector("[data-line]");

function show() {
  const { left, right } = chart.dataset;
  const x = Number(left) + ((Number(right) - Number(left)) * Number(slider.value)) / 100;
  line.setAttribute("transform", `translate(${x} 0)`);
  line.querySelector("[data-value]").textContent = slider.value;
}

function at(event) {
  const box = chart.getBoundingClientRect();
  const unit = chart.viewBox.baseVal.width / box.width;
  const { left, right } = chart.dataset;
  const share = ((event.clientX - box.left) * unit - Number(left)) / (Number(right) - Number(left));
  return Math.round(100 * Math.min(1, Math.max(0, share)));
}

function put(event) {
  slider.value = at(event);
  show();
}

if (slider && line) {
  slider.addEventListener("input", show);
  chart.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    chart.setPointerCapture(event.pointerId);
    event.preventDefault();
    put(event);
  });
  chart.addEventListener("pointermove", (event) => {
    if (chart.hasPointerCapture(event.pointerId)) put(event);
  });
  chart.addEventListener("pointerup", (event) => {
    put(event);
    slider.focus();
    slider.dispatchEvent(new Event("change", { bubbles: true }));
  });
}
