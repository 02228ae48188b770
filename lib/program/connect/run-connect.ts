/**
 * Runs `bowline connect`: an agent on stdio that forwards to a remote one.
 */
import { readFileSync, statSync } from "node:fs";
import { type IncomingHttpHeaders } from "node:http";
import { CookieJar, streamLink, realTimer, webSocketLink } from "../../wire/index.ts";
import { CommandFailure, type ProgramStreams } from "../command.ts";
import { printLine } from "../print.ts";
import { Forwarder, type RemoteLink } from "./forwarder.ts";
import { type PathPair, pathMap } from "./path-map.ts";

export interface ConnectOptions {
  /** With the scheme ws or wss. */
  readonly url: URL;
  readonly token: string;
  readonly pairs: readonly PathPair[];
}

const firstRetryMs = 250;
const maxRetryMs = 15_000;

/** Resolves with the exit code. */
export async function connect({ url, token, pairs }: ConnectOptions, terminal: ProgramStreams): Promise<number> {
  const cookies = new CookieJar();
  const forwarder = new Forwarder({
    editor: streamLink({ input: terminal.stdin, output: terminal.stdout }),
    paths: pathMap(pairs),
    connect: () => remoteLink(url, token, cookies),
    after: realTimer,
    retryMs: (n) => Math.min(maxRetryMs, firstRetryMs * 2 ** n) * (0.5 + Math.random() / 2),
    onNotice: (sentence) => void printLine(terminal.stderr, `bowline: ${url.host}: ${sentence}`),
  });
  const why = await forwarder.closed;
  if (why !== undefined) throw new CommandFailure(why);
  return 0;
}

/** Reads the token from its file, without the line break that editors add. Warns when other users can read it too. */
export function readTokenFile(path: string, option: string, { stderr }: Pick<ProgramStreams, "stderr">): string {
  try {
    const token = readFileSync(path, "utf8").trim();
    if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0)
      printLine(stderr, `bowline: other users can read or change the file of ${option}: chmod 600 it`);
    return token;
  } catch {
    throw new CommandFailure(`the file of ${option} cannot be read: check its path and permissions`);
  }
}

function remoteLink(url: URL, token: string, cookies: CookieJar): RemoteLink {
  let status: number | undefined;
  const onResponse = (response: {
    readonly statusCode?: number | undefined;
    readonly headers: IncomingHttpHeaders;
  }): void => {
    status = response.statusCode;
    cookies.store(response.headers["set-cookie"]);
  };
  const cookie = cookies.header();
  const headers = { authorization: `Bearer ${token}`, ...(cookie !== undefined && { cookie }) };
  const link = webSocketLink(url, { headers, onResponse });
  return { link, refusal: () => refusals.get(status ?? 0) };
}

/** Responses after which another try is of no use. */
const refusals: ReadonlyMap<number, string> = new Map([
  [401, "the server does not accept the token: check BOWLINE_TOKEN or --token-file"],
  [403, "the server refuses this address: start it with --allow-host and the name in the address"],
  [404, "there is no ACP server at this address: its path is usually /acp"],
  [426, "the server does not speak WebSocket here"],
]);
