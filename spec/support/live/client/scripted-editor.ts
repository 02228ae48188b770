/**
 * The client's side of ACP, with answers that a test sets.
 *
 * Files come from buffers first and then from disk, as in an editor with unsaved text.
 * Terminals are real processes. Permission requests and forms are answered from queues
 * and kept. Has no connection.
 */
import {
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type ReadTextFileRequest,
  type ReadTextFileResponse,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type WriteTextFileRequest,
  RequestError,
} from "@agentclientprotocol/sdk";
import { readFile, stat, writeFile } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { Log } from "./event-log.ts";
import { Terminals } from "./real-terminals.ts";

/**
 * "wait" stays open until the session is cancelled or the agent withdraws the
 * request; "never" stays open whatever happens.
 */
export type PermissionAnswer =
  | "allow"
  | "always"
  | "reject"
  | "reject_always"
  | "cancel"
  | "wait"
  | "never"
  | { readonly optionId: string; readonly _meta?: Record<string, unknown> }
  | ((request: RequestPermissionRequest) => PermissionAnswer | Promise<PermissionAnswer>);

export interface AskedPermission {
  readonly request: RequestPermissionRequest;
  /** Set when the request was answered. */
  outcome?: RequestPermissionOutcome;
  /** The agent took its request back. */
  isWithdrawn: boolean;
}

export type ElicitationAnswer =
  | CreateElicitationResponse
  | ((request: CreateElicitationRequest) => CreateElicitationResponse | Promise<CreateElicitationResponse>);

export class Editor {
  /** First in, first out; when empty, `usual` answers. */
  readonly permissionAnswers: PermissionAnswer[] = [];
  usual: PermissionAnswer = "allow";
  /** Lets both engines work in one directory; the list of answers is for the other questions. */
  letsEnginesShare = true;
  readonly asked = new Log<AskedPermission>("permissions", ({ request }) => JSON.stringify(request.toolCall));
  readonly elicitationAnswers: ElicitationAnswer[] = [];
  readonly elicited: Log<CreateElicitationRequest> = new Log("elicitations");
  /** Text that is open and perhaps not saved, by absolute path. */
  readonly buffers = new Map<string, string>();
  /** A write also reaches the disk. */
  savesToDisk = true;
  readonly reads: ReadTextFileRequest[] = [];
  readonly writes: WriteTextFileRequest[] = [];
  readonly terminals: Terminals = new Terminals();
  readonly #waiting = new Map<string, Set<() => void>>();

  async permission(request: RequestPermissionRequest, withdrawn: AbortSignal): Promise<RequestPermissionOutcome> {
    const asked: AskedPermission = { request, isWithdrawn: false };
    withdrawn.addEventListener("abort", () => (asked.isWithdrawn = true), { once: true });
    const share = request.options.find(({ optionId }) => optionId === "share_directory");
    const isShared = share !== undefined && this.letsEnginesShare;
    const answer = isShared ? { optionId: share.optionId } : (this.permissionAnswers.shift() ?? this.usual);
    this.asked.push(asked);
    asked.outcome = await this.#outcome(request, answer, withdrawn);
    return asked.outcome;
  }

  /** A client that cancels must answer open permission requests with `cancelled`. */
  cancelled(sessionId: string): void {
    for (const go of this.#waiting.get(sessionId) ?? []) go();
  }

  async elicit(request: CreateElicitationRequest): Promise<CreateElicitationResponse> {
    const answer = this.elicitationAnswers.shift() ?? { action: "cancel" };
    this.elicited.push(request);
    return typeof answer === "function" ? await answer(request) : answer;
  }

  async read(request: ReadTextFileRequest): Promise<ReadTextFileResponse> {
    this.reads.push(request);
    const { path, line, limit } = request;
    const text = this.buffers.get(path) ?? (await onDisk(path));
    if (line == null && limit == null) return { content: text };
    const from = Math.max(1, line ?? 1) - 1;
    const lines = text.split(/(?<=\n)/);
    return { content: lines.slice(from, limit == null ? undefined : from + limit).join("") };
  }

  async write(request: WriteTextFileRequest): Promise<void> {
    this.writes.push(request);
    // Paths are absolute in the protocol; a relative path would write into the directory of the test.
    if (!isAbsolute(request.path)) throw RequestError.invalidParams({ path: request.path });
    if (this.buffers.has(request.path) || !this.savesToDisk) this.buffers.set(request.path, request.content);
    if (this.savesToDisk) await writeFile(request.path, request.content);
  }

  async #outcome(
    request: RequestPermissionRequest,
    answer: PermissionAnswer,
    withdrawn: AbortSignal,
  ): Promise<RequestPermissionOutcome> {
    if (typeof answer === "function") return this.#outcome(request, await answer(request), withdrawn);
    if (typeof answer === "object") return { outcome: "selected", ...answer };
    switch (answer) {
      case "never":
        return new Promise(() => {});
      case "wait":
        return this.#cancelOf(request.sessionId, withdrawn);
      case "cancel":
        return { outcome: "cancelled" };
      case "allow":
      case "always":
      case "reject":
      case "reject_always": {
        const kind = optionKinds[answer];
        const option = request.options.find((offered) => offered.kind === kind);
        if (option === undefined) throw new Error(`no option of kind ${kind} was offered`);
        return { outcome: "selected", optionId: option.optionId };
      }
    }
  }

  #cancelOf(sessionId: string, withdrawn: AbortSignal): Promise<RequestPermissionOutcome> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(sessionId) ?? new Set();
      this.#waiting.set(sessionId, waiting);
      const go = (): void => {
        waiting.delete(go);
        resolve({ outcome: "cancelled" });
      };
      waiting.add(go);
      withdrawn.addEventListener("abort", go, { once: true });
    });
  }
}

const optionKinds = {
  allow: "allow_once",
  always: "allow_always",
  reject: "reject_once",
  reject_always: "reject_always",
} as const;

async function onDisk(path: string): Promise<string> {
  try {
    // An editor opens no devices; reading /dev/zero or a terminal would not end.
    if (!isAbsolute(path) || !(await stat(path)).isFile()) throw new Error("is no regular file");
    return await readFile(path, "utf8");
  } catch {
    throw RequestError.resourceNotFound(path);
  }
}
