/**
 * Lets the user choose a saved conversation of a directory from a list.
 */
import type { ClientConnection } from "../../acp/index.ts";
import type { Frontend } from "./frontend/frontend.ts";

/** Undefined when there is none, or the user chose none. */
export async function pickSaved(
  agent: ClientConnection,
  frontend: Frontend,
  cwd: string,
  printError: (text: string) => void,
): Promise<string | undefined> {
  const { sessions } = await agent.call("session/list", { cwd });
  const items = sessions.map(({ title, updatedAt, sessionId }) => ({
    label: title == null || title === "" ? sessionId : title,
    about: updatedAt == null ? "" : updatedAt.slice(0, 16).replace("T", " "),
  }));
  if (items.length === 0) {
    printError("there is no saved conversation in this directory");
    return undefined;
  }
  const list = { title: "Which conversation?", items, typing: "filter", isOwn: true } as const;
  const picked = await frontend.pick(list, new AbortController().signal);
  return picked.kind === "items" ? sessions[picked.indexes[0] ?? -1]?.sessionId : undefined;
}
