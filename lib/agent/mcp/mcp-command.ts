/**
 * `/mcp`: lists the MCP servers with their state, and what can be done about each: connect
 * again, turn off and on, sign in.
 *
 * Names and errors come from servers and their configuration, so invisible characters are
 * marked, and an address to sign in at is shown only if it is one of the web.
 */
import { oneLine } from "../../display/index.ts";
import type { ElicitationAnswer, ElicitationQuestion, McpControl, McpServerState } from "../../engine/index.ts";
import { markInvisible } from "../../schema/index.ts";
import type { ChoiceQuestion } from "../permissions/choose.ts";
import type { LocalCommand } from "../session/local-commands.ts";

export interface McpCommandOptions {
  readonly isOffered: () => boolean;
  /** Runs something with the control of the running engine. */
  readonly withMcp: <Result>(use: (mcp: McpControl) => Promise<Result>) => Promise<Result>;
  /** Undefined when the user chose nothing. */
  readonly choose: <Value>(question: ChoiceQuestion<Value>, signal: AbortSignal) => Promise<Value | undefined>;
  /** Shows a text at once. */
  readonly say: (text: string) => void;
  /** Opens an address in clients that can; undefined in others. */
  readonly openAddress?:
    | ((question: ElicitationQuestion, signal: AbortSignal) => Promise<ElicitationAnswer>)
    | undefined;
}

const verbs = ["reconnect", "sign-in", "off", "on"] as const;
type Verb = (typeof verbs)[number];

interface McpAction {
  readonly verb: Verb;
  readonly name: string;
  /** The address at which a browser arrived that could not reach this machine. */
  readonly address?: string | undefined;
}

const maxErrorChars = 200;
const maxToolsShown = 12;

export function mcpCommand(options: McpCommandOptions): LocalCommand {
  return {
    name: "mcp",
    description: "List the MCP servers, connect one again, turn it off or on, sign in to it",
    hint: "[reconnect | sign-in | off | on] [server]",
    isOffered: options.isOffered,
    run: (argument, signal) => options.withMcp((mcp) => runMcp(argument, signal, mcp, options)),
  };
}

async function runMcp(
  argument: string,
  signal: AbortSignal,
  mcp: McpControl,
  options: McpCommandOptions,
): Promise<string> {
  const servers = await mcp.servers();
  if (servers.length === 0) return "There are no MCP servers.";
  const named = servers.find(({ name }) => name === argument);
  if (argument !== "" && named === undefined) {
    const action = readAction(argument);
    if (action === undefined) return howToUse(servers);
    if (!servers.some(({ name }) => name === action.name)) {
      return `There is no MCP server ${shown(action.name)}. There is: ${servers.map(({ name }) => shown(name)).join(", ")}.`;
    }
    return perform(action, signal, mcp, options);
  }
  const listed = named === undefined ? servers : [named];
  const troubled = listed.filter(({ status }) => status === "failed" || status === "needs_sign_in");
  const choices = (named === undefined ? troubled : listed).flatMap((server) => actionsFor(server, mcp));
  const text = listed.map((server) => serverLine(server, mcp)).join("\n");
  if (choices.length === 0) return text;
  options.say(text);
  const labelled = choices.map((action) => ({ value: action, label: labels[action.verb](shown(action.name)) }));
  const chosen = await options.choose({ title: "Change an MCP server?", choices: labelled }, signal);
  return chosen === undefined ? "Nothing was changed." : perform(chosen, signal, mcp, options);
}

const labels: { readonly [V in Verb]: (name: string) => string } = {
  "sign-in": (name) => `Sign in to ${name}`,
  reconnect: (name) => `Connect ${name} again`,
  off: (name) => `Turn ${name} off in this project`,
  on: (name) => `Turn ${name} on`,
};

/** `reconnect name`; a name may contain spaces. */
function readAction(argument: string): McpAction | undefined {
  const [, word, rest = ""] = /^(\S+)\s+(\S[\s\S]*)$/.exec(argument) ?? [];
  const verb = verbs.find((one) => one === word);
  if (verb === undefined) return undefined;
  const [, before, address] = (verb === "sign-in" && /^([\s\S]*?)\s+(https?:\/\/\S+)$/.exec(rest)) || [];
  return { verb, name: before ?? rest, address };
}

