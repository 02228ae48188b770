/**
 * Protects buttons that have just appeared or moved from a click that was meant for something else.
 */

/** Clicks within this time after a question has appeared or moved are ignored. */
export const settleMs = 600;

let movedAtMs = Number.NEGATIVE_INFINITY;

/** Other questions may have moved to where one was that is gone: the second click of a double click is not for them. */
export function questionsMoved() {
  movedAtMs = performance.now();
  const buttons = [...document.querySelectorAll(".answers button:not([aria-disabled])")];
  for (const button of buttons) button.setAttribute("aria-disabled", "true");
  setTimeout(() => {
    for (const button of buttons) button.removeAttribute("aria-disabled");
  }, settleMs);
}

/** Marks the buttons as disabled until the time is over; the returned function says whether it is. @param {HTMLElement} row @param {number} [shownAtMs] */
export function settle(row, shownAtMs = performance.now()) {
  const waitMs = shownAtMs + settleMs - performance.now();
  const buttons = [...row.querySelectorAll("button")];
  if (waitMs > 0) {
    for (const button of buttons) button.setAttribute("aria-disabled", "true");
    setTimeout(() => {
      for (const button of buttons) button.removeAttribute("aria-disabled");
    }, waitMs);
  }
  return () => performance.now() >= Math.max(shownAtMs, movedAtMs) + settleMs;
}
