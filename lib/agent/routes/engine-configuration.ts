/**
 * Finds changes of project files that decide what an engine runs without asking: settings
 * with hooks and rules, MCP servers, subagents, skills.
 *
 * Each engine protects its own files: Claude asks before it writes to `.claude`, and Codex's
 * sandbox cannot write to `.codex`. Neither engine protects the files of the other engine. So
 * when such files have changed in a session in which the other engine has worked, the user is
 * asked before the engine goes on.
 */
import { readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { permissionOption, toolContent } from "../../acp/index.ts";
import { oneLine, titleLine, visibleContent } from "../../display/index.ts";
import { type ConversationHost, type ConversationRequest, type Engine, EngineFailure } from "../../engine/index.ts";
import { type EngineId, engineIds, otherEngine } from "../route.ts";

/** Where an engine reads its configuration, in each directory of a session. */
const names: Readonly<Record<EngineId, readonly string[]>> = {
  claude: [
    ".mcp.json",
    ...[
      "settings.json",
      "settings.local.json",
      "agents",
      "commands",
      "hooks",
      "plugins",
      "skills",
      "output-styles",
    ].map((name) => join(".claude", name)),
  ],
  codex: [
    ".agents",
    ...["config.toml", "hooks.json", "agents", "hooks", "prompts", "rules", "skills"].map((name) =>
      join(".codex", name),
    ),
  ],
};
/** Files of a submodule's repository that decide what git runs. Codex protects the repository of the project alone. */
const repositoryNames = [".git/config", ".git/HEAD", ".git/commondir", ".git/hooks"];
const maxSubmodulesBytes = 1024 * 1024;

/** Links among directories could be followed for ever. What lies beyond these limits counts as changed at every look. */
const maxEntries = 4000;
const maxDepth = 8;
/** How many changed files a question names, and how much text of each it shows. */
const maxNamed = 20;
const maxShownBytes = 64 * 1024;

interface ConfigurationFile {
  /** Another text whenever the file is written or replaced; no program can set the time of the last change. */
  readonly change: string;
  /** Undefined when the file is too large to be shown, or was not read. */
  readonly text: string | undefined;
}

type ConfigurationFiles = ReadonlyMap<string, ConfigurationFile>;

interface ConfigurationsOptions {
  readonly engines: { readonly [E in EngineId]: Pick<Engine, "name"> };
  readonly request: Pick<ConversationRequest, "cwd" | "additionalDirectories">;
  readonly host: Pick<ConversationHost, "ask">;
}

/** The configurations of both engines of a session. */
export class EngineConfigurations {
  readonly #options: ConfigurationsOptions;
  readonly #of: { readonly [E in EngineId]: EngineConfiguration };

  constructor(options: ConfigurationsOptions) {
    this.#options = options;
    const { cwd, additionalDirectories } = options.request;
    const directories = [cwd, ...additionalDirectories];
    this.#of = {
      claude: new EngineConfiguration("claude", directories),
      codex: new EngineConfiguration("codex", directories),
    };
  }

  /** An engine begins to work: what it changes of the other's configuration is asked about. */
  begins(engine: string): void {
    for (const id of engineIds) if (id !== engine) this.#of[id].otherWorks();
  }

  /** Asks the user before an engine goes on with a changed configuration. Rejects with an `EngineFailure` when it must not. */
  async confirm(engine: string): Promise<void> {
    const { engines, host } = this.#options;
    for (const id of engineIds)
      if (id === engine) await this.#of[id].confirm(engines[id].name, engines[otherEngine(id)].name, host);
  }
}

class EngineConfiguration {
  readonly #engine: EngineId;
  readonly #directories: readonly string[];
  #accepted: ConfigurationFiles;
  #hasOtherWorked = false;
  /** The submodules that `.gitmodules` has named at some time. */
  readonly #submodules = new Set<string>();

  /** The files as they are now are those that the user wants. */
  constructor(engine: EngineId, directories: readonly string[]) {
    this.#engine = engine;
    this.#directories = directories;
    this.#accepted = this.#read();
  }

