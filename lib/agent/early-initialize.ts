/**
 * Answers the client's first `initialize` before the agent's code is loaded.
 *
 * The agent is loaded when the client sends anything else, so an editor has its answer
 * at once, and an editor that sends nothing else costs little memory. All lines,
 * including `initialize`, are buffered and given to the agent in their order once it
 * opens `link`. The agent's own answer to `initialize` is then dropped, because it has
 * been sent already.
 */
import { InitializeRequest, type InitializeResponse } from "../acp/index.ts";
import { encodeResult, readMessage } from "../rpc/index.ts";
import { Fault } from "../schema/index.ts";
import type { Link, LinkCallbacks } from "../wire/index.ts";

export interface EarlyInitialize {
  /** The link to serve the agent on. */
  readonly link: Link;
  /** Resolves when the agent has to be loaded: the client sent more, or closed, or `requestAgent` was called. */
  readonly agentNeeded: Promise<void>;
  readonly requestAgent: () => void;
}

export function answerInitializeEarly(
  link: Link,
  respond: (request: InitializeRequest) => InitializeResponse,
): EarlyInitialize {
  /** What happened on the link before the agent opened it, as calls to the agent. */
  let buffered: ((agent: LinkCallbacks) => void)[] = [];
  /** Undefined until the agent has opened the link. */
  let agent: LinkCallbacks | undefined;
  let isPaused = false;
  let isFirst = true;
  /** The answer to `initialize`, until the agent has sent the same line. */
  let sentAnswer: string | undefined;
  let requestAgent: () => void = () => {};
  const agentNeeded = new Promise<void>((resolve) => (requestAgent = resolve));

  link.open({
    onLine(line) {
      if (agent !== undefined) return agent.onLine(line);
      const answer = isFirst ? answerTo(line, respond) : undefined;
      isFirst = false;
      buffered.push((callbacks) => callbacks.onLine(line));
      if (answer === undefined) return awaitAgent();
      sentAnswer = answer;
      link.send(answer);
    },
    onFault: (fault) => deliver((callbacks) => callbacks.onFault(fault)),
    onDrain: () => agent?.onDrain(),
    onEnd: () => deliver((callbacks) => callbacks.onEnd()),
    onClose: (reason) => deliver((callbacks) => callbacks.onClose(reason)),
  });

  return {
    agentNeeded,
    requestAgent,
    link: {
      open: (callbacks) => queueMicrotask(() => connect(callbacks)),
      send(line) {
        if (line !== sentAnswer) return link.send(line);
        sentAnswer = undefined;
        return true;
      },
      pause() {
        isPaused = true;
        link.pause();
      },
      resume() {
        isPaused = false;
        if (agent !== undefined) link.resume();
      },
      close: (reason) => link.close(reason),
    },
  };

  function deliver(call: (agent: LinkCallbacks) => void): void {
    if (agent !== undefined) return call(agent);
    buffered.push(call);
    awaitAgent();
  }

  /** Stops reading from the client until the agent has opened the link. */
  function awaitAgent(): void {
    link.pause();
    requestAgent();
  }

  function connect(callbacks: LinkCallbacks): void {
    for (const call of buffered) call(callbacks);
    buffered = [];
    agent = callbacks;
    if (!isPaused) link.resume();
  }
}

/** The response line; undefined when the line is not a valid `initialize`, which the agent then answers. */
function answerTo(line: string, respond: (request: InitializeRequest) => InitializeResponse): string | undefined {
  const message = readMessage(line);
  if (message.kind !== "request" || message.method !== "initialize") return undefined;
  const request = InitializeRequest.read(message.params);
  return request instanceof Fault ? undefined : encodeResult(message.id, respond(request));
}
