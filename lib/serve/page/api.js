/**
 * HTTP client of the server: requests, and the event stream of a session.
 *
 * Every request carries the token in a header. A broken event stream is reopened after
 * the last event received.
 */

/** @typedef {{ type: string, [key: string]: any }} Packet */

/** The server answered with an error; `message` is its reason as a sentence. */
export class Refused extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** The server sends a keep-alive every 15 s; a stream that is silent for this long is dead. */
const silenceMs = 40_000;
const maxPauseMs = 8_000;

let token = "";

/** @param {string} given */
export function setToken(given) {
  token = given;
}

/** @param {string} method @param {string} path @param {unknown} [body] @returns {Promise<any>} */
export async function call(method, path, body) {
  const response = await request(path, { method, body: body === undefined ? null : JSON.stringify(body) });
  return response.status === 204 ? undefined : response.json();
}

/** The text of a file at an address of the server. @param {string} path @returns {Promise<string>} */
export async function text(path) {
  return (await request(path, { method: "GET" })).text();
}

/** @param {string} path @param {RequestInit} init @param {Record<string, string>} [more] */
async function request(path, init, more) {
  const type = init.body ? { "content-type": "application/json" } : {};
  const headers = { authorization: `Bearer ${token}`, accept: "application/json", ...type, ...more };
  const response = await fetch(path, { ...init, headers }).catch((cause) => {
    throw init.signal?.aborted ? cause : new Refused(0, "The server cannot be reached.");
  });
  if (response.ok) return response;
  const { message = response.statusText } = await response.json().catch(() => ({}));
  throw new Refused(response.status, sentence(message));
}

/** @param {string} text */
function sentence(text) {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

/**
 * Follows a session's events until the signal aborts, and reconnects when the stream
 * breaks. Rejects when the server answers with a 4xx status.
 * @param {string} id
 * @param {number} lastId
 * @param {{ onPacket: (packet: Packet) => void, onLine: (isUp: boolean) => void, signal: AbortSignal }} options
 */
export async function follow(id, lastId, { onPacket, onLine, signal }) {
  let at = lastId;
  for (let pauseMs = 250; !signal.aborted; pauseMs = Math.min(maxPauseMs, pauseMs * 2)) {
    try {
      await readStream(`sessions/${id}/events?strict=0`, at, signal, {
        onOpen: () => {
          pauseMs = 250;
          onLine(true);
        },
        onEvent: (eventId, data) => {
          at = eventId;
          onPacket(JSON.parse(data));
        },
      });
    } catch (cause) {
      if (signal.aborted) return;
      if (cause instanceof Refused && cause.status >= 400 && cause.status < 500) throw cause;
    }
    if (signal.aborted) return;
    onLine(false);
    await new Promise((resolve) => {
      setTimeout(resolve, pauseMs);
      window.addEventListener("online", resolve, { once: true });
    });
  }
}

/**
 * @param {string} path
 * @param {number} lastId
 * @param {AbortSignal} signal
 * @param {{ onOpen: () => void, onEvent: (id: number, data: string) => void }} callbacks
 */
async function readStream(path, lastId, signal, { onOpen, onEvent }) {
  const connection = new AbortController();
  const hangUp = () => connection.abort();
  signal.addEventListener("abort", hangUp);
  let watch = setTimeout(hangUp, silenceMs);
  try {
    const headers = { accept: "text/event-stream", "last-event-id": String(lastId) };
    const response = await request(path, { signal: connection.signal, cache: "no-store" }, headers);
    onOpen();
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ;) {
      const { value, done } = (await reader?.read()) ?? { value: "", done: true };
      if (done) return;
      clearTimeout(watch);
      watch = setTimeout(hangUp, silenceMs);
      const events = (rest + value).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const [, id] = /^id: (\d+)$/m.exec(event) ?? [];
        // Not `.*$`: JSON may hold U+2028 and U+2029, which end a line for a regular expression.
        const [, data] = /^data: ([^\n]*)/m.exec(event) ?? [];
        if (id !== undefined && data !== undefined) onEvent(Number(id), data);
      }
    }
  } finally {
    clearTimeout(watch);
    signal.removeEventListener("abort", hangUp);
    hangUp();
  }
}
