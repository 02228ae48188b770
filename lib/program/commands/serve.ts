/**
 * Defines `bowline serve`: sessions over HTTP, and a web page to use them.
 */
import { delimiter, resolve } from "node:path";
import { routes } from "../../agent/index.ts";
import { command } from "../command.ts";
import { readTokenFile } from "../connect/run-connect.ts";
import { serve } from "../serve/run-server.ts";
import { readNumber, WrongUsage } from "../argv.ts";
import { readRoute } from "../route-option.ts";

const defaultPort = 4747;
const maxPort = 65_535;
const mostSessions = 10_000;
const mostConnections = 10_000;
/** Three weeks; a Node timer cannot wait longer than 24 days. */
const maxKeepMinutes = 30_000;

export const serveCommand = command({
  name: "serve",
  summary: "serve Claude or Codex sessions over HTTP, with a web page to use them",
  about: [
    "Serves the Claude Code or Codex CLI of this machine to its own web page, or to a page of yours: clients create sessions and send messages, and receive a stream of packets (server-sent events). Prints the address of the page with the token that every client needs. Editors use the same sessions over the Agent Client Protocol at /acp, through bowline connect. Sessions belong to the server: a client that disconnects ends none of them. Ctrl-C ends the server and everything it started.",
    "The server can be reached from this machine only, unless --host says otherwise. Anyone who has the token can do everything that the CLI can do here: keep it secret, and use a TLS proxy when the server is reachable from other machines. Requests with an unknown Host header, or from a page of another origin, are refused; --allow-host and --allow-origin add exceptions.",
  ],
  options: {
    "--route": {
      value: "<engine>",
      about: "claude, codex, or duet for both (default: claude, or codex if only Codex is installed)",
      completes: [...routes],
    },
    "--agent": {
      value: "<command>",
      isRepeated: true,
      about:
        'another ACP agent that sessions can be opened with, for example --agent "gemini --acp"; may be given several times',
    },
    "--keep": {
      value: "<minutes>",
      about: "how long a session of an ACP client stays open without clients (default 60; 0: until the server ends)",
    },
    "--port": { value: "<port>", about: `the port to listen on (default ${defaultPort}; 0: any free port)` },
    "--host": { value: "<address>", about: "the address to listen on (default 127.0.0.1)" },
    "--token": {
      value: "<token>",
      about:
        "the token to require instead of a random one; other users of the machine may see it in the process list, so prefer BOWLINE_TOKEN",
    },
    "--observer-token-file": {
      value: "<file>",
      completes: "file",
      about: "a file with a second token, whose holders can watch the open sessions and do nothing else",
    },
    "--cwd": {
      value: "<directory>",
      completes: "directory",
      about: "the directory where sessions work (default: this one)",
    },
    "--root": {
      value: "<directories>",
      completes: "directory",
      about: `more directories where sessions may work, separated by "${delimiter}"`,
    },
    "--max-sessions": { value: "<number>", about: "how many sessions may be open at once (default 16)" },
    "--max-connections": { value: "<number>", about: "how many connections may be open at once (default 256)" },
    "--allow-host": { value: "<names>", about: "more host names of the server, separated by commas" },
    "--allow-origin": {
      value: "<origins>",
      about: "origins of other pages that may use the server, separated by commas",
    },
    "--open": { about: "open the page in your browser" },
    "--strict": {
      about:
        "streams have only the packets marked with a star in docs/packets.md, as with bowline packets --strict; a client can choose for itself with ?strict=1 or ?strict=0",
    },
    "--demo": { about: "play the recording of bowline demo in every session; needs no Claude" },
    "--tape": {
      value: "<file>",
      completes: "file",
      about: "play this recording of the CLI in every session instead of starting the CLI",
    },
  },
  environment: {
    BOWLINE_TOKEN: "same as --token",
    BOWLINE_OBSERVER_TOKEN: "the observers' token, instead of --observer-token-file",
    BOWLINE_ROUTE: "same as --route",
    BOWLINE_CLAUDE: "path of the Claude CLI (default: searched on PATH)",
    CODEX_EXECUTABLE: "path of the Codex CLI (default: searched on PATH)",
    BOWLINE_PREWARM: "0: do not start a CLI ahead of the next session",
  },
  exitCodes: {
    1: "the server could not start; stderr says why and what to do next",
    130: "ended by Ctrl-C; no process is left running (129 and 143 for SIGHUP and SIGTERM)",
  },
  examples: [
    { line: "bowline serve", about: "then open the address it prints" },
    { line: "bowline serve --open", about: "opens the page in your browser" },
    { line: "bowline serve --cwd ~/project --port 8080", about: "for one project, on a port of your choice" },
    {
      line: "bowline serve --allow-origin http://localhost:5173",
      about: "for a page of yours that another server serves",
    },
    {
      line: "bowline serve --demo",
      about: "try the page without Claude: send any prompt and answer the permission requests",
    },
  ],
  seeAlso: ["connect", "packets", "doctor", "docs/serve.md"],
  run: async ({ options }, terminal) => {
    const token = options["--token"] ?? (terminal.env["BOWLINE_TOKEN"] || undefined);
    const observerFile = options["--observer-token-file"];
    const observerToken =
      observerFile === undefined
        ? terminal.env["BOWLINE_OBSERVER_TOKEN"] || undefined
        : readTokenFile(observerFile, "--observer-token-file", terminal);
    for (const one of [token, observerToken]) {
      if (one !== undefined && !/^[\x21-\x7e]{16,}$/.test(one))
        throw new WrongUsage("a token must be 16 characters or more, without spaces");
    }
    if (observerToken !== undefined && observerToken === token)
      throw new WrongUsage("the observers' token must not be the owner's");
    const port = portOf(options["--port"]);
    const maxSessions = readNumber("--max-sessions", options["--max-sessions"] ?? "16", 1, mostSessions, "sessions");
    const roots = split(options["--root"], delimiter).map((root) => resolve(root));
    return serve(
      {
        token,
        observerToken,
        route: readRoute(options["--route"], terminal.env),
        agents: (options["--agent"] ?? "").split("\n").filter((line) => line.trim() !== ""),
        keepMs: readNumber("--keep", options["--keep"] ?? "60", 0, maxKeepMinutes, "minutes") * 60_000,
        host: options["--host"] ?? "127.0.0.1",
        port,
        maxSessions,
        maxConnections: readNumber(
          "--max-connections",
          options["--max-connections"] ?? "256",
          1,
          mostConnections,
          "connections",
        ),
        roots: [resolve(options["--cwd"] ?? "."), ...roots],
        names: split(options["--allow-host"], ","),
        origins: split(options["--allow-origin"], ","),
        isStrict: options["--strict"],
        tape: options["--tape"],
        isDemo: options["--demo"],
        opens: options["--open"],
        prewarms: terminal.env["BOWLINE_PREWARM"] !== "0",
      },
      terminal,
    );
  },
});

function portOf(given: string | undefined): number {
  if (given === undefined) return defaultPort;
  if (!/^\d{1,5}$/.test(given) || Number(given) > maxPort) throw new WrongUsage(`--port must be 0 to ${maxPort}`);
  return Number(given);
}

function split(given: string | undefined, separator: string): readonly string[] {
  return (given ?? "").split(separator).flatMap((part) => part.trim() || []);
}
