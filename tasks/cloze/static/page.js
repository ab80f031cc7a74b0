// The page of a sentence with blanks: Enter goes from blank to blank and then to the decision, which sends the response
// once every blank has a word.
import { startDecisions } from "../../js/decisions.js";
import { showMissing } from "../../js/frame.js";
import { onItem } from "../../js/item.js";
import { bind, typeInto } from "../../js/keys.js";
import { announce, sentence } from "../../js/texts.js";

function start() {
  const form = document.getElementById("work");
  const blanks = [...form.querySelectorAll("[data-blank]")];
  const decision = form.querySelector("input[name=necessary]");
  const empty = () => blanks.filter((blank) => !blank.value.trim());
  const isDecided = () => Boolean(form.querySelector("input[name=necessary]:checked"));

  function tellMissing() {
    const things = empty().map((blank) => ({
      field: blank.name, text: sentence("need-blank", { n: blanks.indexOf(blank) + 1 }),
    }));
    if (!isDecided()) things.push({ field: "necessary", text: sentence("need-necessary") });
    showMissing(things);
  }

  function toFirstEmpty() {
    typeInto(empty()[0] ?? blanks[0]);
  }

  /** To the blank after this one; from the last one to one that was passed over, or to the decision. */
  function goOn(event) {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.isComposing) return;
    const at = blanks.indexOf(event.target);
    if (at < 0) return;
    event.preventDefault();
    (blanks[at + 1] ?? empty()[0] ?? decision).focus();
  }

  // Runs before the frame sends anything: a decision does not pass over empty blanks.
  form.addEventListener("submit", (event) => {
    if (!empty().length) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    announce(sentence("fill-first"));
    toFirstEmpty();
  }, { capture: true });
  form.addEventListener("keydown", goOn);
  startDecisions();
  bind("type", toFirstEmpty);
  for (const kind of ["input", "change", "draft:restore", "draft:load"]) form.addEventListener(kind, tellMissing);
  tellMissing();
}

onItem(start);
