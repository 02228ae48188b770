/**
 * Defines `bowline zed`: adds Bowline to Zed's settings, and generates registry entries.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { command, CommandFailure, type ProgramStreams } from "../command.ts";
import { confirm } from "../confirm.ts";
import { selfCommand } from "../self-command.ts";
import { reportStyle } from "../ansi.ts";
import { printLine, printText } from "../print.ts";
import { diffPreview } from "../zed/diff-preview.ts";
import { readSums, registryEntry, type Release, zedExtension } from "../zed/registry-entry.ts";
import { isPlaceholder, releaseInfo } from "../zed/release-info.ts";
import { withEntry } from "../install/settings-change.ts";
import { withMember } from "../zed/jsonc.ts";
import { readSettings, settingsFile, writeSettings } from "../zed/settings.ts";

const defaultName = "Claude Agent (Bowline)";

export const zedCommand = command({
  name: "zed",
  summary: "add Bowline to Zed's settings, the ACP registry or an extension",
  about: [
    "Without an option it prints the entry for Zed's settings.json, with the paths of this Node and this program. With --write it sets the entry in the file: it shows the change and asks first, keeps everything else in the file, including comments, and replaces the file atomically.",
    "--registry and --extension are for those who distribute Bowline: they write agent.json and icon.svg below <directory>/bowline, or extension.toml and its icon into <directory>. Addresses of archives begin with --repository; the default is a placeholder. Zed 1.5 and later prefer the registry to extensions.",
  ],
  options: {
    "--write": { about: "set the entry in settings.json, after showing the change" },
    "--yes": { about: "with --write: do not ask" },
    "--name": { value: "<text>", about: `the name that Zed shows (default ${defaultName})` },
    "--settings": {
      value: "<file>",
      about: "path of settings.json (default: where Zed looks for it)",
      completes: "file",
    },
    "--registry": { value: "<directory>", about: "write the files of a registry entry", completes: "directory" },
    "--extension": { value: "<directory>", about: "write the files of a Zed extension", completes: "directory" },
    "--repository": { value: "<url>", about: "where releases are downloaded from" },
    "--sums": { value: "<file>", about: "SHA256SUMS of the release, for its checksums", completes: "file" },
  },
  environment: { XDG_CONFIG_HOME: "directory of the settings on Linux (default ~/.config)", NO_COLOR: "1: no colours" },
  exitCodes: { 0: "the entry was printed or written, or was already there", 1: "nothing was changed; stderr says why" },
  examples: [
    { line: "bowline zed", about: "print the entry" },
    { line: "bowline zed --write", about: "set it in Zed's settings" },
    {
      line: "bowline zed --registry registry --sums dist/release/SHA256SUMS --repository https://example.com/bowline",
      about: "an entry for the registry, with checksums",
    },
  ],
  seeAlso: ["agent", "doctor", "docs/tools.md"],
  run: async ({ options }, terminal) => {
    const { "--registry": registry, "--extension": extension } = options;
    if (registry !== undefined || extension !== undefined) {
      const repository = (options["--repository"] ?? releaseInfo.repository).replace(/\/+$/, "");
      const sums = options["--sums"];
      const release: Release = { repository, sums: sums === undefined ? new Map() : readSums(readText(sums)) };
      if (registry !== undefined) writeFiles(registry, registryEntry(release), terminal);
      if (extension !== undefined) writeFiles(extension, zedExtension(release), terminal);
      if (isPlaceholder(repository))
        printLine(terminal.stderr, "bowline: the repository is a placeholder; give the real one with --repository");
      return 0;
    }
    const [program, ...args] = selfCommand();
    const entry = { type: "custom", command: program, args };
    const name = options["--name"] ?? defaultName;
    const path =
      options["--settings"] ?? settingsFile(terminal.env, process.platform, terminal.env["HOME"] || homedir());
    if (options["--write"]) return write(path, name, entry, options["--yes"], terminal);
    printText(terminal.stdout, withMember("", ["agent_servers", name], entry));
    printLine(terminal.stderr, `bowline: this belongs in ${path}; bowline zed --write puts it there`);
    return 0;
  },
});

async function write(
  path: string,
  name: string,
  entry: Record<string, unknown>,
  isSure: boolean,
  terminal: ProgramStreams,
): Promise<number> {
  const { stdout, env } = terminal;
  const before = readSettings(path);
  const after = withEntry(before, { file: path, path: ["agent_servers", name], entry });
  if (after === before) {
    printLine(stdout, `${path} has it already`);
    return 0;
  }
  printText(stdout, `${path}\n${diffPreview(before, after, reportStyle(stdout, env))}`);
  if (!isSure) await confirm("write this? [y/N] ", terminal);
  writeSettings(path, before, after);
  printLine(stdout, "written; Zed reads it at once");
  return 0;
}

function writeFiles(directory: string, files: Readonly<Record<string, string>>, { stdout }: ProgramStreams): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, name);
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    } catch (cause) {
      throw new CommandFailure(`${path} cannot be written; give a directory that can`, { cause });
    }
    printLine(stdout, path);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new CommandFailure(`${path} cannot be read; npm run release:dry makes one`, { cause });
  }
}
