/**
 * Initialize: versions, capabilities and ways to sign in.
 */
import { AuthMethod, InitializeResponse } from "../../../acp/index.ts";
import { errorCodes } from "../../../rpc/index.ts";
import { expect, expectError, expectResult, must, need, type Rule, should } from "../rule.ts";
import type { Scene } from "../scene.ts";
import { faultIn, listOf, recordOf } from "../shape.ts";

const page = "initialization";
const negotiation = "initialization#version-negotiation";
const methodTypes = "authentication#authentication-method-types";
const farVersion = 65_535;

export const initialize: readonly Rule[] = [
  must("initialize/answers", "answers initialize with a result", page, async (scene) => {
    expectResult(await scene.greeting(), "initialize");
  }),
  must("initialize/shape", "answers initialize as the schema has it", "schema#initializeresponse", async (scene) => {
    const fault = faultIn(InitializeResponse, await greeting(scene));
    expect(fault === undefined, `in the answer, ${fault}`);
  }),
  must("initialize/version", "answers version 1 with version 1", negotiation, async (scene) => {
    const { protocolVersion } = recordOf(await greeting(scene));
    expect(protocolVersion === 1, `the answer was version ${JSON.stringify(protocolVersion)}`);
  }),
  must(
    "initialize/other-version",
    "answers a version it does not speak with the latest it does",
    negotiation,
    async (scene) => {
      const answer = await scene.alone((agent) => scene.greet(agent, farVersion));
      const { protocolVersion: given } = recordOf(expectResult(answer, `version ${farVersion}`));
      expect(Number.isInteger(given) && given !== farVersion, `the answer was version ${JSON.stringify(given)}`);
    },
  ),
  should(
    "initialize/version-kind",
    "refuses a version that is not an integer",
    "initialization#protocol-version",
    async (scene) =>
      expectError(
        await scene.alone((agent) => scene.greet(agent, "one")),
        "a version in words",
        errorCodes.invalidParams,
      ),
  ),
  should("initialize/first", "refuses session/new before initialize", page, async (scene) => {
    const params = { cwd: scene.options.cwd, mcpServers: [] };
    const answer = await scene.alone((agent) => agent.ask("session/new", params));
    expectError(answer, "session/new before initialize");
  }),
  should("initialize/silent", "says nothing before it has answered initialize", page, async (scene) => {
    const agent = await scene.ready();
    const first = scene.log.agentRows.find(({ run }) => run === agent.run);
    expect(first?.message.kind === "response", "its first line was no answer");
  }),
  should("initialize/again", "goes on after a second initialize", page, async (scene) => {
    await scene.alone(async (agent) => {
      await scene.greet(agent);
      await scene.greet(agent);
      await agent.settle();
    });
  }),
  should(
    "initialize/agent-info",
    "says its name and version",
    "initialization#implementation-information",
    async (scene) => {
      const { name, version } = recordOf(recordOf(await greeting(scene))["agentInfo"]);
      expect(Boolean(name) && Boolean(version), "agentInfo has no name or no version");
    },
  ),
  must(
    "initialize/auth-methods",
    "gives each way to sign in an id of its own and a name",
    methodTypes,
    async (scene) => {
      const methods = await authMethods(scene);
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
    async (scene) => {
      const types = (await authMethods(scene)).map(({ type }) => type);
      expect(!types.includes("terminal"), "a terminal method was offered to a client without auth.terminal");
    },
  ),
  should(
    "initialize/auth-unknown",
    "refuses a way to sign in that it did not offer",
    "authentication",
    async (scene) => {
      const answer = await (await scene.ready()).ask("authenticate", { methodId: "bowline-none" });
      expectError(answer, "authenticate with an unknown method");
    },
  ),
];

async function greeting(scene: Scene): Promise<unknown> {
  await scene.ready();
  return (await scene.greeting()).result;
}

async function authMethods(scene: Scene): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const methods = listOf(recordOf(await greeting(scene))["authMethods"]).map(recordOf);
  need(methods.length > 0, "it offers none");
  return methods;
}
