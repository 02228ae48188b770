/**
 * Builds the input of a turn of Codex. Mentions of skills are disabled in text that the user did
 * not write, see skill-mentions.ts.
 */
import { EngineFailure, type Prompt } from "../../../engine/index.ts";
import type { AppServer } from "../../app-server/app-server.ts";
import { type SentInput, SkillList } from "../../protocol/index.ts";
import { mentionsSkill, promptInput, withoutSkillMentions } from "../../translate/index.ts";

export type TurnPrompt = Pick<Prompt, "preface" | "content">;

/** Asks Codex for its skills only when such a text may mention one. Rejects when Codex cannot take a prompt. */
export async function turnInput(
  prompts: readonly TurnPrompt[],
  server: AppServer,
  cwd: string,
): Promise<readonly SentInput[]> {
  let isMentioned = false;
  const input = inputsOf(prompts, (text) => {
    isMentioned ||= mentionsSkill(text);
    return text;
  });
  if (!isMentioned) return input;
  const skills = await skillNames(server, cwd);
  return inputsOf(prompts, (text) => withoutSkillMentions(text, skills));
}

/** The agent has asked `refusalOf` before, so a refusal here is a change in between. */
function inputsOf(prompts: readonly TurnPrompt[], foreign: (text: string) => string): readonly SentInput[] {
  return prompts.flatMap(({ preface, content }) => {
    const read = promptInput(content, { preface, foreign });
    if (read.kind === "refused") throw new EngineFailure("invalid", read.why);
    return read.input;
  });
}

/** Undefined when Codex does not say. */
async function skillNames(server: AppServer, cwd: string): Promise<ReadonlySet<string> | undefined> {
  try {
    const { data } = await server.request("skills/list", { cwds: [cwd] }, SkillList);
    if (data.length === 0 || data.some(({ skills }) => skills == null)) return undefined;
    return new Set(data.flatMap(({ skills }) => (skills ?? []).map(({ name }) => name)));
  } catch {
    return undefined;
  }
}
