/**
 * Clients for the echo agent (echo-agent.ts), for specs of transports: our own and the
 * official SDK's. Both keep the texts of the agent, allow every permission request, and read
 * files.
 */
import { client as officialApp, type ClientApp } from "@agentclientprotocol/sdk";
import { client, type ClientConnection, type Link } from "../../../lib/index.ts";

export interface EchoClient {
  readonly connection: ClientConnection;
  /** The texts of the agent's messages, in order. */
  readonly texts: readonly string[];
  readonly close: () => Promise<void>;
}

/** `readFile` gives the content of a file that the agent reads: its path by default. */
export async function echoClient(link: Link, readFile = (path: string): string => path): Promise<EchoClient> {
  const texts: string[] = [];
  const connection = await client(link, {
    info: { name: "spec", version: "1" },
    handlers: () => ({
      "session/update": ({ update }) => {
        if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
          texts.push(update.content.text);
      },
      "session/request_permission": () => ({ outcome: { outcome: "selected", optionId: "allow" } }),
      "fs/read_text_file": ({ path }) => ({ content: readFile(path) }),
    }),
  });
  const close = async (): Promise<void> => {
    connection.close("done");
    await connection.settled;
  };
  return { connection, texts, close };
}

/** The official SDK's client, not connected yet. A file's content is its path. */
export function officialEchoClient(): { readonly app: ClientApp; readonly texts: readonly string[] } {
  const texts: string[] = [];
  const app = officialApp()
    .onNotification("session/update", ({ params: { update } }) => {
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
        texts.push(update.content.text);
    })
    .onRequest("session/request_permission", () => ({ outcome: { outcome: "selected", optionId: "allow" } }))
    .onRequest("fs/read_text_file", ({ params }) => ({ content: params.path }));
  return { app, texts };
}
