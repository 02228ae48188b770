/**
 * Answers the client's first `initialize` before the agent's code is loaded.
 *
 * The agent is loaded when the client sends anything else. So an editor has its answer at once,
 * and an editor that sends nothing else costs little memory. Lines after an answered
 * `initialize` are buffered and given to the agent in their order once it opens `link`. The
 * answered line is not passed on; the agent learns of it from `agentNeeded`.
 */
import { InitializeRequest, type InitializeResponse } from "../acp/index.ts";
import { encodeResult, type Id, readMessage } from "../rpc/index.ts";
import { Fault } from "../schema/index.ts";
import type { Link, LinkCallbacks } from "../wire/index.ts";

/** The client's `initialize` and the response that the client has been sent. */
export interface AnsweredInitialize {
  readonly request: InitializeRequest;
  readonly response: InitializeResponse;
}

export interface EarlyInitialize {
  /** The link to serve the agent on. */
  readonly link: Link;
  /**
   * Resolves when the agent has to be loaded: the client sent more, or closed, or
   * `requestAgent` was called. Undefined: no `initialize` has been answered, the agent
   * answers it. From then on every line is the agent's.
   */
  readonly agentNeeded: Promise<AnsweredInitialize | undefined>;
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
  /** Whether the next line may be answered here: it is the first, and the agent is not needed yet. */
  let mayAnswer = true;
  let answered: AnsweredInitialize | undefined;
  let resolveNeeded: (answered: AnsweredInitialize | undefined) => void = () => {};
  const agentNeeded = new Promise<AnsweredInitialize | undefined>((resolve) => (resolveNeeded = resolve));

  link.open({
    onLine(line) {
      if (agent !== undefined) return agent.onLine(line);
      const initialize = mayAnswer ? readInitialize(line) : undefined;
      mayAnswer = false;
      if (initialize === undefined) return deliver((callbacks) => callbacks.onLine(line));
      const { id, request } = initialize;
      answered = { request, response: respond(request) };
      link.send(encodeResult(id, answered.response));
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
      send: (line) => link.send(line),
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

  /** Passes a call on to the agent. Until the agent has opened the link, buffers it and stops reading. */
  function deliver(call: (agent: LinkCallbacks) => void): void {
    if (agent !== undefined) return call(agent);
    buffered.push(call);
    link.pause();
    requestAgent();
  }

  function requestAgent(): void {
    mayAnswer = false;
    resolveNeeded(answered);
  }

  function connect(callbacks: LinkCallbacks): void {
    for (const call of buffered) call(callbacks);
    buffered = [];
    agent = callbacks;
    if (!isPaused) link.resume();
  }
}

/** Undefined when the line is not a valid `initialize`; the agent answers such a line. */
function readInitialize(line: string): { readonly id: Id; readonly request: InitializeRequest } | undefined {
  const message = readMessage(line);
  if (message.kind !== "request" || message.method !== "initialize") return undefined;
  const request = InitializeRequest.read(message.params);
  return request instanceof Fault ? undefined : { id: message.id, request };
}
