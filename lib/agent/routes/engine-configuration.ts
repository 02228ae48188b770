/**
 * Asks the user before an engine works with files that decide what it runs without asking, when
 * the other engine may have changed them, in this session or in another one of the program.
 *
 * Each engine protects its own files: Claude asks before it writes to `.claude`, and Codex's
 * sandbox cannot write to `.codex`. Neither protects the files of the other. What the user has
 * accepted is saved with the session (`accepted`), because another run of the program may load
 * it. In a loaded session whose files are not known, none is accepted.
 */
import { toolContent } from "../../acp/index.ts";
import { oneLine, titleLine } from "../../display/index.ts";
import { type ConversationHost, type ConversationRequest, type Engine, EngineFailure } from "../../engine/index.ts";
import type { Environment } from "../../process/index.ts";
import { type EngineId, engineIds, otherEngine } from "../route.ts";
import type { SharedDirectories } from "./directory-consent.ts";
import { askUser } from "./engine-question.ts";
import type { EngineTrack } from "./engine-track.ts";
import type { RoutedRecord } from "./routed-record.ts";
import { watchedPaths } from "./configuration-paths.ts";
import {
  type ConfigurationFile,
  type ConfigurationFiles,
  ConfigurationReader,
  unreadFingerprint,
} from "./configuration-files.ts";

/** How many changed files a question names and shows. */
const maxNamed = 20;
/** A configuration of more files is not saved, so that nothing of it is accepted when the session is loaded. */
const maxSavedFiles = 200;

/** The fingerprints of the accepted files by path. */
export type SavedFiles = Readonly<Record<string, string>>;

/** For each engine whose files the other one may have changed: those that the user has accepted. */
export type AcceptedFiles = { readonly [E in EngineId]?: SavedFiles | "unknown" | undefined };

export interface ConfigurationsOptions {
  /** Names the user's own directories. */
  readonly env: Environment;
  readonly now: () => number;
  readonly engines: { readonly [E in EngineId]: Pick<Engine, "name"> };
  readonly request: Pick<ConversationRequest, "cwd" | "additionalDirectories">;
  readonly host: Pick<ConversationHost, "ask">;
  /** The engine whose conversation gives the session its id. */
  readonly owner: EngineId;
  /** What was saved with the session that is opened. */
  readonly record: Pick<RoutedRecord, "accepted" | "keep">;
  readonly all: AllSessions;
}

/** What the sessions of one program know of each other. */
export interface AllSessions {
  readonly tracks: Set<EngineTrack>;
  readonly configurations: Set<EngineConfigurations>;
  readonly shared: SharedDirectories;
  /** A session is open, or was, in which another run of the program let an engine change what the other one reloads. */
  hasLoadedShared: boolean;
}

/** The configurations of both engines of a session. */
export class EngineConfigurations {
  readonly #options: ConfigurationsOptions;
  readonly #of: { readonly [E in EngineId]: EngineConfiguration };

  constructor(options: ConfigurationsOptions) {
    this.#options = options;
    const { cwd, additionalDirectories } = options.request;
    const { accepted } = options.record;
    const directories = [cwd, ...additionalDirectories];
    const reachBeside = (id: EngineId): readonly string[] =>
      options.all.shared.workers.flatMap(({ engine, named, reach }) =>
        engine.id === id || named.join("\0") === directories.join("\0") ? [] : reach,
      );
    const of = (id: EngineId): EngineConfiguration =>
      new EngineConfiguration(
        new ConfigurationReader(id, () => watchedPaths(id, directories, options.env, reachBeside(id)), options.now),
        accepted[id],
      );
    this.#of = { claude: of("claude"), codex: of("codex") };
  }

  /** Begins to watch: the other engine may work in another session, or have work in the background. */
  open(): void {
    const { all } = this.#options;
    all.configurations.add(this);
    for (const { engine, hasWorked } of all.tracks) if (hasWorked) this.#othersOf(engine.id, "another session");
  }

