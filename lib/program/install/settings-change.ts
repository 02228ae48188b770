/**
 * Sets an entry in a settings file, keeps a backup of the file, and undoes the change.
 *
 * The backup is made once, before the first change. Undo restores it only while the file is
 * as install wrote it: what the user changed since is never lost.
 */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { codeOf } from "../../wire/index.ts";
import { CommandFailure } from "../command.ts";
import { NotJsonc, withMember } from "../zed/jsonc.ts";
import { readSettings, writeSettings } from "../zed/settings.ts";

export interface SettingsEntry {
  readonly file: string;
  readonly path: readonly string[];
  readonly entry: Readonly<Record<string, unknown>>;
}

export function backupOf(file: string): string {
  return `${file}.before-bowline`;
}

/** The text with the entry, field by field, so that fields the user added to it, such as env, stay. */
export function withEntry(text: string, { file, path, entry }: SettingsEntry): string {
  try {
    return Object.entries(entry).reduce((all, [field, value]) => withMember(all, [...path, field], value), text);
  } catch (cause) {
    if (!(cause instanceof NotJsonc)) throw cause;
    throw new CommandFailure(`${file} cannot be changed: ${cause.message}; correct it, or add the entry by hand`);
  }
}

/** Writes the backup, then the file. An empty backup means that there was no file. */
export function install({ file }: SettingsEntry, before: string, after: string): void {
  const backup = backupOf(file);
  const isFirst = !existsSync(backup);
  writeSettings(file, before, after);
  try {
    if (isFirst) writeFileSync(backup, before, { mode: 0o600, flag: "wx" });
  } catch (cause) {
    writeSettings(file, after, before);
    throw new CommandFailure(`${backup} cannot be written (${codeOf(cause)}); nothing was changed`, { cause });
  }
}

/** Restores the file as it was before the first install. */
export function undo(change: SettingsEntry): void {
  const { file } = change;
  const backup = backupOf(file);
  if (!existsSync(backup)) throw new CommandFailure(`${file} was not changed by bowline install; nothing was undone`);
  const before = readSettings(backup);
  const now = readSettings(file);
  if (now !== withEntry(before, change))
    throw new CommandFailure(
      `${file} has changed since; remove the entry ${change.path.join(" > ")} by hand, or copy ${backup} back`,
    );
  if (before === "") rmSync(file, { force: true });
  else writeSettings(file, now, before);
  rmSync(backup);
}
