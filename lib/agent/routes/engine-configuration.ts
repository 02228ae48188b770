/**
 * Asks the user before an engine works with project files that decide what it runs without
 * asking, when the other engine may have changed them.
 *
 * Each engine protects its own files: Claude asks before it writes to `.claude`, and Codex's
 * sandbox cannot write to `.codex`. Neither engine protects the files of the other engine. What
 * the user has accepted is saved with the session (`accepted`), because another run of the
 * program may load it. In a loaded session whose files are not known, none is accepted.
 */
import { permissionOption, toolContent } from "../../acp/index.ts";
import { oneLine, titleLine, visibleContent } from "../../display/index.ts";
import { type ConversationHost, type ConversationRequest, type Engine, EngineFailure } from "../../engine/index.ts";
import type { Environment } from "../../process/index.ts";
import { type EngineId, engineIds, otherEngine } from "../route.ts";
import type { EngineTrack } from "./engine-track.ts";
import type { RoutedRecord } from "./routed-record.ts";
import { watchedPaths } from "./configuration-paths.ts";
import { type ConfigurationFile, type ConfigurationFiles, ConfigurationReader } from "./configuration-files.ts";

/** How many changed files a question names and shows. */
const maxNamed = 20;
/** A configuration of more files is not saved, so that nothing of it is accepted when the session is loaded. */
const maxSavedFiles = 200;

/** The fingerprints of the accepted files by path. */
export type SavedFiles = Readonly<Record<string, string>>;

/** For each engine whose files the other one may have changed: those that the user has accepted. */
export type AcceptedFiles = { readonly [E in EngineId]?: SavedFiles | "unknown" | undefined };

interface ConfigurationsOptions {
  /** Names the user's own directories. */
  readonly env: Environment;
  readonly engines: { readonly [E in EngineId]: Pick<Engine, "name"> };
  readonly request: Pick<ConversationRequest, "cwd" | "additionalDirectories" | "start">;
  readonly host: Pick<ConversationHost, "ask">;
  /** The engine whose conversation gives the session its id. */
  readonly owner: EngineId;
  /** What was saved with the session that is opened. */
  readonly record: Pick<RoutedRecord, "accepted" | "keep">;
}

/** The configurations of both engines of a session. */
export class EngineConfigurations {
  readonly #options: ConfigurationsOptions;
  readonly #of: { readonly [E in EngineId]: EngineConfiguration };

  constructor(options: ConfigurationsOptions) {
    this.#options = options;
    const { cwd, additionalDirectories } = options.request;
    const { accepted } = options.record;
    const of = (id: EngineId): EngineConfiguration =>
      new EngineConfiguration(
        new ConfigurationReader(id, watchedPaths(id, [cwd, ...additionalDirectories], options.env)),
        accepted[id],
      );
    this.#of = { claude: of("claude"), codex: of("codex") };
  }

  /**
   * What the user is told when the first engine of a loaded session is not started before the
   * user agrees to its configuration; undefined when it may start. Throws an `EngineFailure`
   * when the session has no id without the engine.
   */
  get startNotice(): string | undefined {
    const { owner, engines, request } = this.#options;
    if (this.isAccepted(owner)) return undefined;
    const { name } = engines[owner];
    const why = this.#of[owner].reason(name, engines[otherEngine(owner)].name);
    if (owner === "codex" && request.start.kind !== "resume")
      throw new EngineFailure("refused", `${why}. The session cannot be copied before you have agreed to that in it.`);
    return `${why}. ${name} is not started before you have agreed: you are asked at your next prompt.`;
  }

