/**
 * Serves an ACP agent to one client over one link.
 *
 * The advertised capabilities are derived from the handlers, so an agent never advertises what
 * it does not serve. Before `initialize`, requests are refused and notifications are ignored.
 * `session/cancel` aborts the signal of the prompt's handler. If the handler then throws, the
 * prompt is answered with the stop reason `cancelled`, unless it threw an error for the client.
 */
import {
  type Call,
  CallFailed,
  errorCodes,
  type Handlers,
  type Link,
  type MethodRoute,
  type Router,
  routeSome,
  RpcError,
} from "../rpc/index.ts";
import { isRecord, unknown } from "../schema/index.ts";
import { AgentConnection } from "./agent-connection.ts";
import type { AgentCapabilities } from "./protocol/capabilities.ts";
import { CallsBySession, type ConnectionOptions, type Extensions, withExtensions } from "./connection.ts";
import { canShow, missingForAuthenticate, missingForPrompt, missingForSessionSetup } from "./capability-checks.ts";
import { type AgentProfile, capabilitiesOf, initializeResponse, type Serves } from "./initialize-response.ts";
import { currentMethod } from "./protocol/legacy.ts";
import { type AgentMethods, agentMethods } from "./protocol/methods.ts";
import type { PromptResponse } from "./protocol/prompt.ts";

type AgentMethodHandlers = Handlers<Omit<AgentMethods, "initialize">>;
type RequiredAgentMethod = "session/new" | "session/prompt";

/** Two handlers are required; each further handler adds the method it is named after. */
export type AgentHandlers = Pick<AgentMethodHandlers, RequiredAgentMethod> &
  Partial<Omit<AgentMethodHandlers, RequiredAgentMethod>>;

export interface AgentDefinition extends AgentProfile {
  readonly handlers: (client: AgentConnection) => AgentHandlers;
  readonly extensions?: ((client: AgentConnection) => Extensions) | undefined;
}

/** Serves an agent on a link until the link closes. */
export function agent(link: Link, definition: AgentDefinition, options: ConnectionOptions = {}): AgentConnection {
  let router: Router = nothing;
  const gated: Router = {
    request: (method) => {
      if (method !== "initialize" && !connection.isInitialized) return uninitialized;
      return router.request(method) ?? router.request(currentMethod(method));
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

const uninitialized: MethodRoute = {
  method: "",
  params: unknown,
  handle: () => {
    throw new RpcError(errorCodes.invalidRequest, "initialize must come first");
  },
};

/** Wraps the handlers with checks and rules of the protocol. */
function guarded(handlers: AgentHandlers, capabilities: AgentCapabilities, connection: AgentConnection): AgentHandlers {
  const prompts = new CallsBySession();
  const { "session/new": open, "session/prompt": prompt, "session/cancel": cancel, "session/close": close } = handlers;
  const { "session/load": load, "session/resume": resume, "session/fork": fork } = handlers;
  const { "session/set_config_option": setConfigOption, authenticate } = handlers;

  /** Refuses what the agent did not advertise, and removes options that the client cannot show. */
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

/** Answers a cancelled turn with a stop reason, unless its handler threw an error for the client. */
async function cancellable(call: Call, turn: () => Promise<PromptResponse>): Promise<PromptResponse> {
  try {
    return await turn();
  } catch (cause) {
    const isForClient = cause instanceof RpcError && !(cause instanceof CallFailed);
    if (!call.isAborted || (isForClient && cause.code !== errorCodes.requestCancelled)) throw cause;
    return { stopReason: "cancelled" };
  }
}

function refuse(missing: string | undefined): void {
  if (missing !== undefined) throw new RpcError(errorCodes.invalidParams, `this agent did not advertise ${missing}`);
}

/** The result without the config options that the client cannot show. */
function showable<R extends object | void>(result: R, { clientCapabilities }: AgentConnection): R {
  if (!isRecord(result) || !Array.isArray(result["configOptions"])) return result;
  return { ...result, configOptions: result["configOptions"].filter((option) => canShow(clientCapabilities, option)) };
}
