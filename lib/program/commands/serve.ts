/**
 * Defines `bowline serve`: Claude sessions over HTTP, and a web page to use them.
 */
import { delimiter, resolve } from "node:path";
import { command } from "../command.ts";
import { serve } from "../serve/run-server.ts";
import { readNumber, WrongUsage } from "../argv.ts";

const defaultPort = 4747;
const maxPort = 65_535;
const mostSessions = 64;

export const serveCommand = command({
  name: "serve",
  summary: "Claude sessions over HTTP, and a web page to use them from",
  about: [
    "Serves the Claude Code CLI of this machine to a browser, or to a page of your own: sessions are created, messages sent, and what happens comes back as a stream of packets (server-sent events). Prints the address of the page, with the token everyone who comes has to bring. Ctrl-C ends it and everything it started.",
    "It listens on this machine alone unless --host says otherwise. Whoever has the token can do what Claude can do here: keep it to yourself, and put a TLS proxy before it when you leave the machine. Requests that come under another name than its own, or from a page of another site, are refused; --allow-host and --allow-origin make exceptions.",
  ],
  options: {
    "--port": { value: "<port>", about: `the port to listen on (${defaultPort}; 0: any that is free)` },
    "--host": { value: "<address>", about: "the address to listen on (127.0.0.1)" },
    "--token": {
      value: "<token>",
      about:
        "the token to ask for instead of a new one; other users of the machine may see it in the process list, so prefer BOWLINE_TOKEN",
    },
    "--cwd": { value: "<directory>", completes: "directory", about: "where sessions work (here)" },
    "--root": {
      value: "<directories>",
      completes: "directory",
      about: `more directories where sessions may work, with "${delimiter}" between them`,
    },
    "--max-sessions": { value: "<number>", about: "how many sessions may be open at once (16)" },
    "--allow-host": { value: "<names>", about: "more names the server is reached by, with commas between them" },
    "--allow-origin": { value: "<origins>", about: "pages of other sites that may use it, with commas between them" },
    "--demo": { about: "play the recording of bowline demo in every session; needs no Claude" },
    "--tape": {
      value: "<file>",
      completes: "file",
      about: "play this recording of the CLI in every session instead of starting it",
    },
  },
  environment: {
    BOWLINE_TOKEN: "as --token",
    BOWLINE_CLAUDE: "the path of the Claude CLI; else it is looked for on PATH",
    BOWLINE_PREWARM: "0: no CLI is started before a session asks for one",
  },
  exitCodes: {
    1: "it could not begin; stderr says why and what to do next",
    130: "ended by Ctrl-C; nothing was left running (129 and 143 for SIGHUP and SIGTERM)",
  },
  examples: [
    { line: "bowline serve", about: "then open the address it prints" },
    { line: "bowline serve --cwd ~/project --port 8080", about: "for one project, on a port of your choice" },
    {
      line: "bowline serve --allow-origin http://localhost:5173",
      about: "for a page of your own that another server serves",
    },
    { line: "bowline serve --demo", about: "see the page without Claude: say anything, and answer what it asks" },
  ],
  seeAlso: ["packets", "doctor", "docs/serve.md"],
  run: async ({ options }, terminal) => {
    const token = options["--token"] ?? (terminal.env["BOWLINE_TOKEN"] || undefined);
    if (token !== undefined && !/^[\x21-\x7e]{16,}$/.test(token))
      throw new WrongUsage("a token must be 16 characters or more, without spaces");
    const port = portOf(options["--port"]);
    const maxSessions = readNumber("--max-sessions", options["--max-sessions"] ?? "16", 1, mostSessions, "sessions");
    const roots = split(options["--root"], delimiter).map((root) => resolve(root));
    return serve(
      {
        token,
        host: options["--host"] ?? "127.0.0.1",
        port,
        maxSessions,
        roots: [resolve(options["--cwd"] ?? "."), ...roots],
        names: split(options["--allow-host"], ","),
        origins: split(options["--allow-origin"], ","),
        tape: options["--tape"],
        isDemo: options["--demo"],
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
