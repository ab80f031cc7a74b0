// The page after the last assignment: what was decided there can be taken back too.
import { isTyping } from "./keys.js";
import { offerUndo } from "./undo.js";

const undo = offerUndo();
document.addEventListener("keydown", (event) => {
  const plain = !event.repeat && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
  if (undo && plain && undo.key && event.key === undo.key) undo.go();
});
