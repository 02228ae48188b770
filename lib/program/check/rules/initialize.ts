/**
 * Rules about `initialize`: versions, capabilities and authentication methods.
 */
import { AuthMethod, InitializeResponse } from "../../../acp/index.ts";
import { errorCodes } from "../../../rpc/index.ts";
import { expect, expectError, expectResult, must, need, type Rule, should } from "../rule.ts";
import type { CheckContext } from "../check-context.ts";
import { faultIn, listOf, recordOf } from "../schema-check.ts";

const page = "initialization";
const negotiation = "initialization#version-negotiation";
const methodTypes = "authentication#authentication-method-types";
const farVersion = 65_535;

export const initialize: readonly Rule[] = [
  must("initialize/answers", "answers initialize with a result", page, async (context) => {
    expectResult(await context.initializeResponse(), "initialize");
  }),
  must("initialize/shape", "answers initialize as the schema has it", "schema#initializeresponse", async (context) => {
    const fault = faultIn(InitializeResponse, await initializeResult(context));
    expect(fault === undefined, `in the answer, ${fault}`);
  }),
  must("initialize/version", "answers version 1 with version 1", negotiation, async (context) => {
    const { protocolVersion } = recordOf(await initializeResult(context));
    expect(protocolVersion === 1, `the answer was version ${JSON.stringify(protocolVersion)}`);
  }),
  must(
    "initialize/other-version",
    "answers a version it does not speak with the latest it does",
    negotiation,
    async (context) => {
      const answer = await context.alone((agent) => context.initialize(agent, farVersion));
      const { protocolVersion: given } = recordOf(expectResult(answer, `version ${farVersion}`));
      expect(Number.isInteger(given) && given !== farVersion, `the answer was version ${JSON.stringify(given)}`);
    },
  ),
  should(
    "initialize/version-kind",
    "refuses a version that is not an integer",
    "initialization#protocol-version",
    async (context) =>
      expectError(
        await context.alone((agent) => context.initialize(agent, "one")),
        "a version in words",
        errorCodes.invalidParams,
      ),
  ),
  should("initialize/first", "refuses session/new before initialize", page, async (context) => {
    const params = { cwd: context.options.cwd, mcpServers: [] };
    const answer = await context.alone((agent) => agent.ask("session/new", params));
    expectError(answer, "session/new before initialize");
  }),
  should("initialize/silent", "says nothing before it has answered initialize", page, async (context) => {
    const agent = await context.ready();
    const first = context.log.agentRows.find(({ run }) => run === agent.run);
    expect(first?.message.kind === "response", "its first line was no answer");
  }),
  should("initialize/again", "goes on after a second initialize", page, async (context) => {
    await context.alone(async (agent) => {
      await context.initialize(agent);
      await context.initialize(agent);
      await agent.settle();
    });
  }),
  should(
    "initialize/agent-info",
    "says its name and version",
    "initialization#implementation-information",
    async (context) => {
      const { name, version } = recordOf(recordOf(await initializeResult(context))["agentInfo"]);
      expect(Boolean(name) && Boolean(version), "agentInfo has no name or no version");
    },
  ),
  must(
    "initialize/auth-methods",
    "gives each way to sign in an id of its own and a name",
    methodTypes,
    async (context) => {
      const methods = await authMethods(context);
      for (const method of methods) {
        const fault = faultIn(AuthMethod, method);
        expect(fault === undefined, `in one of authMethods, ${fault}`);
      }
      expect(new Set(methods.map(({ id }) => id)).size === methods.length, "two of authMethods have the same id");
    },
  ),
  must(
    "initialize/auth-terminal",
    "offers sign-in in a terminal only to clients that have one",
    methodTypes,
    async (context) => {
      const types = (await authMethods(context)).map(({ type }) => type);
      expect(!types.includes("terminal"), "a terminal method was offered to a client without auth.terminal");
    },
  ),
  should(
    "initialize/auth-unknown",
    "refuses a way to sign in that it did not offer",
    "authentication",
    async (context) => {
      const answer = await (await context.ready()).ask("authenticate", { methodId: "bowline-none" });
      expectError(answer, "authenticate with an unknown method");
    },
  ),
];

async function initializeResult(context: CheckContext): Promise<unknown> {
  await context.ready();
  return (await context.initializeResponse()).result;
}

async function authMethods(context: CheckContext): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const methods = listOf(recordOf(await initializeResult(context))["authMethods"]).map(recordOf);
  need(methods.length > 0, "it offers none");
  return methods;
}
