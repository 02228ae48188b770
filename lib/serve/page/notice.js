/**
 * Notice: the line above the message field, where the page says how things stand.
 */
import { Refused } from "./api.js";
import { byId } from "./dom.js";

/** Nothing is said with no words. @param {string} words */
export function tell(words) {
  const notice = byId("notice");
  notice.textContent = words;
  notice.hidden = words === "";
}

/** @param {unknown} cause */
export function tellFailure(cause) {
  tell(cause instanceof Refused ? cause.message : "Something went wrong on this page. Reload it to go on.");
}

/** Says why something failed, and fails. @param {Promise<void>} doing */
export function attempt(doing) {
  return doing.catch((cause) => {
    tellFailure(cause);
    throw cause;
  });
}
