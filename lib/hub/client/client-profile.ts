/**
 * The part of a client's `initialize` request that the hub passes on to the agent.
 *
 * Sessions of clients with the same profile share one connection to the agent, so an
 * agent never sees a file system or a terminal that the client does not have.
 */
import type { ClientCapabilities, InitializeRequest } from "../../acp/index.ts";
import { protocolVersion } from "../../acp/index.ts";

export interface ClientProfile {
  /** Equal for equal profiles. */
  readonly key: string;
  readonly request: InitializeRequest;
}

/** A larger profile, for example one with much `_meta`, is replaced by the smallest. */
const maxKeyChars = 8192;

/** The profile of a client that can do nothing but show updates and answer permission requests. */
export const smallestProfile: ClientProfile = profile({});

export function profileOf({ clientCapabilities = {} }: InitializeRequest): ClientProfile {
  const made = profile(clientCapabilities);
  return made.key.length > maxKeyChars ? smallestProfile : made;
}

function profile(given: ClientCapabilities): ClientProfile {
  const { fs, terminal, session, auth, elicitation, _meta } = given;
  const clientCapabilities = {
    fs: { readTextFile: fs?.readTextFile === true, writeTextFile: fs?.writeTextFile === true },
    terminal: terminal === true,
    ...(session != null && { session }),
    ...(auth !== undefined && { auth }),
    ...(elicitation != null && { elicitation }),
    ...(_meta != null && { _meta }),
  };
  // The agent's client is the hub; the version of the program is of no use to the agent.
  const clientInfo = { name: "bowline-hub", version: "1" };
  return { key: JSON.stringify(clientCapabilities), request: { protocolVersion, clientCapabilities, clientInfo } };
}
