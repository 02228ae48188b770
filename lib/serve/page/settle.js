/**
 * Protects buttons that have just appeared from a click that was meant for something else.
 */

/** Clicks within this time after a question has appeared are ignored. */
export const settleMs = 600;

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
  return () => performance.now() >= shownAtMs + settleMs;
}
