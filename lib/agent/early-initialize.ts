/**
 * Porch: meets a client before the agent is there.
 *
 * The first line of an editor is `initialize`. It is answered here, and the agent's
 * code is read when something is wanted of it: an editor has its answer at once, and
 * one that asks for no more keeps little in memory. The agent gets that line like all
 * others, in their order, as soon as it is served on the porch's link; what it says to
 * it has been said, and goes nowhere.
 */
import { InitializeRequest, type InitializeResponse } from "../acp/index.ts";
import { encodeResult, readMessage } from "../rpc/index.ts";
import { Fault } from "../schema/index.ts";
import type { Link, LinkCallbacks } from "../wire/index.ts";

export interface EarlyInitialize {
  /** What the agent is to be served on. */
  readonly link: Link;
  /** Resolves when the agent is wanted: the client asks for more, or goes, or somebody rings. */
  readonly agentNeeded: Promise<void>;
  readonly requestAgent: () => void;
}

export function answerInitializeEarly(
  link: Link,
  greet: (request: InitializeRequest) => InitializeResponse,
): EarlyInitialize {
  /** What came before the agent. */
  let waiting: ((callbacks: LinkCallbacks) => void)[] = [];
  let inside: LinkCallbacks | undefined;
  let isPaused = false;
  let isFirst = true;
  /** What has been said in the agent's place. */
  let said: string | undefined;
  let requestAgent: () => void = () => {};
  const agentNeeded = new Promise<void>((resolve) => (requestAgent = resolve));

  link.open({
    onLine(line) {
      if (inside !== undefined) return inside.onLine(line);
      const answer = isFirst ? answerTo(line, greet) : undefined;
      isFirst = false;
      waiting.push((callbacks) => callbacks.onLine(line));
      if (answer === undefined) return want();
      said = answer;
      link.send(answer);
    },
    onFault: (fault) => (inside === undefined ? keep((callbacks) => callbacks.onFault(fault)) : inside.onFault(fault)),
    onDrain: () => inside?.onDrain(),
    onEnd: () => (inside === undefined ? keep((callbacks) => callbacks.onEnd()) : inside.onEnd()),
    onClose: (reason) =>
      inside === undefined ? keep((callbacks) => callbacks.onClose(reason)) : inside.onClose(reason),
  });

  return {
    agentNeeded,
    requestAgent,
    link: {
      open: (callbacks) => queueMicrotask(() => letIn(callbacks)),
      send(line) {
        if (line !== said) return link.send(line);
        said = undefined;
        return true;
      },
      pause() {
        isPaused = true;
        link.pause();
      },
      resume() {
        isPaused = false;
        if (inside !== undefined) link.resume();
      },
      close: (reason) => link.close(reason),
    },
  };

  function keep(tell: (callbacks: LinkCallbacks) => void): void {
    waiting.push(tell);
    want();
  }

  /** No more is read until the agent is there. */
  function want(): void {
    link.pause();
    requestAgent();
  }

  function letIn(callbacks: LinkCallbacks): void {
    for (const tell of waiting) tell(callbacks);
    waiting = [];
    inside = callbacks;
    if (!isPaused) link.resume();
  }
}

/** Undefined where the agent itself has to say what is wrong. */
function answerTo(line: string, greet: (request: InitializeRequest) => InitializeResponse): string | undefined {
  const message = readMessage(line);
  if (message.kind !== "request" || message.method !== "initialize") return undefined;
  const request = InitializeRequest.read(message.params);
  return request instanceof Fault ? undefined : encodeResult(message.id, greet(request));
}