  close(): void {
    this.#options.all.configurations.delete(this);
  }

  /** Saves what the user has accepted in a session of both engines. Returns false when that failed. */
  keep(sessionId: () => string, tracks: readonly Pick<EngineTrack, "hasStarted" | "conversation">[]): boolean {
    const { owner, record } = this.#options;
    const parts = tracks.flatMap(({ hasStarted, conversation }) => (hasStarted ? [conversation.savedId] : []));
    const [claude, codex] = [this.#of.claude.accepted, this.#of.codex.accepted];
    const accepted = { ...(claude !== undefined && { claude }), ...(codex !== undefined && { codex }) };
    if (accepted[owner] === undefined && (parts.length < 2 || (claude ?? codex) === undefined)) return true;
    // A session of one engine goes on without a record, as one that was never loaded would.
    return record.keep({ sessionId: sessionId(), parts, accepted }) || parts.length < 2;
  }

  /** Why an engine gets no prompt: another run of the program would not know what it may have changed. */
  notKept(name: string): EngineFailure {
    const text = "which settings of the project you have accepted could not be saved";
    return new EngineFailure("refused", `${name} has not been sent the prompt: ${text}`);
  }

  /** An engine begins to work: what it changes of the other's configuration is asked about, in every open session. */
  begins(engine: string): void {
    this.#othersOf(engine, "this session");
    for (const one of this.#options.all.configurations) one.#othersOf(engine, "another session");
  }

  /** Whether `ask` would ask nothing. */
  isAccepted(engine: string): boolean {
    return this.#matching(engine).every(({ configuration }) => configuration.isAccepted);
  }

  /** Why the engine must not run before the user has agreed. */
  objection(engine: string): string | undefined {
    const open = this.#matching(engine).filter(({ configuration }) => !configuration.isAccepted);
    return open.map(({ configuration, name, otherName }) => `${configuration.reason(name, otherName)}.`)[0];
  }

  /** What cannot be compared is asked about again. */
  beginQuestions(engine: string): void {
    for (const { configuration } of this.#matching(engine)) configuration.acceptsUnread = false;
  }

  /** Asks the user before an engine goes on with a changed configuration. Rejects with an `EngineFailure` when it must not. */
  async ask(engine: string): Promise<void> {
    for (const { configuration, name, otherName } of this.#matching(engine))
      await configuration.ask(name, otherName, this.#options.host);
  }

  #othersOf(engine: string, where: WorkPlace): void {
    for (const id of engineIds) if (id !== engine) this.#of[id].otherWorks(where);
  }

  /** The configuration of the engine; none for an engine of another name. */
  #matching(engine: string): readonly NamedConfiguration[] {
    const { engines } = this.#options;
    const ids = engineIds.filter((id) => id === engine);
    return ids.map((id) => ({
      configuration: this.#of[id],
      name: engines[id].name,
      otherName: engines[otherEngine(id)].name,
    }));
  }
}

/** Where the other engine has worked. */
type WorkPlace = "this session" | "another session";

interface NamedConfiguration {
  readonly configuration: EngineConfiguration;
  readonly name: string;
  readonly otherName: string;
}

class EngineConfiguration {
  readonly #reader: ConfigurationReader;
  #accepted: ReadonlyMap<string, Pick<ConfigurationFile, "fingerprint" | "text">>;
  /** Where the other engine has worked. */
  #worked: WorkPlace | undefined;
  /** The user has agreed to what cannot be compared, until the next questions. */
  acceptsUnread = false;
  /** False in a loaded session without a record of what was accepted. */
  #isKnown: boolean;

  /** `saved`: the other engine has worked in the session before; otherwise the files are those that the user wants. */
  constructor(reader: ConfigurationReader, saved: SavedFiles | "unknown" | undefined) {
    this.#reader = reader;
    this.#worked = saved === undefined ? undefined : "this session";
    this.#isKnown = saved !== "unknown";
    const files = Object.entries(saved === "unknown" ? {} : (saved ?? {}));
    this.#accepted = new Map(files.map(([path, fingerprint]) => [path, { fingerprint, text: undefined }]));
  }

  get accepted(): SavedFiles | undefined {
    if (this.#worked === undefined) return undefined;
    if (this.#accepted.size > maxSavedFiles) return {};
    return Object.fromEntries([...this.#accepted].map(([path, { fingerprint }]) => [path, fingerprint]));
  }

  get isAccepted(): boolean {
    return this.#worked === undefined || this.#changedIn(this.#reader.read()).length === 0;
  }

  /** The other engine begins to work; it may change files from now on, also when its turn is over. */
  otherWorks(where: WorkPlace): void {
    // Until then they were the user's and the engine's own to change.
    if (this.#worked === undefined) this.#accepted = this.#reader.read();
    if (this.#worked !== "this session") this.#worked = where;
  }

  /** Asks the user about changed files. Rejects with an `EngineFailure` when the user does not want the engine to go on. */
  async ask(name: string, otherName: string, host: Pick<ConversationHost, "ask">): Promise<void> {
    if (this.#worked === undefined) return;
    const files = this.#reader.read();
    const changed = this.#changedIn(files);
    if (changed.length === 0) return;
    const shown = changed.slice(0, maxNamed);
    const why = this.reason(name, otherName, changed);
    const answer = await askUser(host, {
      about: "configuration",
      title: `Let ${name} go on with changed settings`,
      content: [
        toolContent.block(why),
        ...shown.map((path) => shownChange(path, this.#accepted.get(path), files.get(path))),
      ],
      offered: [["allow_once", "go_on", `Let ${name} go on`]],
    });
    if (answer === "refuse") throw new EngineFailure("refused", `${why}. ${name} has not been sent the prompt.`);
    // Exactly what was shown. The files may have changed since, and there may be more of them.
    const accepted = new Map(this.#accepted);
    for (const path of shown) {
      const file = files.get(path);
      if (file === undefined) accepted.delete(path);
      else accepted.set(path, file);
      if (file?.fingerprint === unreadFingerprint) this.acceptsUnread = true;
    }
    this.#accepted = accepted;
    this.#isKnown = true;
  }

  #changedIn(files: ConfigurationFiles): readonly string[] {
    const paths = [...new Set([...this.#accepted.keys(), ...files.keys()])];
    return paths.filter((path) => {
      const now = files.get(path)?.fingerprint;
      return now === unreadFingerprint ? !this.acceptsUnread : now !== this.#accepted.get(path)?.fingerprint;
    });
  }

  /** Why the user is asked. */
  reason(name: string, otherName: string, changed = this.#changedIn(this.#reader.read())): string {
    const named = changed.slice(0, maxNamed).map((path) => titleLine(path));
    const more =
      changed.length > named.length
        ? [`and ${changed.length - named.length} more, which you are asked about next`]
        : [];
    const change = this.#isKnown
      ? "since then files have changed"
      : "it is not known whether files have changed since then";
    return `${otherName} has worked in ${this.#worked ?? "this session"}, and ${change} that decide what ${name} runs, also without asking: ${[...named, ...more].join(", ")}`;
  }
}

/** What a question shows of a change. The accepted text is not known of a file that another run of the program has accepted. */
function shownChange(
  path: string,
  before: Pick<ConfigurationFile, "text"> | undefined,
  after: Pick<ConfigurationFile, "text"> | undefined,
): ReturnType<typeof toolContent.block | typeof toolContent.diff> {
  if (after !== undefined && after.text === undefined)
    return toolContent.block(`${oneLine(path)} is a link, too large to be shown, or cannot be compared.`);
  if (after === undefined && before?.text === undefined) return toolContent.block(`${oneLine(path)} was removed.`);
  return toolContent.diff(path, before === undefined ? null : (before.text ?? ""), after?.text ?? "");
}
