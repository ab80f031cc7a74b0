// For HTMLQuestions of old MTurk clients: the few functions that the service's own externalHIT_v1.js offered.
"use strict";

function turkGetParam(name, otherwise) {
  const found = new URLSearchParams(location.search).get(name);
  return found === null ? otherwise : found;
}

function turkGetSubmitToHost() {
  return turkGetParam("turkSubmitTo", "").replace(/\/+$/, "");
}

// oxlint-disable-next-line no-unused-vars -- requesters' own pages call it
function turkSetAssignmentID(formId, inputId) {
  const assignment = turkGetParam("assignmentId", "");
  const form = document.getElementById(formId || "mturk_form");
  if (form) form.action = `${turkGetSubmitToHost()}/mturk/externalSubmit`;
  const input = document.getElementById(inputId || "assignmentId");
  if (input) input.value = assignment;
  const button = document.getElementById("submitButton");
  if (!button || (assignment && assignment !== "ASSIGNMENT_ID_NOT_AVAILABLE")) return;
  button.disabled = true;
  if ("value" in button) button.value = "Accept the HIT to submit";
  if (button.tagName === "BUTTON") button.textContent = "Accept the HIT to submit";
}
