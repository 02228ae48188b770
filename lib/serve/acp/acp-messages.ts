/**
 * The rules that ACP's remote transports add to a link: no batches, `initialize` first
 * and once.
 *
 * Looks into a message only where a rule needs it. Answers what breaks a rule itself, so
 * that the agent behind the link never sees it.
 */
import type { Link, LinkCallbacks } from "../../wire/index.ts";
import { parseJson } from "../../wire/index.ts";
import { isRecord } from "../../schema/index.ts";
import { errorCodes } from "../../rpc/index.ts";

export interface AcpMessageRules {
  /** The first message is no `initialize` request. */
  readonly onWrongStart: (reason: string) => void;
  /** Called once when the link has closed, after the agent was notified. */
  readonly onClosed: () => void;
}

/** The line that answers what is no single message. */
export const batchRefusal: string = refusal(null, "JSON-RPC batches are not supported");

/** Wraps the link of a client. */
export function withAcpRules(link: Link, { onWrongStart, onClosed }: AcpMessageRules): Link {
  let isInitialized = false;
  const checked = (line: string, { onLine }: LinkCallbacks): void => {
    if (line.trimStart().startsWith("[")) return void link.send(batchRefusal);
    if (isInitialized) {
      const again = initializeOf(line);
      if (again === undefined) return onLine(line);
      return void link.send(refusal(again.id, "initialize is allowed once for each connection"));
    }
    const message = initializeOf(line);
    if (message?.id === undefined || message.id === null) {
      // What is no message at all is answered by the agent's side, and the client may try again.
      if (parseJson(line) === undefined) return onLine(line);
      return onWrongStart("the first message must be an initialize request");
    }
    isInitialized = true;
    onLine(line);
  };
  return {
    ...link,
    open: (callbacks) =>
      link.open({
        ...callbacks,
        onLine: (line) => checked(line, callbacks),
        onClose: (reason) => {
          callbacks.onClose(reason);
          onClosed();
        },
      }),
  };
}

/** The message when it is `initialize`, by a text search first: most messages are not. */
function initializeOf(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.includes('"initialize"')) return undefined;
  const message = parseJson(line);
  return isRecord(message) && message["method"] === "initialize" ? message : undefined;
}

function refusal(id: unknown, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error: { code: errorCodes.invalidRequest, message } });
}