  /** Saves what the user has accepted in a session of both engines. Returns false when that failed. */
  keep(sessionId: () => string, tracks: readonly Pick<EngineTrack, "hasStarted" | "conversation">[]): boolean {
    const { owner, record } = this.#options;
    const parts = tracks.flatMap(({ hasStarted, conversation }) => (hasStarted ? [conversation.savedId] : []));
    const [claude, codex] = [this.#of.claude.accepted, this.#of.codex.accepted];
    const accepted = { ...(claude !== undefined && { claude }), ...(codex !== undefined && { codex }) };
    if (accepted[owner] === undefined && (parts.length < 2 || (claude ?? codex) === undefined)) return true;
    return record.keep({ sessionId: sessionId(), parts, accepted });
  }

  /** Why an engine gets no prompt: another run of the program would not know what it may have changed. */
  notKept(name: string): EngineFailure {
    const text = "which settings of the project you have accepted could not be saved";
    return new EngineFailure("refused", `${name} has not been sent the prompt: ${text}`);
  }

  /** An engine begins to work: what it changes of the other's configuration is asked about. */
  begins(engine: string): void {
    for (const id of engineIds) if (id !== engine) this.#of[id].otherWorks();
  }

  /** Whether `confirm` would ask nothing. */
  isAccepted(engine: string): boolean {
    return engineIds.every((id) => id !== engine || this.#of[id].isAccepted);
  }

  /** Asks the user before an engine goes on with a changed configuration. Rejects with an `EngineFailure` when it must not. */
  async confirm(engine: string): Promise<void> {
    const { engines, host } = this.#options;
    for (const id of engineIds)
      if (id === engine) await this.#of[id].confirm(engines[id].name, engines[otherEngine(id)].name, host);
  }
}

class EngineConfiguration {
  readonly #reader: ConfigurationReader;
  #accepted: ReadonlyMap<string, Pick<ConfigurationFile, "fingerprint" | "text">>;
  #hasOtherWorked: boolean;
  /** False in a loaded session without a record of what was accepted. */
  #isKnown: boolean;

  /** `saved`: the other engine has worked in the session before; otherwise the files are those that the user wants. */
  constructor(reader: ConfigurationReader, saved: SavedFiles | "unknown" | undefined) {
    this.#reader = reader;
    this.#hasOtherWorked = saved !== undefined;
    this.#isKnown = saved !== "unknown";
    const files = Object.entries(saved === "unknown" ? {} : (saved ?? {}));
    this.#accepted = new Map(files.map(([path, fingerprint]) => [path, { fingerprint, text: undefined }]));
  }

  get accepted(): SavedFiles | undefined {
    if (!this.#hasOtherWorked) return undefined;
    if (this.#accepted.size > maxSavedFiles) return {};
    return Object.fromEntries([...this.#accepted].map(([path, { fingerprint }]) => [path, fingerprint]));
  }

  get isAccepted(): boolean {
    return !this.#hasOtherWorked || this.#changedIn(this.#reader.read()).length === 0;
  }

  /** The other engine begins to work; it may change files from now on, also when its turn is over. */
  otherWorks(): void {
    // Until then they were the user's and the engine's own to change.
    if (!this.#hasOtherWorked) this.#accepted = this.#reader.read();
    this.#hasOtherWorked = true;
  }

  /** Asks the user about changed files. Rejects with an `EngineFailure` when the user does not want the engine to go on. */
  async confirm(name: string, otherName: string, host: Pick<ConversationHost, "ask">): Promise<void> {
    if (!this.#hasOtherWorked) return;
    const files = this.#reader.read();
    const changed = this.#changedIn(files);
    if (changed.length === 0) return;
    const why = this.reason(name, otherName, changed);
    const isAccepted = await host.ask(
      {
        toolCall: {
          toolCallId: `configuration-${crypto.randomUUID()}`,
          title: `Let ${name} go on with changed settings`,
          kind: "other",
          status: "pending",
          content: [
            ...visibleContent([
              toolContent.block(why),
              ...changed.slice(0, maxNamed).map((path) => shownChange(path, this.#accepted.get(path), files.get(path))),
            ]),
          ],
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
    this.#isKnown = true;
  }

  #changedIn(files: ConfigurationFiles): readonly string[] {
    const paths = [...new Set([...this.#accepted.keys(), ...files.keys()])];
    return paths.filter((path) => files.get(path)?.fingerprint !== this.#accepted.get(path)?.fingerprint);
  }

  /** Why the user is asked. */
  reason(name: string, otherName: string, changed = this.#changedIn(this.#reader.read())): string {
    const named = changed.slice(0, maxNamed).map((path) => titleLine(path));
    const more = changed.length > named.length ? [`and ${changed.length - named.length} more`] : [];
    const change = this.#isKnown
      ? "since then files have changed"
      : "it is not known whether files have changed since then";
    return `${otherName} has worked in this session, and ${change} that decide what ${name} runs, also without asking: ${[...named, ...more].join(", ")}`;
  }
}

/** What a question shows of a change. The accepted text is not known of a file that another run of the program has accepted. */
function shownChange(
  path: string,
  before: Pick<ConfigurationFile, "text"> | undefined,
  after: Pick<ConfigurationFile, "text"> | undefined,
): ReturnType<typeof toolContent.block | typeof toolContent.diff> {
  if (after !== undefined && after.text === undefined)
    return toolContent.block(`${oneLine(path)} is too large to be shown, or one of too many files to be compared.`);
  if (after === undefined && before?.text === undefined) return toolContent.block(`${oneLine(path)} was removed.`);
  return toolContent.diff(path, before === undefined ? null : (before.text ?? ""), after?.text ?? "");
}