function actionsFor({ name, status }: McpServerState, mcp: McpControl): readonly McpAction[] {
  const canToggle = mcp.setEnabled !== undefined;
  if (status === "off") return canToggle ? [{ verb: "on", name }] : [];
  return [
    ...(status === "needs_sign_in" && mcp.signIn !== undefined ? [{ verb: "sign-in", name } as const] : []),
    ...(mcp.reconnect === undefined ? [] : [{ verb: "reconnect", name } as const]),
    ...(canToggle ? [{ verb: "off", name } as const] : []),
  ];
}

async function perform(
  { verb, name, address }: McpAction,
  signal: AbortSignal,
  mcp: McpControl,
  options: McpCommandOptions,
): Promise<string> {
  const cannot = "The engine of this session cannot do that.";
  switch (verb) {
    case "reconnect":
      if (mcp.reconnect === undefined) return cannot;
      // A server that cannot be reached is a state of the list, not a failure of the command.
      await mcp.reconnect(name).catch(() => {});
      return stateOf(name, mcp);
    case "on":
    case "off":
      if (mcp.setEnabled === undefined) return cannot;
      await mcp.setEnabled(name, verb === "on");
      return stateOf(name, mcp);
    case "sign-in":
      if (address !== undefined && mcp.finishSignIn !== undefined) {
        await mcp.finishSignIn(name, address);
        return stateOf(name, mcp);
      }
      return signIn(name, signal, mcp, options);
  }
}

async function signIn(
  name: string,
  signal: AbortSignal,
  mcp: McpControl,
  { openAddress }: McpCommandOptions,
): Promise<string> {
  if (mcp.signIn === undefined) return "The engine of this session cannot sign in to MCP servers.";
  const url = await mcp.signIn(name);
  if (url === undefined) return stateOf(name, mcp);
  if (!/^https?:\/\/[^\s<>]+$/.test(url)) return `${shown(name)} gave no web address for the sign-in.`;
  const message = `Sign in to the MCP server ${shown(name)}`;
  const later = `When you have signed in, \`/mcp ${shown(name)}\` shows the server as connected.`;
  if (openAddress !== undefined) {
    const { action } = await openAddress({ kind: "url", message, url, id: undefined }, signal);
    return action === "accept" ? later : "The sign-in was not opened.";
  }
  const paste =
    mcp.finishSignIn === undefined
      ? ""
      : ` If the browser runs on another machine and its last page does not load, send \`/mcp sign-in ${shown(name)} <address of that page>\`.`;
  return `${message}: <${url}>\n\n${later}${paste}`;
}

async function stateOf(name: string, mcp: McpControl): Promise<string> {
  const server = (await mcp.servers()).find((one) => one.name === name);
  return server === undefined ? `${shown(name)} does not exist any more.` : serverLine(server, mcp);
}

function serverLine({ name, status, error, tools }: McpServerState, mcp: McpControl): string {
  const title = `- **${shown(name)}**`;
  switch (status) {
    case "connected":
      return `${title}: connected, ${toolWords(tools)}`;
    case "starting":
      return `${title}: starting`;
    case "needs_sign_in":
      return `${title}: needs you to sign in${hint(mcp.signIn, `/mcp sign-in ${shown(name)}`, "starts it")}`;
    case "failed": {
      const why = error === undefined ? "" : `: ${oneLine(markInvisible(error), maxErrorChars)}`;
      return `${title}: failed${why}${hint(mcp.reconnect, `/mcp reconnect ${shown(name)}`, "tries again")}`;
    }
    case "off":
      return `${title}: off${hint(mcp.setEnabled, `/mcp on ${shown(name)}`, "turns it on")}`;
  }
}

/** What to send, where the engine can do it. */
function hint(means: unknown, command: string, effect: string): string {
  return means === undefined ? "" : `; \`${command}\` ${effect}`;
}

function toolWords(tools: readonly string[]): string {
  if (tools.length === 0) return "no tools";
  const named = tools.slice(0, maxToolsShown).map(shown).join(", ");
  const more = tools.length > maxToolsShown ? ` and ${tools.length - maxToolsShown} more` : "";
  return `${tools.length} ${tools.length === 1 ? "tool" : "tools"}: ${named}${more}`;
}

function howToUse(servers: readonly McpServerState[]): string {
  const [first] = servers;
  const example = first === undefined ? "" : `, for example \`/mcp reconnect ${shown(first.name)}\``;
  return `Use \`/mcp\`, \`/mcp <server>\`, or \`/mcp\` with reconnect, sign-in, off or on and a server${example}.`;
}

function shown(name: string): string {
  return oneLine(markInvisible(name));
}
