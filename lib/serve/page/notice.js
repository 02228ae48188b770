/**
 * The notice line above the message field, for the connection state and errors.
 */
import { Refused } from "./api.js";
import { byId } from "./dom.js";

/** Shows a notice; "" hides the line. @param {string} words */
export function tell(words) {
  const notice = byId("notice");
  notice.textContent = words;
  notice.hidden = words === "";
}

/** @param {unknown} cause */
export function tellFailure(cause) {
  tell(cause instanceof Refused ? cause.message : "Something went wrong on this page. Reload it to go on.");
}

/** Shows the error of a failed request and rejects with it. @param {Promise<void>} doing */
export function attempt(doing) {
  return doing.catch((cause) => {
    tellFailure(cause);
    throw cause;
  });
}
