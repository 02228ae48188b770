/**
 * A fake of the server that Codex asks for the limits of an account with a ChatGPT plan, and
 * the sign-in to such an account. The tokens are made up and not signed.
 */
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface ChatGptApi extends AsyncDisposable {
  /** A line of config.toml that leads Codex here. */
  readonly config: string;
}

/** Reports a plan whose 5-hour limit is used to `usedPercent`. */
export async function chatGptApi(usedPercent: number): Promise<ChatGptApi> {
  const limits = {
    plan_type: "plus",
    rate_limit: {
      allowed: true,
      limit_reached: false,
      primary_window: window(usedPercent, 18_000),
      secondary_window: window(12, 604_800),
    },
  };
  const server = createServer((request, response) => {
    const isUsage = request.url === "/backend-api/wham/usage" && request.headers.authorization === `Bearer ${token}`;
    response.writeHead(isUsage ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isUsage ? limits : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens
  return {
    config: `chatgpt_base_url = "http://127.0.0.1:${port}/backend-api"`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Writes the auth.json of a user who is signed in with a plan. */
export function signInWithChatGpt(codexHome: string): void {
  const tokens = { id_token: token, access_token: token, refresh_token: "made-up", account_id: "account-1" };
  const auth = { auth_mode: "chatgpt", OPENAI_API_KEY: null, tokens, last_refresh: new Date().toISOString() };
  writeFileSync(join(codexHome, "auth.json"), JSON.stringify(auth), { mode: 0o600 });
}

function window(usedPercent: number, seconds: number): Readonly<Record<string, number>> {
  return {
    used_percent: usedPercent,
    limit_window_seconds: seconds,
    reset_after_seconds: 100,
    reset_at: 1_800_000_000,
  };
}

const token = [
  { alg: "none", typ: "JWT" },
  {
    email: "dev@example.com",
    exp: 4_102_444_800,
    "https://api.openai.com/auth": {
      chatgpt_plan_type: "plus",
      chatgpt_user_id: "user-1",
      chatgpt_account_id: "account-1",
    },
  },
  "made up",
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  .join(".");
