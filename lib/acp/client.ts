/**
 * Connects an ACP client (the user's side) to one agent over one link.
 *
 * The advertised capabilities are derived from the handlers, so a client never
 * advertises what it does not serve. Connecting sends `initialize`; if the agent answers
 * with another protocol version, connecting fails with -32001 and the link is closed.
 */
import { type Link, type Call, errorCodes, type Handlers, type Router, routeSome, RpcError } from "../rpc/index.ts";
import type {
  AuthCapabilities,
  ClientCapabilities,
  ClientSessionCapabilities,
  ElicitationCapabilities,
  Implementation,
} from "./protocol/capabilities.ts";
import { ClientConnection } from "./client-connection.ts";
import { type ConnectionOptions, type Extensions, withExtensions } from "./connection.ts";
import { missingForElicitation } from "./capability-checks.ts";
import { protocolVersion } from "./protocol/initialize.ts";
import type { Meta } from "./protocol/common.ts";
import { type ClientMethods, clientMethods } from "./protocol/methods.ts";
import type { RequestPermissionResponse } from "./protocol/permission.ts";

type ClientMethodHandlers = Handlers<ClientMethods>;
type RequiredClientMethod = "session/update" | "session/request_permission";
type TerminalMethod = Extract<keyof ClientMethodHandlers, `terminal/${string}`>;
type OptionalClientMethod = Exclude<keyof ClientMethodHandlers, RequiredClientMethod | TerminalMethod>;

/** A client serves either all terminal methods or none. */
type TerminalHandlers = Pick<ClientMethodHandlers, TerminalMethod> | { readonly [M in TerminalMethod]?: undefined };

/** Two handlers are required; each further handler adds the method it is named after. */
export type ClientHandlers = Pick<ClientMethodHandlers, RequiredClientMethod> &
  Partial<Pick<ClientMethodHandlers, OptionalClientMethod>> &
  TerminalHandlers;

export interface ClientDefinition {
  readonly info: Implementation;
  readonly handlers: (agent: ClientConnection) => ClientHandlers;
  /** Which kinds of elicitation the handler supports; both when left out. */
  readonly elicitation?: ElicitationCapabilities | undefined;
  /** Which optional updates the client shows. */
  readonly session?: ClientSessionCapabilities | undefined;
  /** Whether the client can start the agent in a terminal to sign in. */
  readonly auth?: AuthCapabilities | undefined;
  readonly extensions?: ((agent: ClientConnection) => Extensions) | undefined;
  /** Custom capabilities under namespaced keys. */
  readonly _meta?: Meta | undefined;
}

/** Connects a client to the agent on a link; resolves when `initialize` is answered. */
export async function client(
  link: Link,
  definition: ClientDefinition,
  options: ConnectionOptions = {},
): Promise<ClientConnection> {
  let router: Router = { request: () => undefined, notification: () => undefined };
  const connection = new ClientConnection(
    link,
    { request: (method) => router.request(method), notification: (method) => router.notification(method) },
    options,
  );
  const handlers = definition.handlers(connection);
  const capabilities = capabilitiesOf(definition, handlers);
  const table = routeSome(clientMethods, guarded(handlers, capabilities, connection));
  router = withExtensions(table, definition.extensions?.(connection));
  try {
    const response = await connection.call("initialize", {
      protocolVersion,
      clientCapabilities: capabilities,
      clientInfo: definition.info,
    });
    if (response.protocolVersion !== protocolVersion) {
      throw new RpcError(
        errorCodes.unsupportedVersion,
        `the agent speaks version ${response.protocolVersion} of the protocol, this client only ${protocolVersion}`,
        { requested: protocolVersion, answered: response.protocolVersion },
      );
    }
    connection.initialized(response);
    return connection;
  } catch (cause) {
    connection.close(cause instanceof Error ? cause.message : "initialize failed");
    throw cause;
  }
}

function capabilitiesOf(definition: ClientDefinition, handlers: ClientHandlers): ClientCapabilities {
  const elicits = handlers["elicitation/create"] !== undefined;
  return {
    fs: {
      readTextFile: handlers["fs/read_text_file"] !== undefined,
      writeTextFile: handlers["fs/write_text_file"] !== undefined,
    },
    terminal: handlers["terminal/create"] !== undefined,
    session: definition.session,
    auth: definition.auth,
    elicitation: elicits ? (definition.elicitation ?? { form: {}, url: {} }) : undefined,
    _meta: definition._meta,
  };
}

/** Wraps the handlers with checks and rules of the protocol. */
function guarded(
  handlers: ClientHandlers,
  capabilities: ClientCapabilities,
  connection: ClientConnection,
): ClientHandlers {
  const { "session/request_permission": ask, "elicitation/create": elicit } = handlers;
  return {
    ...handlers,
    "session/request_permission": (params, call) => {
      const answer = async (): Promise<RequestPermissionResponse> => ask(params, call);
      return connection.permissions.run(params.sessionId, call, () => unlessAborted(call, answer));
    },
    ...(elicit && {
      "elicitation/create": (params, call: Call) => {
        const missing = missingForElicitation(capabilities, params);
        if (missing === undefined) return elicit(params, call);
        throw new RpcError(errorCodes.invalidParams, `this client did not advertise ${missing}`);
      },
    }),
  };
}

/** Answers an aborted permission request with `cancelled` at once, without waiting for its handler. */
function unlessAborted(
  { signal }: Call,
  answer: () => Promise<RequestPermissionResponse>,
): Promise<RequestPermissionResponse> {
  const aborted = new Promise<RequestPermissionResponse>((resolve) => {
    signal.addEventListener("abort", () => resolve({ outcome: { outcome: "cancelled" } }), { once: true });
  });
  return Promise.race([aborted, answer()]);
}
