/**
 * Specs of the sign-in methods that the agent offers.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AuthMethod, InitializeRequest } from "../../lib/acp/index.ts";
import { agentProfile } from "../../lib/agent/agent-profile.ts";
import type { Route } from "../../lib/agent/route.ts";

const program = { command: "/usr/bin/node", args: ["/bowline.mjs"] };

function signInMethods(request: InitializeRequest, route: Route = "claude"): readonly AuthMethod[] {
  const { authMethods } = agentProfile(route, program);
  return typeof authMethods === "function" ? authMethods(request) : (authMethods ?? []);
}

describe("the sign-in methods of the agent", () => {
  it("a client without terminals gets a text that says how to sign in", () => {
    const [method] = signInMethods({ protocolVersion: 1 });
    assert.equal(method?.type, undefined);
    assert.match(method?.description ?? "", /run `claude auth login` in a terminal/);
  });

  it("a client with terminals gets a terminal method, with the whole command if it declares terminal-auth in _meta", () => {
    const [plain] = signInMethods({ protocolVersion: 1, clientCapabilities: { auth: { terminal: true } } });
    assert.deepEqual(plain, {
      type: "terminal",
      id: "claude-login",
      name: "Sign in with Claude Code",
      description: "Opens the sign-in of Claude Code in a terminal",
      args: ["login"],
    });
    const [older] = signInMethods({ protocolVersion: 1, clientCapabilities: { _meta: { "terminal-auth": true } } });
    assert.deepEqual(older?._meta?.["terminal-auth"], {
      command: "/usr/bin/node",
      args: ["/bowline.mjs", "login"],
      label: "Claude Code sign-in",
    });
  });

  it("the Codex agent offers the sign-in of Codex, by browser and by device code", () => {
    const methods = signInMethods({ protocolVersion: 1, clientCapabilities: { auth: { terminal: true } } }, "codex");
    assert.deepEqual(
      methods.map((method) => [method.id, "args" in method ? method.args : undefined]),
      [
        ["codex-login", ["login", "--route=codex"]],
        ["codex-device-login", ["login", "--route=codex", "--device-code"]],
      ],
    );
  });
});
