/**
 * The recorded duet of the demo: one question, answered by Claude and then by Codex.
 */
import * as codex from "../../support/live/api/fake-responses-api.ts";
import { answer, call, say } from "../../support/live/api/model-script.ts";
import type { BothScripts } from "../../support/live/with-both-engines.ts";
import type { Workspace } from "../../support/live/workspace.ts";

export const duetPrompt = "[[duet]] Is the retry in src/fetch.js safe?";

const source = `export async function fetchTwice(url, options) {
  try {
    return await fetch(url, options);
  } catch {
    return fetch(url, options);
  }
}
`;

export function prepareDuet(place: Workspace): void {
  place.write("src/fetch.js", source);
}

export function duetScripts(cwd: () => string): BothScripts {
  return {
    claude: {
      duet: [
        () => answer(call("Read", { file_path: `${cwd()}/src/fetch.js` })),
        answer(
          say(
            "Not for every request. A `POST` whose response is lost on the way is sent twice, so an order could be placed twice. Retry only `GET` and `HEAD`, or send an idempotency key.",
          ),
        ),
      ],
    },
    codex: {
      duet: [
        codex.run("grep -rn fetchTwice src"),
        codex.say(
          "I agree with Claude, and I see one more problem: the second `fetch` uses the same body. If `options.body` is a stream, it is used up and the retry fails with a `TypeError`.",
        ),
      ],
    },
  };
}
