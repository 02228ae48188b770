/**
 * The notice line above the message field, for the connection state and errors.
 */
import { Refused } from "./api.js";
import { byId, h } from "./dom.js";

/** Shows a notice; "" hides the line. @param {string} words */
export function tell(words) {
  const notice = byId("notice");
  notice.textContent = words;
  notice.hidden = words === "";
}

/** Shows a notice with a button. @param {string} words @param {string} action @param {() => void} run */
export function tellWith(words, action, run) {
  tell(words);
  const button = h("button", { type: "button" }, action);
  button.onclick = run;
  byId("notice").append(" ", button);
}

/** @param {unknown} cause */
export function tellFailure(cause) {
  tell(cause instanceof Refused ? cause.message : "Something went wrong on this page. Reload it to continue.");
}

/** Shows the error of a failed request and rejects with it. @param {Promise<void>} doing */
export function attempt(doing) {
  return doing.catch((cause) => {
    tellFailure(cause);
    throw cause;
  });
}
