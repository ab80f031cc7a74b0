// The bridges, one card after another. A judgment that a bridge does not hold ends the check; each can be undone.
import { stageOf } from "./state.js";
import { reveal } from "../../js/scrolling.js";
import { announce, sentence } from "../../js/texts.js";

/** In a paragraph that is longer than its box the first mention comes into sight; the box can then be scrolled by keys. */
function bringMention(box) {
  if (box.scrollHeight <= box.clientHeight + 1) return;
  box.tabIndex = 0;
  const mention = box.querySelector(".passage .hop");
  if (!mention) return;
  const down = mention.getBoundingClientRect().top - box.getBoundingClientRect().top;
  if (down > box.clientHeight * 0.8) box.scrollTop += down - box.clientHeight / 2;
}

export class Bridges {
  /** `changed({by})` is told of each judgment; `by` says whether a person made it now. */
  constructor(root, form, { changed }) {
    Object.assign(this, { root, form, changed, history: [], arrows: false });
    this.cards = [...root.querySelectorAll(".bridge")];
    this.given = this.cards.map((card) => card.querySelector("input:checked")?.value ?? "");
    this.remember();
    root.addEventListener("keydown", (event) => this.onKey(event));
    root.addEventListener("pointerdown", () => { this.arrows = false; });
    root.addEventListener("change", (event) => this.onChange(event));
    root.addEventListener("click", ({ target }) => {
      const again = target.closest("[data-reopen]");
      if (again) this.reopen(Number(again.dataset.reopen));
    });
    for (const button of document.querySelectorAll("[data-undo]")) button.addEventListener("click", () => this.undo());
  }

  get stage() {
    return stageOf(this.given);
  }

  /** What was judged before this page was opened can be undone too, from the last to the first. */
  remember() {
    const judged = this.given.flatMap((judgment, k) => (judgment ? [k] : []));
    this.history = judged.map((k) => this.given.map((judgment, other) => (other < k ? judgment : "")));
  }

  /** In a group of radios arrows only look around; Space or Enter decides. */
  onKey(event) {
    const radio = event.target.closest("input[type=radio]");
    if (!radio) return;
    this.arrows = event.key.startsWith("Arrow");
    if (!["Enter", " "].includes(event.key) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    radio.checked = true;
    this.judge(radio.value, this.numberOf(radio));
  }

  onChange({ target }) {
    if (target.type === "radio" && !this.arrows) this.judge(target.value, this.numberOf(target));
  }

  numberOf(element) {
    return Number(element.closest(".bridge").dataset.bridge);
  }

  /** Judge a bridge, by default the one that is asked about; false where none is. */
  judge(judgment, number = this.stage.name === "judging" ? this.stage.bridge : 0) {
    if (!number || this.cards[number - 1].querySelector("fieldset").disabled) return false;
    this.history.push([...this.given]);
    this.given[number - 1] = judgment;
    if (judgment !== "same") this.given.fill("", number);
    announce(sentence("judged", { number, said: sentence(`said-${judgment}`) }));
    this.show({ byPerson: true });
    return true;
  }

  undo() {
    const before = this.history.pop();
    if (!before) return false;
    this.given = before;
    this.show({ byPerson: true });
    announce(sentence("undone", { number: this.stage.bridge }));
    return true;
  }

  reopen(number) {
    this.history.push([...this.given]);
    this.given[number - 1] = "";
    this.show({ byPerson: true });
  }

  set(given) {
    this.given = [...given];
    this.remember();
    this.show();
  }

  show({ byPerson = false } = {}) {
    const { name, bridge } = this.stage;
    this.root.closest(".compose").dataset.stage = name;
    this.cards.forEach((card, k) => {
      const judgment = this.given[k];
      Object.assign(card.dataset, { given: judgment, state: k + 1 === bridge ? "here" : judgment ? "judged" : "waiting" });
      for (const radio of card.querySelectorAll("input")) radio.checked = radio.value === judgment;
    });
    for (const box of this.cards[bridge - 1]?.querySelectorAll(".source") ?? []) bringMention(box);
    for (const button of document.querySelectorAll("[data-undo]")) button.classList.toggle("off", !this.history.length);
    if (byPerson) this.form.dispatchEvent(new CustomEvent("answer:change"));
    this.changed({ byPerson });
    if (byPerson) this.go();
  }

  /** The eye and the focus go to what is asked now. */
  go() {
    const { name, bridge } = this.stage;
    if (name === "writing") return;
    const place = name === "aside" ? document.getElementById("aside") : this.cards[bridge - 1].querySelector("h2");
    place.focus({ preventScroll: true });
    if (name === "judging") reveal(this.cards[bridge - 1]);
  }
}
