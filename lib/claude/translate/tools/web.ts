/**
 * Tool families of web fetches and web searches.
 */
import { toolContent } from "../../../acp/index.ts";
import { textIn } from "../../../schema/index.ts";
import { withoutReminders } from "../cli-markup.ts";
import { titleLine } from "../../../display/index.ts";
import type { ToolFamily } from "./tool-family.ts";

export const webFetch: ToolFamily = {
  names: ["webfetch", "fetch"],
  kind: "fetch",
  titleFields: ["url"],
  open: (input) => {
    const prompt = textIn(input, "prompt");
    return {
      title: titleLine(`Fetch ${textIn(input, "url") ?? "a page"}`),
      ...(prompt !== undefined && { content: [toolContent.block(prompt)] }),
      rawInput: input,
    };
  },
};

export const webSearch: ToolFamily = {
  names: ["websearch", "web_search"],
  kind: "fetch",
  titleFields: ["query"],
  open: (input) => ({ title: titleLine(`Search the web for "${textIn(input, "query") ?? ""}"`), rawInput: input }),
  end: (_call, outcome) => {
    const text = withoutReminders(outcome.text);
    return { content: text === "" ? [] : [toolContent.block(text)] };
  },
};
