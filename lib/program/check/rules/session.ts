/**
 * Rules about opening sessions and setting their modes and options.
 */
import { NewSessionResponse, type SessionConfigOption, SetSessionConfigOptionResponse } from "../../../acp/index.ts";
import { errorCodes } from "../../../rpc/index.ts";
import { codeOf, expect, expectError, expectResult, must, need, type Rule, should } from "../rule.ts";
import { type OpenedSession, type CheckContext, signInNeeded } from "../check-context.ts";
import { faultIn, listOf, recordOf } from "../schema-check.ts";

const setup = "session-setup#creating-a-session";
const directory = "session-setup#working-directory";
const modes = "session-modes#setting-the-current-mode";
const settingOption = "session-config-options#from-the-client";
const unknownId = "bowline-none";

export const session: readonly Rule[] = [
  must("session/new", "answers session/new with a session id", setup, async (context) => {
    const agent = await context.ready();
    const answer = await agent.ask("session/new", { cwd: context.options.cwd, mcpServers: [] });
    need(codeOf(answer) !== errorCodes.authRequired, signInNeeded);
    const result = expectResult(answer, "session/new");
    const { sessionId } = recordOf(result);
    expect(typeof sessionId === "string" && sessionId !== "", "the answer has no sessionId");
    context.sessionIds.add(sessionId);
    const fault = faultIn(NewSessionResponse, result);
    expect(fault === undefined, `in the answer, ${fault}`);
  }),
  must("session/unique-ids", "gives each session an id of its own", "session-setup#session-id", async (context) => {
    const [{ sessionId }, other] = [await context.session(), await context.second()];
    expect(sessionId !== other.sessionId, "two sessions have the same id");
  }),
  should("session/cwd", "refuses a working directory that is not absolute", directory, async (context) =>
    expectError(await openIn(context, { cwd: "here", mcpServers: [] }), "a relative cwd"),
  ),
  should("session/mcp-servers", "refuses mcpServers that are no list", "schema#newsessionrequest", async (context) =>
    expectError(await openIn(context, { cwd: context.options.cwd, mcpServers: "none" }), "mcpServers as a text"),
  ),
  must(
    "session/mcp-stdio",
    "takes an MCP server that speaks over stdio",
    "session-setup#stdio-transport",
    async (context) => {
      await context.second();
      expect(context.mcpFailure === undefined, `with an MCP server, ${context.mcpFailure}`);
    },
  ),
  must("session/unknown", "refuses a prompt for a session that does not exist", "schema#errorcode", async (context) => {
    const { agent } = await context.session();
    const prompt = [{ type: "text", text: context.prompts().short }];
    expectError(await agent.ask("session/prompt", { sessionId: unknownId, prompt }), "a prompt for an unknown session");
  }),
];

export const options: readonly Rule[] = [
  must("options/mode", "is in one of the modes it offers", "session-modes#sessionmodestate", async (context) => {
    const { currentModeId, ids } = await modesOf(context);
    expect(ids.includes(currentModeId), "currentModeId is none of availableModes");
    expect(new Set(ids).size === ids.length, "two modes have the same id");
  }),
  must("options/set-mode", "takes a mode it offers", modes, async (context) => {
    const { agent, sessionId, currentModeId: modeId } = await modesOf(context);
    expectResult(await agent.ask("session/set_mode", { sessionId, modeId }), "an offered mode");
  }),
  should("options/unknown-mode", "refuses a mode it does not offer", modes, async (context) => {
    const { agent, sessionId } = await modesOf(context);
    expectError(await agent.ask("session/set_mode", { sessionId, modeId: unknownId }), "an unknown mode");
  }),
  must(
    "options/default",
    "has each option at one of the values it offers",
    "session-config-options#default-values-and-graceful-degradation",
    async (context) => {
      const { configOptions } = await optionsOf(context);
      for (const option of configOptions) {
        const isOffered = option.type === "boolean" || valuesOf(option).includes(option.currentValue);
        expect(isOffered, `the value of option ${JSON.stringify(option.id)} is none of those it offers`);
      }
      const ids = configOptions.map(({ id }) => id);
      expect(new Set(ids).size === ids.length, "two options have the same id");
    },
  ),
  must(
    "options/no-boolean",
    "offers boolean options only to clients that show them",
    "initialization#boolean-config-options",
    async (context) => {
      const { configOptions } = await optionsOf(context);
      expect(
        configOptions.every(({ type }) => type !== "boolean"),
        "a boolean option was offered",
      );
    },
  ),
  must("options/set", "answers a change of an option with the complete list", settingOption, async (context) => {
    const { agent, sessionId, configOptions } = await optionsOf(context);
    const [first] = configOptions;
    need(first !== undefined, "it offers none");
    const change = { sessionId, configId: first.id, value: first.currentValue };
    const result = expectResult(await agent.ask("session/set_config_option", change), "an offered value");
    const fault = faultIn(SetSessionConfigOptionResponse, result);
    expect(fault === undefined, `in the answer, ${fault}`);
    const { length } = listOf(recordOf(result)["configOptions"]);
    expect(length >= configOptions.length, `the answer has ${length} of ${configOptions.length} options`);
  }),
  should("options/unknown", "refuses an option it does not offer", settingOption, async (context) => {
    const { agent, sessionId } = await optionsOf(context);
    const change = { sessionId, configId: unknownId, value: unknownId };
    expectError(await agent.ask("session/set_config_option", change), "an unknown option");
  }),
];

/** The response to a session/new with these params, after a valid one has succeeded. */
async function openIn(
  context: CheckContext,
  params: Readonly<Record<string, unknown>>,
): ReturnType<OpenedSession["agent"]["ask"]> {
  await context.session();
  return (await context.ready()).ask("session/new", params);
}

async function modesOf(
  context: CheckContext,
): Promise<OpenedSession & { readonly currentModeId: string; readonly ids: readonly string[] }> {
  const opened = await context.session();
  const { modes: offered } = opened.state;
  need(offered != null, "it offers no modes");
  return { ...opened, currentModeId: offered.currentModeId, ids: offered.availableModes.map(({ id }) => id) };
}

async function optionsOf(
  context: CheckContext,
): Promise<OpenedSession & { readonly configOptions: readonly SessionConfigOption[] }> {
  const opened = await context.session();
  const { configOptions } = opened.state;
  need(configOptions != null && configOptions.length > 0, "it offers no options");
  return { ...opened, configOptions };
}

function valuesOf({ options: offered }: Extract<SessionConfigOption, { readonly type: "select" }>): readonly string[] {
  return offered.flatMap((one) => ("group" in one ? one.options.map(({ value }) => value) : [one.value]));
}
