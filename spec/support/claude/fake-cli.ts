/**
 * A fake Claude CLI that sends the events of the spec.
 *
 * `fakeClis` is a launcher; each launch adds one to `runs`. A fake CLI answers
 * `initialize` and requests for its settings automatically unless the options turn that off, and
 * keeps every frame it received.
 */
import { type Link, memoryPair } from "../../../lib/wire/index.ts";
import { ClaudeExit, type ClaudeLink, type LaunchedCli } from "../../../lib/claude/index.ts";
import type { LaunchRequest } from "../../../lib/claude/engine/run/launcher.ts";

export type Frame = Readonly<Record<string, any>>;

/** The bridge asks without a session's id. */
type FakeCliRequest = Omit<LaunchRequest, "sessionId">;

export class FakeCli {
  readonly request: FakeCliRequest;
  readonly link: ClaudeLink;
  readonly frames: Frame[] = [];
  /** How the CLI exited, for `die`. */
  exit: ClaudeExit | undefined;
  isOpen = true;
  readonly #far: Link;
  readonly #waiting: { readonly is: (frame: Frame) => boolean; readonly resolve: (frame: Frame) => void }[] = [];
  #heard = 0;

  constructor(request: FakeCliRequest, answer: Frame | undefined, settings: Frame = { effective: {} }) {
    this.request = request;
    const [near, far] = memoryPair();
    this.#far = far;
    this.link = { ...near, exit: () => this.exit };
    far.open({
      onLine: (line) => {
        const frame: Frame = JSON.parse(line);
        this.frames.push(frame);
        if (answer !== undefined && frame["request"]?.subtype === "initialize") this.answer(frame, answer);
        if (frame["request"]?.subtype === "get_settings") this.answer(frame, settings);
        if (frame["request"]?.subtype === "get_hooks_listing") this.answer(frame, { hooks: settings["hooks"] ?? [] });
        if (frame["request"]?.subtype === "list_permission_rules") {
          this.answer(frame, {
            state: { rules: settings["rules"] ?? [], originalCwd: settings["originalCwd"] ?? request.cwd },
          });
        }
        if (frame["request"]?.subtype === "get_plan") this.answer(frame, { path: settings["plan"] });
        this.#look();
      },
      onFault: () => {},
      onDrain: () => {},
      onEnd: () => far.close("the host went"),
      onClose: () => void (this.isOpen = false),
    });
  }

  say(...events: readonly Frame[]): void {
    for (const event of events) this.tell(event);
  }

  /** False: the host lags. */
  tell(event: Frame): boolean {
    return this.#far.send(JSON.stringify(event));
  }

  answer({ request_id }: Frame, response: Frame): void {
    this.say({ type: "control_response", response: { subtype: "success", request_id, response } });
  }

  /** The next unread frame of this kind: a type, or the subtype of a control request. */
  hear(kind: string): Promise<Frame> {
    return new Promise((resolve) => {
      this.#waiting.push({ is: (frame) => frame["type"] === kind || frame["request"]?.subtype === kind, resolve });
      this.#look();
    });
  }

  die(
    reason = "the Claude CLI was ended by SIGKILL",
    code: number | null = null,
    stderr: readonly string[] = [],
  ): void {
    this.exit = new ClaudeExit(reason, { code, signal: code === null ? "SIGKILL" : null, stderr });
    this.#far.close(reason);
  }

  #look(): void {
    for (; this.#waiting.length > 0 && this.#heard < this.frames.length; this.#heard++) {
      const frame = this.frames[this.#heard];
      const [first] = this.#waiting;
      if (frame !== undefined && first?.is(frame)) {
        this.#waiting.shift();
        first.resolve(frame);
      }
    }
  }
}

export interface FakeClis {
  readonly launcher: (request: FakeCliRequest) => LaunchedCli;
  readonly runs: FakeCli[];
  /** The n-th launched CLI, counted from 0, once it is launched. */
  readonly run: (nth: number) => Promise<FakeCli>;
  /** The response to `initialize`; undefined leaves it unanswered. */
  answer: Frame | undefined;
  /** The initial value of `answer`. */
  readonly usual: Frame | undefined;
  diagnose: (() => Promise<void>) | undefined;
  /** The response to `get_settings`. */
  settings: Frame;
}

export function fakeClis(answer: Frame | undefined = offers): FakeClis {
  const waiting = new Map<number, (fakeCli: FakeCli) => void>();
  const all: FakeClis = {
    runs: [],
    run: (nth) => {
      const started = all.runs[nth];
      return started === undefined ? new Promise((resolve) => waiting.set(nth, resolve)) : Promise.resolve(started);
    },
    answer,
    usual: answer,
    diagnose: undefined,
    settings: { effective: {} },
    launcher: (request): LaunchedCli => {
      const fakeCli = new FakeCli(request, all.answer, all.settings);
      waiting.get(all.runs.push(fakeCli) - 1)?.(fakeCli);
      return { link: fakeCli.link, ready: () => {}, diagnose: all.diagnose };
    },
  };
  return all;
}

const levels = ["low", "medium", "high"];

/** A small set of what a CLI offers. */
export const offers: Frame = {
  commands: [{ name: "compact", description: "Free up context" }],
  models: [
    {
      value: "default",
      resolvedModel: "opus-5",
      displayName: "Default",
      supportsEffort: true,
      supportedEffortLevels: levels,
      supportsAutoMode: true,
    },
    {
      value: "opus",
      resolvedModel: "opus-5",
      displayName: "Opus",
      supportsEffort: true,
      supportedEffortLevels: levels,
    },
    { value: "haiku", resolvedModel: "haiku-5", displayName: "Haiku" },
  ],
  account: { tokenSource: "none", apiKeySource: "ANTHROPIC_API_KEY", apiProvider: "firstParty" },
  current_permission_mode: "default",
  claude_code_version: "2.1.325",
};
