/**
 * Caches the models that Codex offers and the configuration of a directory.
 *
 * An entry is dropped when a file has changed from which Codex reads it, when Codex reports a
 * change of the account, after `maxAgeMs`, and with the app-server that answered. An answer that
 * was on its way during such a change is not cached. The sign-in is never cached.
 */
import { join } from "node:path";
import type { Environment } from "../../../process/index.ts";
import type { Schedule } from "../../../wire/index.ts";
import type { AppServer, ServerNotification } from "../../app-server/app-server.ts";
import { type CodexConfig, type CodexModel, ModelPage, ReadConfig } from "../../protocol/index.ts";
import { codexHome, configFingerprint, fingerprint } from "./config-fingerprint.ts";

/** How long an answer is kept. Codex also reads what is not in files, such as the settings of an organization. */
const maxAgeMs = 5 * 60_000;
/** For how many directories the configuration is kept. */
const maxDirectories = 32;

interface Kept<T> {
  readonly fingerprint: string;
  readonly answer: T;
}

export interface HostDataOptions {
  readonly env: Environment;
  readonly after: Schedule;
}

export class HostData {
  readonly #options: HostDataOptions;
  #server: AppServer | undefined;
  #models: Kept<readonly CodexModel[]> | undefined;
  /** By directory, oldest first. */
  readonly #configs = new Map<string, Kept<CodexConfig>>();
  /** Counts the changes, so that an answer from before the last one is not kept. */
  #changes = 0;
  #cancelExpiry: (() => void) | undefined;

  constructor(options: HostDataOptions) {
    this.#options = options;
  }

  async models(server: AppServer): Promise<readonly CodexModel[]> {
    this.#use(server);
    const now = this.#modelsFingerprint();
    if (this.#models?.fingerprint === now) return this.#models.answer;
    const changes = this.#changes;
    const { data } = await server.request("model/list", {}, ModelPage);
    if (changes === this.#changes) {
      this.#models = { fingerprint: now, answer: data };
      this.#startExpiry();
    }
    return data;
  }

  /** The effective configuration of a directory. */
  async config(server: AppServer, cwd: string): Promise<CodexConfig> {
    this.#use(server);
    const now = configFingerprint(this.#options.env, cwd);
    const kept = this.#configs.get(cwd);
    if (kept?.fingerprint === now) return kept.answer;
    const changes = this.#changes;
    const { config } = await server.request("config/read", { cwd }, ReadConfig);
    if (changes === this.#changes) {
      this.#configs.delete(cwd);
      this.#configs.set(cwd, { fingerprint: now, answer: config });
      const [oldest] = this.#configs.keys();
      if (this.#configs.size > maxDirectories && oldest !== undefined) this.#configs.delete(oldest);
      this.#startExpiry();
    }
    return config;
  }

  onNotification({ method }: ServerNotification): void {
    if (method.startsWith("account/") && method !== "account/rateLimits/updated") this.forget();
  }

  forget(): void {
    this.#changes++;
    this.#models = undefined;
    this.#configs.clear();
    this.#cancelExpiry?.();
    this.#cancelExpiry = undefined;
  }

  #use(server: AppServer): void {
    if (this.#server === server) return;
    this.forget();
    this.#server = server;
  }

  #startExpiry(): void {
    this.#cancelExpiry ??= this.#options.after(maxAgeMs, () => this.forget());
  }

  #modelsFingerprint(): string {
    const home = codexHome(this.#options.env);
    return fingerprint(["config.toml", "auth.json", "models_cache.json"].map((name) => join(home, name)));
  }
}
