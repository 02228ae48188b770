/**
 * Title: a conversation's name, kept by the CLI that runs it.
 */
import { ClaudeExit, type OutgoingControlRequests } from "../../claude/index.ts";
import { cliFailure } from "../errors.ts";

/** False: no CLI runs that could keep the name, or it has just gone. */
export async function saveTitle(control: OutgoingControlRequests | undefined, title: string): Promise<boolean> {
  try {
    await control?.request("rename_session", { title, source: "host" });
    return control !== undefined;
  } catch (cause) {
    if (cause instanceof ClaudeExit) return false;
    throw cliFailure(cause);
  }
}
