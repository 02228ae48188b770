import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { signInMethods } from "../../../lib/claude/sign-in/index.ts";

describe("signInMethods", () => {
  const program = { command: "/usr/bin/node", args: ["/bowline.mjs"] };

  it("a client without terminals gets a text that says how to sign in", () => {
    const [method] = signInMethods({ protocolVersion: 1 }, program);
    assert.equal(method?.type, undefined);
    assert.match(method?.description ?? "", /run `claude auth login` in a terminal/);
  });

  it("a client with terminals gets a terminal method, with the whole command if it declares terminal-auth in _meta", () => {
    const [plain] = signInMethods({ protocolVersion: 1, clientCapabilities: { auth: { terminal: true } } }, program);
    assert.deepEqual(plain, {
      type: "terminal",
      id: "claude-login",
      name: "Sign in with Claude Code",
      description: "Opens the sign-in of Claude Code in a terminal",
      args: ["login"],
    });
    const [older] = signInMethods(
      { protocolVersion: 1, clientCapabilities: { _meta: { "terminal-auth": true } } },
      program,
    );
    assert.deepEqual(older?._meta?.["terminal-auth"], {
      command: "/usr/bin/node",
      args: ["/bowline.mjs", "login"],
      label: "Claude Code sign-in",
    });
  });
});
