/**
 * Keeps one engine from running while the other could rewrite its configuration. Concerns
 * engines whose directories overlap.
 *
 * Claude watches its settings and runs the hooks in them at once, also between turns. A command
 * in Codex's sandbox may write them: in a turn, or in the background afterwards. So Claude is
 * stopped before Codex works, and not started beside its work unless the user agrees; engines that
 * always asked (`EngineTrack.isConfined`) are no danger. Codex takes over neither MCP servers nor
 * rules while it runs (measured: spec/live/duet/codex-reload.live.ts), so it is not stopped.
 */
import { toolContent } from "../../acp/index.ts";
import { titleLine } from "../../display/index.ts";
import { type BackgroundTask, type ConversationHost, EngineFailure, type TaskControl } from "../../engine/index.ts";
import { isWithinReach } from "./directory-consent.ts";
import { askUser } from "./engine-question.ts";
import type { EngineTrack } from "./engine-track.ts";

export interface EngineIsolationOptions {
  /** The engines of all sessions. */
  readonly all: ReadonlySet<EngineTrack>;
  /** Those of this session. */
  readonly own: () => readonly EngineTrack[];
  readonly host: Pick<ConversationHost, "ask">;
}

type IsolationAnswer = "stop_them" | "go_on";
/** How many background tasks a question names. */
const maxNamed = 10;
/** How often other engines are stopped before a prompt. */
const maxRounds = 12;

export class EngineIsolation {
  readonly #options: EngineIsolationOptions;
  /** Background tasks and turns beside which the user lets an engine work. */
  readonly #accepted = new Set<string>();

  constructor(options: EngineIsolationOptions) {
    this.#options = options;
  }

  /**
   * Stops the engines that would reload what `track` may write; undefined when there is none.
   * Rejects with an `EngineFailure` when the user does not want one of this session to be stopped.
   */
  stopBeside(track: EngineTrack): Promise<void> | undefined {
    const running = track.isConfined ? [] : [...this.#options.all].filter((one) => isReloading(one, track));
    const unasked = running.filter((one) => !(this.#accepted.has(one.turnId) && (one.isNeeded() || one.isBusy)));
    return unasked.length === 0 ? undefined : this.#stop(unasked, track);
  }

  /**
   * The same before a prompt, until none is left; `again` makes the engine ready once more, because one that was
   * stopped may have changed something until then. No engine is started meanwhile beside this one.
   */
  async stopAll(track: EngineTrack, isWanted: () => boolean, again: () => Promise<void>): Promise<void> {
    track.isAboutToWork = isWanted;
    try {
      await this.#stopRounds(track, again);
    } catch (cause) {
      track.isAboutToWork = () => false;
      throw cause;
    }
  }

  async #stopRounds(track: EngineTrack, again: () => Promise<void>): Promise<void> {
    for (let round = 0; round < maxRounds; round++) {
      const stopping = this.stopBeside(track);
      if (stopping === undefined) return;
      await stopping;
      await again();
    }
    throw new EngineFailure(
      "refused",
      `Other engines are started again and again. ${track.engine.name} has not been sent the prompt.`,
    );
  }

  /**
   * Asks the user before an engine that reloads its configuration runs beside background tasks or a
   * prompt of the other engine. Resolves with whether the user was asked. Rejects with an
   * `EngineFailure` when the engine must not run.
   */
  async confirmStart(track: EngineTrack): Promise<boolean> {
    let hasAsked = false;
    for (const other of this.#others(track)) {
      const running = await this.#runningOf(other);
      if (running.length === 0) continue;
      hasAsked = true;
      const [name, otherName] = [track.engine.name, other.engine.name];
      const why = reasonOf(track, other, running);
      const unstoppable: readonly string[] = [unlistedOf(other), other.turnId, agentsOf(other)];
      const canStop = running.every(({ id }) => !unstoppable.includes(id));
      const answer = await this.#ask(`Let ${name} work beside ${otherName}`, why, [
        ...(canStop ? [["stop_them", `Stop the tasks of ${otherName}, then go on`] as const] : []),
        ["go_on", `Let ${name} go on beside them`],
      ]);
      if (answer === "refuse") throw new EngineFailure("refused", `${why} ${name} has not been sent the prompt.`);
      if (answer === "stop_them") for (const { id } of running) await other.controls?.tasks?.stop(id);
      else for (const { id } of running) this.#accepted.add(id);
    }
    return hasAsked;
  }

  /** What `confirmStart` would ask. */
  async objection(track: EngineTrack): Promise<string | undefined> {
    for (const other of this.#others(track)) {
      const running = await this.#runningOf(other);
      if (running.length > 0) return reasonOf(track, other, running);
    }
    return undefined;
  }

