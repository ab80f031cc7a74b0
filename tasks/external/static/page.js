// A HIT of another program. A form says what is missing; a frame is watched for the moment when its answer is stored.
import { showMissing, startFrame } from "../../js/frame.js";
import { sameFields } from "../../js/same_fields.js";
import { sentence } from "../../js/texts.js";

const EVERY = 5_000; // between looks, while the page is seen
const MOST_NAMED = 6;
const form = document.getElementById("work");
const stranger = document.querySelector("[data-stranger]");
const questions = [...document.querySelectorAll("[data-question]")];

/* a form */

function isGiven(question) {
  const fields = [...question.querySelectorAll("input, select, textarea")];
  return fields.some((field) => (/radio|checkbox/.test(field.type) ? field.checked : field.value.trim()));
}

function refresh() {
  const open = questions.filter((question) => "required" in question.dataset && !isGiven(question));
  const things = open.map((question) => ({
    field: question.id.slice("control-".length),
    text: sentence("missing-question", { number: questions.indexOf(question) + 1 }),
  }));
  showMissing(things.slice(0, MOST_NAMED));
}

function write(fields) {
  for (const field of form.querySelectorAll("[name^=q]")) {
    const values = fields[field.name] ?? [];
    if (/radio|checkbox/.test(field.type)) field.checked = values.includes(field.value);
    else field.value = values[0] ?? "";
  }
  refresh();
}

function paired(fields) {
  return new URLSearchParams(Object.entries(fields).flatMap(([name, values]) => values.map((value) => [name, value])));
}

function grouped(pairs) {
  const fields = {};
  for (const [name, value] of pairs) (fields[name] ??= []).push(value);
  return fields;
}

/* what was just submitted leads on to the next one, where the worker wants that */

const JUST = `submitted:${form.dataset.assignment}`;

function note() {
  sessionStorage.setItem(JUST, "1");
}

function goOn() {
  const next = document.getElementById("go-to-next");
  const just = sessionStorage.getItem(JUST);
  sessionStorage.removeItem(JUST);
  if (next && just && document.querySelector("[data-hit][data-automatic]")) next.requestSubmit();
}

/* a frame */

let looking = false;
async function look() {
  if (looking || document.hidden) return;
  looking = true;
  try {
    const reply = await fetch(stranger.dataset.stateUrl, { headers: { Accept: "application/json" } });
    if (reply.ok && (await reply.json()).state === "submitted") {
      note();
      return location.reload();
    }
  } catch {
    // The network is away: the next look, or the link below the frame, finds out.
  }
  looking = false;
  return undefined;
}

function watch() {
  const frame = stranger.querySelector("iframe");
  if (!frame || !stranger.dataset.stateUrl) return;
  frame.addEventListener("load", look);
  document.addEventListener("visibilitychange", look);
  setInterval(look, EVERY);
}

if (questions.length && form.dataset.draftUrl) {
  form.addEventListener("input", refresh);
  form.addEventListener("change", refresh);
  form.addEventListener("draft:restore", ({ detail }) => write(grouped(detail.fields)));
  form.addEventListener("draft:load", ({ detail }) => write(detail.draft.fields));
  refresh();
}
startFrame({ alike: sameFields, fieldsOf: (stored) => paired(stored.fields) });
if (stranger) watch();
form.addEventListener("work:sent", note);
goOn();
