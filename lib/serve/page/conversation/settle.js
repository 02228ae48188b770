/**
 * Protects buttons that have just appeared or moved from a click that was meant for something else.
 */

/** Clicks within this time after a question has appeared or moved are ignored, and each of them begins the time anew. */
export const settleMs = 600;

let movedAtMs = Number.NEGATIVE_INFINITY;

/** Other questions may have moved to where one was that is gone: the second click of a double click is not for them. */
export function questionsMoved() {
  movedAtMs = performance.now();
  disable([...document.querySelectorAll(".answers button:not([aria-disabled])")], movedAtMs);
}

/** Marks the buttons as disabled until the time is over; the returned function says whether a click counts. @param {HTMLElement} row @param {number} [shownAtMs] */
export function settle(row, shownAtMs = performance.now()) {
  disable([...row.querySelectorAll("button")], shownAtMs);
  return () => {
    const isOver = waitMsAfter(shownAtMs) <= 0;
    // Who clicks without a pause has not read the question.
    if (!isOver) questionsMoved();
    return isOver;
  };
}

/** Marks the buttons as disabled for as long as their clicks are ignored, also when questions move meanwhile. @param {Element[]} buttons @param {number} shownAtMs */
function disable(buttons, shownAtMs) {
  const waitMs = waitMsAfter(shownAtMs);
  for (const button of buttons) {
    if (waitMs > 0) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
  }
  if (waitMs > 0) setTimeout(() => disable(buttons, shownAtMs), waitMs);
}

/** @param {number} shownAtMs */
function waitMsAfter(shownAtMs) {
  return Math.max(shownAtMs, movedAtMs) + settleMs - performance.now();
}
