// The buttons of templates/work/answering/_undo_buttons.html: what they do, and when they can do it.
const UNDO = "undo-answer";
const CLEAR = "clear-answer";

export function bindUndoButtons({ undo, clear }) {
  document.getElementById(UNDO)?.addEventListener("click", undo);
  document.getElementById(CLEAR)?.addEventListener("click", clear);
}

export function showUndoButtons({ undoable, blank }) {
  for (const [id, off] of [[UNDO, !undoable], [CLEAR, blank]]) {
    const button = document.getElementById(id);
    if (button) button.disabled = off;
  }
}
