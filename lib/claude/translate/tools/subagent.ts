/**
 * Tool family of subagents.
 *
 * In the foreground the call ends with the subagent's report; in the background it stays
 * open until its task ends. The text that the CLI puts around the report for the model is
 * not shown.
 */
import { toolContent } from "../../../acp/index.ts";
import { isRecord, textIn } from "../../../schema/index.ts";
import { visibleText } from "../cli-markup.ts";
import { titleLine } from "../../../display/index.ts";
import { plainEnd, type ToolFamily } from "./tool-family.ts";

export const subagent: ToolFamily = {
  names: ["agent", "task"],
  kind: "think",
  titleFields: ["description"],
  open: (input) => {
    const prompt = textIn(input, "prompt");
    return {
      title: titleLine(textIn(input, "description") ?? "Delegate to a subagent"),
      ...(prompt !== undefined && { content: [toolContent.block(prompt)] }),
      rawInput: { subagent_type: input["subagent_type"], description: input["description"] },
    };
  },
  end: (call, outcome) => {
    const { structured } = outcome;
    if (structured?.["isAsync"] === true) return { isOngoing: true };
    const report = reportOf(structured?.["content"]) ?? framedReport(outcome.text);
    return report === undefined ? plainEnd(call, outcome) : { content: [toolContent.block(report)] };
  },
};

function reportOf(content: unknown): string | undefined {
  if (!Array.isArray(content)) return undefined;
  const texts = content.flatMap((part) =>
    isRecord(part) && typeof part["text"] === "string" ? [visibleText(part["text"])] : [],
  );
  const report = texts.filter((text) => text.trim() !== "").join("\n");
  return report === "" ? undefined : report;
}

/** Extracts the report from the text for the model, for calls without a structured result. */
function framedReport(text: string): string | undefined {
  const [, framed] = /\[Subagent hand-back\][^\n]*\n([\s\S]*)$/.exec(text) ?? [];
  const report = framed
    ?.replace(/\n<usage>[^<]*<\/usage>\s*$/, "")
    .replace(/\nagentId: [^\n]*\s*$/, "")
    .replaceAll(/^ {2}/gm, "")
    .trim();
  return report === "" ? undefined : report;
}