  /** The same about prompts alone, without waiting for anything. */
  promptObjection(track: EngineTrack): string | undefined {
    const beside = this.#others(track).find((other) => isPrompted(other) && !this.#accepted.has(other.turnId));
    return beside === undefined ? undefined : reasonOf(track, beside, [{ title: "a prompt" }]);
  }

  /** The engines that may write what `track` reloads. */
  #others(track: EngineTrack): readonly EngineTrack[] {
    if (!track.engine.capabilities.reloadsConfiguration) return [];
    return [...this.#options.all].filter(
      (one) => one.engine.id !== track.engine.id && !one.isConfined && isWithinReach(track, one),
    );
  }

  /** The tasks and the prompt of an engine that the user has not agreed to yet. */
  async #runningOf(other: EngineTrack): Promise<readonly Pick<BackgroundTask, "id" | "title">[]> {
    const tasks = await listed(other, other.conversation.isRunning ? other.controls?.tasks : undefined);
    const title = this.#options.own().includes(other) ? "a prompt" : "a prompt in another session";
    const { isRunning, mayHaveAgents } = other.conversation;
    const running = [
      ...tasks,
      ...(isPrompted(other) ? [{ id: other.turnId, title }] : []),
      ...(isRunning && mayHaveAgents === true ? [{ id: agentsOf(other), title: "perhaps a subagent" }] : []),
    ];
    return running.filter(({ id }) => !this.#accepted.has(id));
  }

  async #stop(running: readonly EngineTrack[], track: EngineTrack): Promise<void> {
    const { name } = track.engine;
    for (const one of running) {
      // Until it has started it reads its settings, and runs hooks of them.
      await one.starting?.catch(() => {});
      if (!one.conversation.isRunning) continue;
      const isOwn = this.#options.own().includes(one);
      // A prompt of another session may be on its way to its engine.
      if (!(!isOwn && one.isNeeded()) && one.conversation.release(`${name} begins to work`)) continue;
      if (this.#accepted.has(one.turnId)) continue;
      const what = isOwn ? "still works in the background" : "works in another session of this directory";
      const why = `${one.engine.name} ${what}, and would run hooks that ${name} writes into its settings.`;
      const answer = await this.#ask(`Let ${name} work beside ${one.engine.name}`, why, [
        isOwn ? ["stop_them", `Stop ${one.engine.name}, then go on`] : ["go_on", `Let ${name} go on beside it`],
      ]);
      if (answer === "refuse") throw new EngineFailure("refused", `${why} ${name} has not been sent the prompt.`);
      if (isOwn) one.conversation.abandon(`${name} begins to work`);
      else this.#accepted.add(one.turnId);
    }
    await Promise.all(running.flatMap(({ conversation }) => conversation.exited ?? []));
  }

  #ask(title: string, why: string, offered: readonly (readonly [IsolationAnswer, string])[]): Promise<string> {
    return askUser(this.#options.host, {
      about: "isolation",
      title,
      content: [toolContent.block(why)],
      offered: offered.map(([answer, label]) => ["allow_once", answer, label]),
    });
  }
}

/** Whether an engine runs, or is being started, that would reload what `other` writes. */
function isReloading(one: EngineTrack, other: EngineTrack): boolean {
  const { engine, conversation, starting } = one;
  return (
    engine.id !== other.engine.id &&
    engine.capabilities.reloadsConfiguration &&
    (starting !== undefined || conversation.isRunning) &&
    isWithinReach(one, other)
  );
}

function reasonOf(
  { engine: { name } }: EngineTrack,
  other: EngineTrack,
  running: readonly Pick<BackgroundTask, "title">[],
): string {
  return `${other.engine.name} still runs: ${named(running)}. That may change files which decide what ${name} runs, also without asking.`;
}

/** The placeholder for the subagents of an engine's last turn and of earlier ones. */
function agentsOf({ turnId }: EngineTrack): string {
  return `agents-${turnId}`;
}

/** The placeholder for tasks that an engine cannot list. */
function unlistedOf({ turnId }: EngineTrack): string {
  return `unlisted-${turnId}`;
}

function isPrompted({ isWorking, isAboutToWork }: EngineTrack): boolean {
  return isWorking || isAboutToWork();
}

/** An engine that cannot list its tasks may have some. */
async function listed(
  other: EngineTrack,
  control: TaskControl | undefined,
): Promise<readonly Pick<BackgroundTask, "id" | "title">[]> {
  const unlisted = [{ id: unlistedOf(other), title: "commands that could not be listed" }];
  return (await control?.list().catch(() => unlisted)) ?? [];
}

function named(tasks: readonly Pick<BackgroundTask, "title">[]): string {
  const titles = tasks.slice(0, maxNamed).map(({ title }) => titleLine(title));
  const more = tasks.length > titles.length ? [`and ${tasks.length - titles.length} more`] : [];
  return [...titles, ...more].join(", ");
}
