/**
 * Runs the slash commands of a conversation.
 *
 * Some commands start a turn of Codex, and the prompt ends with that turn. The others have ended
 * when `runCommand` resolves.
 */
import { oneLine } from "../../display/index.ts";
import { unknown } from "../../schema/index.ts";
import { AccountState, BackgroundTerminals, SkillList, StartedTurn } from "../protocol/index.ts";
import type { TurnKind } from "./turn/active-turn.ts";
import type { ConversationSettings } from "./settings/conversation-settings.ts";
import type { LoadedThread } from "./thread/conversation-thread.ts";
import { reviewTarget, type SlashInvocation } from "./slash-commands.ts";

export interface CommandContext {
  readonly loaded: LoadedThread;
  readonly settings: ConversationSettings;
  readonly cwd: string;
  /** Codex has named the turn that the command has started. */
  readonly onTurn: (turnId: string) => void;
  /** Shows a text as a message of the agent. */
  readonly say: (text: string) => void;
  /** Sends a prompt to the model in the turn of the command. */
  readonly prompt: (text: string) => Promise<void>;
  readonly change: (optionId: string, value: string) => Promise<void>;
  readonly clear: () => Promise<void>;
}

const maxDescriptionChars = 160;

/** Which turn of Codex the command starts. */
export function turnKindOf({ name, argument }: SlashInvocation, mode: string): TurnKind {
  switch (name) {
    case "compact":
      return "compact";
    case "review":
      return "review";
    case "goal":
      return argument === "" || argument === "clear" || mode === "plan" ? "local" : "goal";
    case "plan":
      return argument === "" ? "local" : "prompt";
    case "clear":
    case "status":
    case "skills":
    case "stop":
      return "local";
  }
}

/** Rejects when Codex refuses. The turn of a command of kind `local` is over when this resolves. */
export async function runCommand({ name, argument }: SlashInvocation, context: CommandContext): Promise<void> {
  const { loaded, say } = context;
  const { server, threadId } = loaded;
  switch (name) {
    case "compact":
      return void (await server.request("thread/compact/start", { threadId }, unknown));
    case "review": {
      const params = { threadId, target: reviewTarget(argument) };
      const { turn } = await server.request("review/start", params, StartedTurn);
      return context.onTurn(turn.id);
    }
    case "plan":
      await context.change("mode", "plan");
      return argument === "" ? say("Plan mode is on. Codex plans and changes nothing.") : context.prompt(argument);
    case "clear":
      await context.clear();
      return say("A new conversation has begun. The earlier one stays saved.");
    case "status":
      return say(await statusText(context));
    case "skills":
      return say(await skillsText(context));
    case "goal":
      return goal(argument, context);
    case "stop": {
      const { data } = await server.request("thread/backgroundTerminals/list", { threadId }, BackgroundTerminals);
      await server.request("thread/backgroundTerminals/clean", { threadId }, unknown);
      return say(
        data.length === 0 ? "No command runs in the background." : `Stopped ${data.length} background command(s).`,
      );
    }
  }
}

async function goal(argument: string, { loaded, settings, say }: CommandContext): Promise<void> {
  const { server, threadId } = loaded;
  if (argument === "") return say("Name the goal after the command, for example: /goal make the tests pass");
  if (argument === "clear") {
    await server.request("thread/goal/clear", { threadId }, unknown);
    return say("The goal is cleared.");
  }
  // Codex would take the goal and do nothing.
  if (settings.state.mode === "plan")
    return say("Codex does not work on goals in plan mode. Choose another mode first.");
  await server.request("thread/goal/set", { threadId, objective: argument, status: "active" }, unknown);
}

async function statusText({ loaded, settings, cwd }: CommandContext): Promise<string> {
  const { server, threadId, run } = loaded;
  const { account } = await server.request("account/read", { refreshToken: false }, AccountState);
  const { model, effort, mode, modes } = settings.state;
  const { approvalPolicy, sandboxPolicy, modelProvider } = settings.current;
  const version = /\/(\d[\w.-]*)/.exec(run.initialized.userAgent ?? "")?.[1];
  const policy = typeof approvalPolicy === "string" ? approvalPolicy : "as in config.toml";
  const who = account == null ? `provider ${modelProvider ?? "unknown"}` : (account.email ?? account.type);
  return list([
    ["Model", effort === "" ? model : `${model} (effort ${effort})`],
    ["Mode", modes.find(({ id }) => id === mode)?.name ?? mode],
    ["Approvals", policy],
    ["Sandbox", sandboxPolicy?.type ?? "unknown"],
    ["Directory", cwd],
    ["Account", who],
    ["Conversation", threadId],
    ["Codex", version ?? "unknown"],
  ]);
}

async function skillsText({ loaded, cwd }: CommandContext): Promise<string> {
  const { data } = await loaded.server.request("skills/list", { cwds: [cwd] }, SkillList);
  const skills = data.flatMap((one) => one.skills ?? []).filter(({ enabled }) => enabled !== false);
  if (skills.length === 0) return "There are no skills.";
  return list(skills.map(({ name, description }) => [`$${name}`, oneLine(description ?? "", maxDescriptionChars)]));
}

function list(rows: readonly (readonly [string, string])[]): string {
  return rows.map(([name, value]) => `- **${name}**: ${value}`).join("\n");
}
