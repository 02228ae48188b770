/**
 * The session's options as the chat shows and changes them: status line, lists and `/set`.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { configOption, update } from "../../../lib/acp/index.ts";
import { createAgent } from "../../../lib/agent/index.ts";
import { routedEngine } from "../../../lib/agent/routes/routed-engine.ts";
import { emptyIndex } from "../../../lib/agent/routes/session-index.ts";
import { ChosenOptions } from "../../../lib/program/chat/chosen-options.ts";
import { connectAgent } from "../../support/agent/connected-agent.ts";
import { bare } from "../../support/program/chat/themes.ts";
import { ScriptedEngine } from "../../support/agent/scripted-engine.ts";

interface Shown {
  readonly options: ChosenOptions;
  readonly told: string[];
  readonly errors: string[];
}

function shown(columns = 80): Shown {
  const told: string[] = [];
  const errors: string[] = [];
  const options = new ChosenOptions({
    theme: { ...bare, columns: () => columns },
    explain: String,
    tell: (lines) => void told.push(...lines),
    printError: (text) => void errors.push(text),
    onChanged: () => {},
  });
  return { options, told, errors };
}

/** The chat's options in a session with two scripted engines. */
async function withTwoEngines(columns?: number): Promise<Shown> {
  const named = (id: string, name: string): ScriptedEngine => Object.assign(new ScriptedEngine(), { id, name });
  const engine = routedEngine({
    engines: { claude: named("claude", "Claude"), codex: named("codex", "Codex") },
    settings: { route: "claude", primary: "claude", isReview: false, sharesContext: true },
    index: emptyIndex,
  });
  const one = shown(columns);
  const { editor } = await connectAgent({ onUpdate: (_, taken) => one.options.take(taken) }, (link, shared) =>
    createAgent(link, { textOf: () => undefined, ...shared, engine }),
  );
  const { sessionId, ...state } = await editor.call("session/new", { cwd: "/", mcpServers: [] });
  one.options.enter(editor, sessionId, state);
  return one;
}

describe("the chat's session options", () => {
  it("the status line of a session with two engines names the engine and the commands that switch it", async () => {
    const { options, told } = await withTwoEngines();
    assert.equal(options.statusLine, "Claude · default · small · shift-tab mode · /codex /duet · /help");
    await options.set("route", "codex");
    assert.equal(options.statusLine, "Codex · default · small · shift-tab mode · /claude /duet · /help");
    assert.deepEqual(told, ["Engine: Codex"]);
  });

  it("a narrow terminal keeps the engine, the mode and /help in the status line", async () => {
    assert.equal((await withTwoEngines(60)).options.statusLine, "Claude · default · small · shift-tab mode · /help");
    assert.equal((await withTwoEngines(40)).options.statusLine, "Claude · default · small · /help");
    assert.equal((await withTwoEngines(30)).options.statusLine, "Claude · default · /help");
  });

  it("the list of the option route shows the engines, and marks the one that answers", async () => {
    const { options, told } = await withTwoEngines();
    options.list("route");
    assert.match(told.join("\n"), /^Engine is Claude\n.*✓ 1 Claude claude · Claude Code answers\n.* 2 Codex codex/);
  });

  it("the status line of a session with one engine has the mode and the model, as far as there are any", () => {
    const { options } = shown();
    assert.equal(options.statusLine, "/help");
    const model = configOption.select("model", [{ value: "elm", name: "Elm" }], {
      name: "Model",
      category: "model",
      currentValue: "elm",
    });
    options.take(update.configOptions([model]));
    assert.equal(options.statusLine, "Elm · shift-tab mode · /help");
  });

  it("a value that the option does not have is refused with those it has", async () => {
    const { options, errors } = await withTwoEngines();
    await options.set("route", "nobody");
    await options.set("colour", "red");
    assert.deepEqual(errors, [
      "route nobody is not offered here; choose one of claude, codex, duet",
      "there is no colour to choose here",
    ]);
  });
});
