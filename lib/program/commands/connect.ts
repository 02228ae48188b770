/**
 * The command `bowline connect`: an agent on stdio that forwards to a remote one.
 */
import { WrongUsage } from "../argv.ts";
import { command } from "../command.ts";
import { connect, readTokenFile } from "../connect/run-connect.ts";
import { readPairs } from "../connect/path-map.ts";
import { printLine } from "../print.ts";

export const connectCommand = command({
  name: "connect",
  summary: "use an agent on another machine as if it were here",
  operands: "<url>",
  operandCount: [1, 1],
  about: [
    "An ACP agent on stdin and stdout that forwards to a remote one over WebSocket: to bowline serve, or to any other server of the protocol. Editors that can only start an agent as a program, such as Zed, Emacs, Neovim and acpx, use this command as their agent.",
    "When the connection is lost, it reconnects and opens the sessions again. On bowline serve a running turn goes on meanwhile, and the editor then gets what it has missed. On any other server, and on one that was restarted, the running turn fails; no prompt is run twice. Files and terminals that the agent asks the editor for are those of this machine. If the project has another path on the server, --map translates; a path outside the map is refused.",
  ],
  options: {
    "--token-file": {
      value: "<file>",
      completes: "file",
      about: "the file that has the token of the server; without it, BOWLINE_TOKEN",
    },
    "--map": {
      value: "</remote=/local>",
      about: "a directory of the server and the same directory here; several are separated by commas",
    },
  },
  environment: { BOWLINE_TOKEN: "the token of the server" },
  exitCodes: {
    1: "the server cannot be used, for example because it refuses the token; stderr says why",
  },
  examples: [
    { line: "bowline connect wss://build.example.org/acp --token-file ~/.bowline-token", about: "behind a TLS proxy" },
    {
      line: "bowline connect ws://localhost:4747/acp --map /srv/project=/home/me/project",
      about: "through an SSH tunnel, with other paths",
    },
  ],
  seeAlso: ["serve", "agent", "docs/remote.md"],
  run: async ({ operands: [address = ""], options }, terminal) => {
    const file = options["--token-file"];
    const url = urlOf(address);
    const token = file === undefined ? terminal.env["BOWLINE_TOKEN"] : readTokenFile(file, "--token-file", terminal);
    if (token === undefined || !/^[\x21-\x7e]+$/.test(token))
      throw new WrongUsage("the token of the server must be in BOWLINE_TOKEN or in the file of --token-file");
    const pairs = options["--map"] === undefined ? [] : readPairs(options["--map"]);
    if (pairs === undefined) throw new WrongUsage("--map must be /remote=/local with absolute paths");
    if (!isPrivate(url))
      printLine(
        terminal.stderr,
        `bowline: ${url.hostname} is reached without TLS: others on the way can read the token and everything that is sent; use wss:// or an SSH tunnel`,
      );
    return connect({ url, token, pairs }, terminal);
  },
});

function urlOf(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^(?:wss?|https?):$/.test(url.protocol))
    throw new WrongUsage("<url> must be an address such as wss://host/acp");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new WrongUsage("<url> must not contain a token: put it into BOWLINE_TOKEN or a file");
  if (url.pathname === "/") url.pathname = "/acp";
  return url;
}

/** Whether nobody between here and the server can read what is sent. */
function isPrivate({ protocol, hostname }: URL): boolean {
  return /^(?:wss|https):$/.test(protocol) || /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