  /** The other engine begins to work; it may change files from now on, also when its turn is over. */
  otherWorks(): void {
    // Until then they were the user's and the engine's own to change.
    if (!this.#hasOtherWorked) this.#accepted = this.#read();
    this.#hasOtherWorked = true;
  }

  /** Asks the user about changed files. Rejects with an `EngineFailure` when the user does not want the engine to go on. */
  async confirm(name: string, otherName: string, host: Pick<ConversationHost, "ask">): Promise<void> {
    if (!this.#hasOtherWorked) return;
    const files = this.#read();
    const paths = [...new Set([...this.#accepted.keys(), ...files.keys()])];
    const changed = paths.filter((path) => files.get(path)?.change !== this.#accepted.get(path)?.change);
    if (changed.length === 0) return;
    const named = changed.slice(0, maxNamed).map((path) => titleLine(path));
    const more = changed.length > named.length ? [`and ${changed.length - named.length} more`] : [];
    const list = [...named, ...more].join(", ");
    const why = `${otherName} has worked in this session, and since then files have changed that decide what ${name} runs, also without asking: ${list}`;
    const texts = changed.slice(0, maxNamed).map((path) => {
      const [before, after] = [this.#accepted.get(path), files.get(path)];
      if (after !== undefined && after.text === undefined)
        return toolContent.block(`${oneLine(path)} is too large to be shown, or one of too many files to be compared.`);
      return toolContent.diff(path, before === undefined ? null : (before.text ?? ""), after?.text ?? "");
    });
    const isAccepted = await host.ask(
      {
        toolCall: {
          toolCallId: `configuration-${crypto.randomUUID()}`,
          title: `Let ${name} go on with changed settings`,
          kind: "other",
          status: "pending",
          content: [...visibleContent([toolContent.block(why), ...texts])],
        },
        choices: [
          { option: permissionOption("allow_once", "go_on", `Let ${name} go on`), decision: true },
          { option: permissionOption("reject_once", "stop", "Stop"), decision: false },
        ],
        rejected: false,
        unanswered: false,
      },
      new AbortController().signal,
    );
    if (!isAccepted) throw new EngineFailure("refused", `${why}. ${name} has not been sent the prompt.`);
    this.#accepted = files;
  }

  #read(): ConfigurationFiles {
    const reading: Reading = { files: new Map(), entriesLeft: maxEntries, firstUnread: undefined };
    for (const directory of this.#directories)
      for (const name of names[this.#engine]) readInto(reading, join(directory, name), maxDepth);
    // The repository of a submodule is a file that names it, or a directory.
    for (const submodule of this.#findSubmodules())
      if (factsOf(join(submodule, ".git"))?.isDirectory() !== true) readInto(reading, join(submodule, ".git"), 1);
      else for (const name of repositoryNames) readInto(reading, join(submodule, name), maxDepth);
    const { files, firstUnread } = reading;
    if (firstUnread !== undefined) files.set(firstUnread, { change: crypto.randomUUID(), text: undefined });
    return files;
  }

  /** Those of submodules too, and those that are named no longer: git has them in its index. */
  #findSubmodules(): ReadonlySet<string> {
    // Git runs in commands of Claude without a question. Those of Codex are in its sandbox.
    if (this.#engine !== "claude") return this.#submodules;
    for (const directory of [...this.#directories, ...this.#submodules])
      for (const submodule of submodulesOf(directory)) this.#submodules.add(submodule);
    return this.#submodules;
  }
}

/** The paths of submodules in a `.gitmodules`, below the directory that it lies in. */
function submodulesOf(directory: string): readonly string[] {
  const path = join(directory, ".gitmodules");
  const facts = factsOf(path);
  if (facts?.isFile() !== true || facts.size > maxSubmodulesBytes) return [];
  const named = [...(textIn(path) ?? "").matchAll(/^[ \t]*path[ \t]*=[ \t]*"?([^"\r\n]+?)"?[ \t]*$/gim)];
  return named.flatMap(([, name]) => (name === undefined ? [] : [join(directory, name)]));
}

interface Reading {
  readonly files: Map<string, ConfigurationFile>;
  entriesLeft: number;
  /** The first path beyond the limits. */
  firstUnread: string | undefined;
}

function readInto(reading: Reading, path: string, depth: number): void {
  if (depth === 0 || reading.entriesLeft-- <= 0) {
    reading.firstUnread ??= path;
    return;
  }
  const facts = factsOf(path);
  if (facts?.isDirectory() === true) for (const name of namesIn(path)) readInto(reading, join(path, name), depth - 1);
  else if (facts !== undefined) {
    const { mtimeMs, ctimeMs, ino, size } = facts;
    const isShown = facts.isFile() && size <= maxShownBytes;
    reading.files.set(path, {
      change: [mtimeMs, ctimeMs, ino, size].join(" "),
      text: isShown ? textIn(path) : undefined,
    });
  }
}

function factsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path).toSorted();
  } catch {
    return [];
  }
}

function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
