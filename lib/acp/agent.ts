/**
 * Agent: the side that works, served to one client over one link.
 *
 * Capabilities are read from the handlers, so an agent never claims what it
 * cannot do. `initialize` comes first and is answered with version 1. A
 * cancelled prompt aborts its handler's signal and is answered `cancelled`.
 */
import {
  type Call,
  CallFailed,
  errorCodes,
  type Handlers,
  type Link,
  type Route,
  type Router,
  routeSome,
  RpcError,
} from "../rpc/index.ts";
import { isRecord, unknown } from "../schema/index.ts";
import { AgentConnection } from "./agent-connection.ts";
import type { AgentCapabilities } from "./capabilities.ts";
import type { ConnectionOptions } from "./connection.ts";
import { type Extensions, withExtensions } from "./extension.ts";
import { canShow, missingForAuthenticate, missingForPrompt, missingForSessionSetup } from "./capability-checks.ts";
import { type AgentProfile, capabilitiesOf, initializeResponse, type Serves } from "./initialize-response.ts";
import { currentMethod } from "./legacy.ts";
import { type AgentMethods, agentMethods } from "./methods.ts";
import type { PromptResponse } from "./prompt.ts";
import { CallsBySession } from "./calls-by-session.ts";

type All = Handlers<Omit<AgentMethods, "initialize">>;
type Baseline = "session/new" | "session/prompt";

/** Two handlers make an agent; each further one adds what it is named after. */
export type AgentHandlers = Pick<All, Baseline> & Partial<Omit<All, Baseline>>;

export interface AgentDefinition extends AgentProfile {
  readonly handlers: (client: AgentConnection) => AgentHandlers;
  readonly extensions?: ((client: AgentConnection) => Extensions) | undefined;
}

/** Serves an agent on a link, from now until it closes. */
export function agent(link: Link, definition: AgentDefinition, options: ConnectionOptions = {}): AgentConnection {
  let router: Router = nothing;
  const gated: Router = {
    request: (method) => {
      if (method !== "initialize" && !connection.isInitialized) return uninitialized;
      return router.request(currentMethod(method));
    },
    notification: (method) => (connection.isInitialized ? router.notification(method) : undefined),
  };
  const connection = new AgentConnection(link, gated, options);
  const handlers = definition.handlers(connection);
  const serves: Serves = (method) => method === "initialize" || handlers[method] !== undefined;
  const table = routeSome(agentMethods, {
    ...guarded(handlers, capabilitiesOf(definition, serves), connection),
    initialize: (request) => {
      const answer = initializeResponse(definition, serves, request);
      connection.initialized(request, answer.authMethods ?? []);
      return answer;
    },
  });
  router = withExtensions(table, definition.extensions?.(connection));
  return connection;
}

const nothing: Router = { request: () => undefined, notification: () => undefined };

const uninitialized: Route = {
  method: "",
  params: unknown,
  handle: () => {
    throw new RpcError(errorCodes.invalidRequest, "initialize must come first");
  },
};

/** The handlers, with the protocol's own rules around them. */
function guarded(handlers: AgentHandlers, capabilities: AgentCapabilities, connection: AgentConnection): AgentHandlers {
  const prompts = new CallsBySession();
  const { "session/new": open, "session/prompt": prompt, "session/cancel": cancel, "session/close": close } = handlers;
  const { "session/load": load, "session/resume": resume, "session/fork": fork } = handlers;
  const { "session/set_config_option": setConfigOption, authenticate } = handlers;

  /** An agent must not drop what it cannot take, and must not send options the client cannot show. */
  function opening<P extends object, R extends object | void>(handle: (params: P, call: Call) => R | Promise<R>) {
    return async (params: P, call: Call): Promise<R> => {
      refuse(missingForSessionSetup(capabilities, params));
      return showable(await handle(params, call), connection);
    };
  }

  return {
    ...handlers,
    ...(authenticate && {
      authenticate: (params, call) => {
        refuse(missingForAuthenticate(connection.authMethods, params.methodId));
        return authenticate(params, call);
      },
    }),
    "session/new": opening(open),
    ...(load && { "session/load": opening(load) }),
    ...(resume && { "session/resume": opening(resume) }),
    ...(fork && { "session/fork": opening(fork) }),
    ...(setConfigOption && {
      "session/set_config_option": async (params, call) => showable(await setConfigOption(params, call), connection),
    }),
    "session/prompt": (params, call) => {
      refuse(missingForPrompt(capabilities, params.prompt));
      return cancellable(call, () => prompts.run(params.sessionId, call, () => prompt(params, call)));
    },
    "session/cancel": (params) => {
      prompts.cancel(params.sessionId);
      return cancel?.(params);
    },
    ...(close && {
      "session/close": (params, call) => {
        prompts.cancel(params.sessionId);
        return close(params, call);
      },
    }),
  };
}

/** A turn that was cancelled ends with a stop reason, whatever its handler threw. */
async function cancellable(call: Call, turn: () => Promise<PromptResponse>): Promise<PromptResponse> {
  try {
    return await turn();
  } catch (cause) {
    const isOurs = cause instanceof RpcError && !(cause instanceof CallFailed);
    const isMeant = isOurs && cause.code !== errorCodes.requestCancelled;
    if (!call.isAborted || isMeant) throw cause;
    return { stopReason: "cancelled" };
  }
}

function refuse(missing: string | undefined): void {
  if (missing !== undefined) throw new RpcError(errorCodes.invalidParams, `this agent did not advertise ${missing}`);
}

/** A result without the options the client did not say it can show. */
function showable<R extends object | void>(result: R, { clientCapabilities }: AgentConnection): R {
  if (!isRecord(result) || !Array.isArray(result["configOptions"])) return result;
  return { ...result, configOptions: result["configOptions"].filter((option) => canShow(clientCapabilities, option)) };
}
