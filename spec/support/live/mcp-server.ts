/**
 * An MCP server with a few tools for live tests, over stdio or HTTP.
 *
 * echo returns its text, secret returns an environment variable or a header (so that a
 * test can see that it arrived), picture returns an image, fails fails, ask asks the
 * user for a name. As a program it uses stdio; `mcpOverHttp` serves the same tools in
 * this process.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isObject, textAt, type JsonObject } from "../json.ts";
import { tinyPng } from "./workspace.ts";

/** The command that runs the stdio server, for an ACP `mcpServers` entry or `--mcp-config`. */
export function mcpCommand(): { readonly command: string; readonly args: string[] } {
  const tsx = fileURLToPath(import.meta.resolve("tsx"));
  return { command: process.execPath, args: ["--import", tsx, fileURLToPath(import.meta.url)] };
}

export interface HttpMcp extends AsyncDisposable {
  readonly url: string;
  /** Headers of every request, oldest first. */
  readonly headers: readonly JsonObject[];
}

/**
 * The same tools behind one URL, answered as plain JSON (streamable HTTP without a stream).
 * `needsSignIn`: only with a token that its own authorization server gives for the code `the-code`.
 */
export async function mcpOverHttp({ needsSignIn = false }: { readonly needsSignIn?: boolean } = {}): Promise<HttpMcp> {
  const headers: JsonObject[] = [];
  const server = createServer(async (request, response) => {
    const origin = `http://${request.headers.host}`;
    const path = (request.url ?? "").split("?")[0] ?? "";
    const granted = needsSignIn ? authorization(origin, path) : undefined;
    if (granted !== undefined) {
      return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(granted));
    }
    if (needsSignIn && request.headers.authorization !== "Bearer the-token") {
      const metadata = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource"`;
      return void response.writeHead(401, { "www-authenticate": metadata }).end();
    }
    headers.push({ ...request.headers });
    if (request.method !== "POST") return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding was set
    const message: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const secret = (name: string): string => textAt(request.headers, name.toLowerCase());
    const answer = isObject(message) ? answerTo(message, secret) : undefined;
    if (answer === undefined) return void response.writeHead(202).end();
    return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    headers,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** What the authorization server answers; undefined for a path of the MCP server. */
function authorization(origin: string, path: string): JsonObject | undefined {
  if (path.startsWith("/.well-known/oauth-protected-resource")) {
    return { resource: `${origin}/mcp`, authorization_servers: [origin] };
  }
  if (path.startsWith("/.well-known/oauth-authorization-server")) {
    return {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
    };
  }
  if (path === "/register") {
    return {
      client_id: "the-client",
      redirect_uris: ["http://localhost/callback"],
      token_endpoint_auth_method: "none",
    };
  }
  return path === "/token" ? { access_token: "the-token", token_type: "Bearer", expires_in: 3600 } : undefined;
}

const nameForm = { type: "object", properties: { name: { type: "string", title: "Name" } }, required: ["name"] };
const anything = { type: "object", properties: { text: { type: "string" }, name: { type: "string" } } };

const mcpTools: readonly JsonObject[] = [
  { name: "echo", title: "Echo", description: "Says it back", inputSchema: anything },
  { name: "secret", description: "Tells what it was started with", inputSchema: anything },
  { name: "picture", title: "Draw a picture", description: "Draws", inputSchema: anything },
  { name: "fails", description: "Fails", inputSchema: anything },
  { name: "ask", description: "Asks the user for a name (stdio only)", inputSchema: anything },
];

/** The answer to one message; undefined for a notification. */
function answerTo(message: JsonObject, secret: (name: string) => string): JsonObject | undefined {
  const { id } = message;
  if (id === undefined || typeof message["method"] !== "string") return undefined;
  const reply = (result: JsonObject): JsonObject => ({ jsonrpc: "2.0", id, result });
  switch (message["method"]) {
    case "initialize": {
      const serverInfo = { name: "live", version: "1.0.0" };
      return reply({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo });
    }
    case "tools/list":
      return reply({ tools: mcpTools });
    case "tools/call":
      return reply(resultOf(textAt(message, "params.name"), message, secret));
    case "ping":
      return reply({});
    default:
      return { jsonrpc: "2.0", id, error: { code: -32601, message: "method not found" } };
  }
}

function resultOf(tool: string, message: JsonObject, secret: (name: string) => string): JsonObject {
  const text = (said: string): JsonObject => ({ type: "text", text: said });
  switch (tool) {
    case "echo":
      return { content: [text(textAt(message, "params.arguments.text"))] };
    case "secret":
      return { content: [text(secret(textAt(message, "params.arguments.name")))] };
    case "picture":
      return { content: [text("Here."), { type: "image", data: tinyPng.toString("base64"), mimeType: "image/png" }] };
    default:
      return { isError: true, content: [text("out of order")] };
  }
}

function serveStdio(): void {
  const send = (message: JsonObject): unknown => process.stdout.write(`${JSON.stringify(message)}\n`);
  /** The tool calls that wait for the user, by the id of the question. */
  const asked = new Map<string, unknown>();
  createInterface({ input: process.stdin }).on("line", (line) => {
    const message: unknown = JSON.parse(line);
    if (!isObject(message)) return;
    const question = `ask-${String(message["id"])}`;
    if (textAt(message, "params.name") === "ask" && message["method"] === "tools/call") {
      asked.set(question, message["id"]);
      const params = { message: "Your name?", requestedSchema: nameForm };
      return void send({ jsonrpc: "2.0", id: question, method: "elicitation/create", params });
    }
    const call = asked.get(String(message["id"]));
    if (call !== undefined) {
      const said = `${textAt(message, "result.action")} ${textAt(message, "result.content.name")}`.trim();
      return void send({ jsonrpc: "2.0", id: call, result: { content: [{ type: "text", text: said }] } });
    }
    const answer = answerTo(message, (name) => process.env[name] ?? "");
    if (answer !== undefined) send(answer);
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) serveStdio();
