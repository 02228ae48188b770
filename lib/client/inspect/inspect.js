// The page of `bowline inspect`: a tape's rows in, a list, a time axis and a tree out.
// What a tape says is only ever set as text, never as markup.
"use strict";

const $ = (id) => document.getElementById(id);
const make = (tag, name, ...inside) => {
  const one = document.createElement(tag);
  if (name) one.className = name;
  one.append(...inside);
  return one;
};
const isObject = (value) => typeof value === "object" && value !== null;
const short = (value, most = 240) => {
  const text = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  return text.slice(0, most).replace(/\s+/g, " ");
};
const time = (ms) =>
  ms < 1
    ? `${ms.toFixed(2)} ms`
    : ms < 999.5
      ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
      : ms < 60_000
        ? `${(ms / 1000).toFixed(2)} s`
        : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
const size = (chars) =>
  chars < 1024
    ? `${chars} B`
    : chars < 1048576
      ? `${(chars / 1024).toFixed(1)} KB`
      : `${(chars / 1048576).toFixed(1)} MB`;
const many = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

/* ---- What the rows mean ---- */

const blocks = (list) =>
  (Array.isArray(list) ? list : []).map((block) => block?.text ?? block?.name ?? block?.uri ?? block?.type).join(" ");

/** A message in a name and some words; `family` is the stream it is a piece of. */
function describe(side, msg, asked) {
  if (!isObject(msg)) return ["not JSON", ""];
  return side === "acp" ? describeAcp(msg, asked) : describeClaude(msg, asked);
}

function describeAcp({ method, params, result, error }, asked) {
  if (method === "session/update") {
    const update = params?.update ?? {};
    const kind = update.sessionUpdate;
    const family = { agent_message_chunk: "text", agent_thought_chunk: "thought" }[kind];
    const said = update.content?.text ?? update.title ?? update.entries?.map((entry) => entry.content).join(", ") ?? "";
    if (family && typeof said === "string") return [kind, said, family];
    return [kind ?? method, [short(said), update.status].filter(Boolean).join(" · ")];
  }
  if (method !== undefined) {
    const { prompt, toolCall, path, command, cwd, modeId, configId, value, clientInfo, sessionId } = params ?? {};
    const said = prompt
      ? blocks(prompt)
      : (toolCall?.title ??
        path ??
        command ??
        cwd ??
        modeId ??
        (configId && `${configId} = ${value}`) ??
        clientInfo?.title ??
        clientInfo?.name ??
        sessionId);
    return [method, short(said)];
  }
  if (error !== undefined) return [`${asked ?? "answer"}`, short(error?.message ?? error)];
  const { stopReason, outcome, sessionId, agentInfo, terminalId, content } = result ?? {};
  return [
    asked ?? "answer",
    short(
      stopReason ??
        outcome?.optionId ??
        outcome?.outcome ??
        terminalId ??
        content ??
        sessionId ??
        (agentInfo && `${agentInfo.title ?? agentInfo.name} ${agentInfo.version}`) ??
        result,
    ),
  ];
}

function describeClaude(msg, asked) {
  const { type, subtype, event, message, request, response } = msg;
  if (type === "stream_event") {
    const { delta = {}, content_block: block } = event ?? {};
    const family = { text_delta: "text", thinking_delta: "thought", input_json_delta: "input" }[delta.type];
    return [
      family ? delta.type : `${event?.type}`,
      delta.text ?? delta.thinking ?? delta.partial_json ?? block?.name ?? block?.type ?? "",
      family,
    ];
  }
  if (type === "control_request")
    return [`${request?.subtype}`, short(request?.tool_name ?? request?.mode ?? request?.model ?? "")];
  if (type === "control_response")
    return [asked ?? type, short(response?.response?.behavior ?? response?.error ?? response?.subtype)];
  if (type === "assistant" || type === "user") {
    const { content } = message ?? {};
    return [type, short(typeof content === "string" ? content : blocks(content))];
  }
  if (type === "result") return [type, short([subtype, msg.result].filter(Boolean).join(" · "))];
  return [subtype ? `${type}/${subtype}` : `${type}`, short(msg.status ?? msg.state ?? msg.model ?? "")];
}

/** Every row as what is shown of it. */
function read(text) {
  const tape = { meta: {}, rows: [], sessions: new Map(), tools: new Map(), problems: 0, chars: 0 };
  const open = new Map();
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const row = JSON.parse(line);
    if (row.dir === "meta" && row.session === undefined) Object.assign(tape.meta, row);
    if (row.dir === "problem") {
      const last = tape.rows.at(-1);
      tape.problems++;
      if (last) (last.problems ??= []).push(row.about);
      continue;
    }
    if (row.dir === "meta" && row.session === undefined) continue;
    const { msg } = row;
    const side = row.side ?? (msg?.jsonrpc ? "acp" : "claude");
    const one = {
      i: tape.rows.length,
      t: row.t ?? 0,
      side,
      dir: row.dir,
      line,
      chars: Math.max(0, line.length - line.indexOf('"msg":') - 7),
    };
    tape.rows.push(one);
    if (row.dir !== "in" && row.dir !== "out") {
      one.name = row.dir === "meta" ? "claude starts" : row.dir;
      one.say = short(row.text ?? row.cwd ?? (row.dir === "exit" ? (row.signal ?? `code ${row.code}`) : ""));
      one.session = row.session;
      one.chars = 0;
      continue;
    }
    if (row.eof) {
      Object.assign(one, { name: "end of input", say: "", session: row.session, chars: 0 });
      continue;
    }
    tape.chars += one.chars;
    // An answer goes the other way than its question.
    const ask =
      side === "acp"
        ? msg?.id === undefined
          ? undefined
          : JSON.stringify(msg.id)
        : (msg?.request_id ?? msg?.response?.request_id);
    const isQuestion = side === "acp" ? msg?.method !== undefined : msg?.type === "control_request";
    const way = isQuestion === (row.dir === "in") ? "in" : "out";
    const key = `${side} ${row.session ?? ""} ${way} ${ask}`;
    const question = ask !== undefined && !isQuestion ? open.get(key) : undefined;
    if (ask !== undefined && isQuestion) open.set(key, one);
    if (question) {
      open.delete(key);
      Object.assign(one, { pair: question, isAnswer: true, ms: one.t - question.t });
      Object.assign(question, { pair: one, ms: one.ms });
    }
    [one.name, one.say, one.family] = describe(side, isObject(msg) ? msg : (row.raw ?? msg), question?.name);
    if (!isObject(msg)) one.say = short(row.raw);
    one.isAnswer ||= side === "acp" && msg?.method === undefined && ask !== undefined;
    one.isError =
      isObject(msg) &&
      (msg.error !== undefined ||
        msg.is_error === true ||
        msg.response?.subtype === "error" ||
        msg.params?.update?.status === "failed");
    one.session = row.session ?? msg?.params?.sessionId ?? question?.session ?? msg?.result?.sessionId;
    if (question && question.session === undefined) question.session = one.session;
    tools(tape.tools, one, msg);
  }
  const known = new Set(
    tape.rows.filter(({ side, session }) => side === "acp" && session !== undefined).map(({ session }) => session),
  );
  const only = known.size === 1 ? [...known][0] : known.size === 0 ? "" : undefined;
  for (const one of tape.rows) if (one.side === "claude") one.session ??= only;
  turns(tape);
  tape.end = tape.rows.reduce((end, { t }) => Math.max(end, t), 0);
  return tape;
}

/** Tool calls, from their first word to their end. */
function tools(all, one, msg) {
  const begin = (id, title) =>
    all.has(id) || all.set(id, (one.tool = { title, row: one, from: one.t, to: one.t, status: "" }));
  const finish = (id, status) => {
    const tool = all.get(id);
    if (tool) Object.assign(tool, { to: one.t, status }).row.ms = one.t - tool.from;
  };
  const update = msg?.method === "session/update" ? msg.params?.update : undefined;
  if (update?.toolCallId) {
    if (update.sessionUpdate === "tool_call") begin(update.toolCallId, update.title);
    if (/^(completed|failed)$/.test(update.status)) finish(update.toolCallId, update.status);
  }
  for (const block of Array.isArray(msg?.message?.content) ? msg.message.content : []) {
    if (block?.type === "tool_use") begin(block.id, block.name);
    if (block?.type === "tool_result" && all.get(block.tool_use_id)?.row.side === "claude")
      finish(block.tool_use_id, block.is_error ? "failed" : "completed");
  }
}

/** Sessions in the order they began, each with its turns. */
function turns(tape) {
  for (const one of tape.rows) {
    if (one.session === undefined) continue;
    let session = tape.sessions.get(one.session);
    if (!session) tape.sessions.set(one.session, (session = { id: one.session, rows: [], turns: [] }));
    session.rows.push(one);
  }
  for (const session of tape.sessions.values()) {
    const isAcp = session.rows.some(({ name, side }) => side === "acp" && name === "session/prompt");
    const running = [];
    for (const one of session.rows) {
      const begins = isAcp
        ? one.name === "session/prompt" && !one.isAnswer
        : one.side === "claude" && one.dir === "in" && one.name === "user";
      const ends = isAcp ? one.name === "session/prompt" && one.isAnswer : one.name === "result";
      if (begins) {
        const turn = { first: one, last: undefined, rows: [], n: session.turns.length + 1, session };
        session.turns.push(turn);
        running.push(turn);
      }
      one.turn = running.at(0);
      if (one.turn) one.turn.rows.push(one);
      if (ends) {
        const turn = (isAcp ? running.find(({ first }) => first === one.pair) : undefined) ?? running[0];
        if (turn) running.splice(running.indexOf(turn), 1)[0].last = one;
      }
    }
  }
}

/* ---- What is shown ---- */

const bytes = atob($("tape").textContent);
const packed = new Uint8Array(bytes.length);
for (let i = 0; i < bytes.length; i++) packed[i] = bytes.charCodeAt(i);
$("tape").remove();
new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")))
  .text()
  .then(show)
  .catch((cause) => ($("title").textContent = `this page cannot be shown: ${cause}`));

function show(text) {
  const tape = read(text);
  const { rows, sessions, meta } = tape;
  const hasClaude = rows.some(({ side }) => side === "claude");
  const hasAcp = rows.some(({ side }) => side === "acp");
  const lanes = [hasAcp && "Editor", "Agent", hasClaude && "Claude"].filter(Boolean);
  const place = (lane) =>
    12 + ((lanes.indexOf(lane) === -1 ? 0 : lanes.indexOf(lane)) * 76) / Math.max(1, lanes.length - 1);
  const state = {
    search: "",
    side: "",
    bad: false,
    flat: false,
    chosen: undefined,
    items: [],
    shut: new Set(),
    run: new Set(),
  };
  const list = $("list");
  const rowHeight = 26;

  const folded =
    rows.length > 300 && [...sessions.values()].reduce((sum, session) => sum + session.turns.length, 0) > 1;
  for (const session of sessions.values()) if (folded) session.turns.forEach((turn) => state.shut.add(turn));

  const command = Array.isArray(meta.command)
    ? meta.command.map((word) => word.split(/[\\/]/).pop()).join(" ")
    : undefined;
  $("title").textContent = short(command ?? (meta.recorded === "agent" ? "bowline" : (meta.file ?? "a tape")), 80);
  document.title = `${$("title").textContent} · bowline inspect`;
  const facts = [
    meta.start && new Date(meta.start).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" }),
    time(tape.end),
    many(rows.length, "row"),
    size(tape.chars),
    many(sessions.size, "session"),
    tape.tools.size > 0 && many(tape.tools.size, "tool call"),
  ];
  $("facts").append(...facts.filter(Boolean).map((fact) => make("span", "", fact)));
  $("facts").append(
    make("span", tape.problems ? "bad" : "", tape.problems ? many(tape.problems, "problem") : "no problems"),
  );

  /* The list: what passes the filters, under its session and turn, streams as one. */
  function filtered(one) {
    if (state.side && one.side !== state.side) return false;
    if (state.bad && !one.problems && !one.isError) return false;
    return !state.search || (one.low ??= one.line.toLowerCase()).includes(state.search);
  }

  function arrange() {
    const items = [];
    const isWide = !state.search && !state.bad;
    const put = (all) => {
      for (let i = 0; i < all.length; i++) {
        const one = all[i];
        if (!filtered(one)) continue;
        let end = i + 1;
        if (one.family && isWide) while (end < all.length && all[end].family === one.family) end++;
        if (end - i < 3) {
          items.push({ kind: "row", one });
          continue;
        }
        const run = (one.run ??= { first: one, rows: [] });
        run.rows = all.slice(i, end).filter(filtered);
        items.push({ kind: "run", one, run });
        if (state.run.has(run)) for (const inner of run.rows) items.push({ kind: "row", one: inner, isInner: true });
        i = end - 1;
      }
    };
    if (state.flat) put(rows);
    else {
      const lone = rows.filter((one) => one.session === undefined);
      if (lone.some(filtered)) items.push({ kind: "session", key: "connection", name: "Connection", rows: lone });
      if (!state.shut.has("connection")) put(lone);
      let n = 0;
      for (const session of sessions.values()) {
        n++;
        if (!session.rows.some(filtered)) continue;
        items.push({
          kind: "session",
          key: session,
          name: session.id ? `Session ${n}` : "Session",
          rows: session.rows,
        });
        if (state.shut.has(session)) continue;
        let between = [];
        for (let i = 0; i < session.rows.length; i++) {
          const { turn } = session.rows[i];
          if (!turn) {
            between.push(session.rows[i]);
            continue;
          }
          put(between);
          between = [];
          while (session.rows[i + 1]?.turn === turn) i++;
          if (!turn.rows.some(filtered)) continue;
          items.push({ kind: "turn", key: turn, name: `Turn ${turn.n}`, rows: turn.rows });
          if (!state.shut.has(turn) || !isWide) put(turn.rows);
        }
        put(between);
      }
    }
    state.items = items;
    $("space").style.height = `${items.length * rowHeight}px`;
    const shown = items.reduce(
      (sum, { kind, run, isInner }) => sum + (kind === "run" ? run.rows.length : kind === "row" && !isInner ? 1 : 0),
      0,
    );
    $("count").textContent =
      isWide && !state.side ? "" : `${many(shown, "row")} of ${rows.length.toLocaleString("en")}`;
    paint();
  }

  const pool = new Map();
  function paint() {
    const from = Math.max(0, Math.floor(list.scrollTop / rowHeight) - 8);
    const to = Math.min(state.items.length, from + Math.ceil(list.clientHeight / rowHeight) + 16);
    const seen = new Set();
    for (let i = from; i < to; i++) {
      const item = state.items[i];
      seen.add(item);
      let row = pool.get(item);
      if (!row) {
        row = drawn(item);
        pool.set(item, row);
        $("space").append(row);
      }
      row.style.top = `${26 + i * rowHeight}px`;
      row.id = `row-${i}`;
      const isChosen = item === state.chosen;
      row.setAttribute("aria-selected", isChosen);
      if (isChosen) list.setAttribute("aria-activedescendant", row.id);
    }
    for (const [item, row] of pool) {
      if (seen.has(item)) continue;
      row.remove();
      pool.delete(item);
    }
    const one = state.chosen?.one ?? state.chosen?.rows?.[0];
    $("here").hidden = !one;
    if (one) $("here").style.left = `calc(${scale.x(one.t)} * (100% - 56px) + 28px)`;
  }

  function drawn(item) {
    const row = make("div", "row");
    row.setAttribute("role", "option");
    row.addEventListener("click", () => choose(item, true));
    if (item.kind === "session" || item.kind === "turn") {
      const { rows: inner, kind, key } = item;
      row.className = `row head ${kind}${state.shut.has(key) ? "" : " open"}`;
      const [first, last] = [inner[0], inner.at(-1)];
      const problems = inner.filter((one) => one.problems).length;
      const said =
        kind === "turn"
          ? key.first.say
          : (inner.find(({ name, isAnswer }) => /^session\/(new|load|resume|fork)$/.test(name) && !isAnswer)?.say ??
            "");
      const calls = inner.filter(({ tool }) => tool).length;
      row.append(make("span", "fold", "▸"), make("span", "name", item.name));
      if (problems) row.append(make("span", "dot"));
      const facts = [
        many(inner.length, "row"),
        calls && many(calls, "tool call"),
        time((kind === "turn" ? (key.last ?? last).t : last.t) - first.t),
        kind === "turn" && (key.last?.say || "no end"),
      ];
      row.append(make("span", "say", said), make("span", "ms", facts.filter(Boolean).join(" · ")));
      return row;
    }
    const { one, run } = item;
    const ends = one.side === "acp" ? ["Editor", "Agent"] : ["Agent", "Claude"];
    const isRight = one.dir === "in" || one.dir === "stderr";
    const wire = make(
      "span",
      "wire",
      ...lanes.map((lane) => Object.assign(make("u"), { style: `left:${place(lane)}%` })),
    );
    if (one.dir === "in" || one.dir === "out") {
      const arrow = make(
        "s",
        `${one.side} ${isRight ? "" : "left"} ${one.isAnswer ? "answer" : ""} ${run ? "many" : ""}`,
      );
      arrow.style.left = `calc(${place(ends[0])}% + 3px)`;
      arrow.style.right = `calc(${100 - place(ends[1])}% + 2px)`;
      wire.append(arrow);
    }
    row.append(make("span", "at", (one.t / 1000).toFixed(3)), wire);
    if ((run?.rows ?? [one]).some(({ problems }) => problems)) row.append(make("span", "dot"));
    const mine = run?.rows.filter(({ side }) => side === one.side) ?? [];
    const said = run ? mine.map(({ say }) => say).join("") : one.say;
    const name = run ? `${one.name} ×${run.rows.length}` : `${one.isAnswer ? "↩ " : ""}${one.name}`;
    row.append(
      make("span", `name ${one.isError ? "bad" : one.side}`, item.isInner ? `  ${name}` : name),
      make("span", "say", ...marked(short(said))),
    );
    const ms = run ? run.rows.at(-1).t - one.t : one.ms;
    const chars = run ? run.rows.reduce((sum, inner) => sum + inner.chars, 0) : one.chars;
    row.append(
      make("span", `ms${ms > 1000 ? " slow" : ""}`, ms === undefined || (one.pair && !one.isAnswer) ? "" : time(ms)),
      make("span", "size", chars ? size(chars) : ""),
    );
    return row;
  }

  /** Text with what is searched for marked. */
  function marked(text) {
    const at = state.search ? text.toLowerCase().indexOf(state.search) : -1;
    return at < 0
      ? [text]
      : [
          text.slice(0, at),
          make("mark", "", text.slice(at, at + state.search.length)),
          text.slice(at + state.search.length),
        ];
  }

  /* One message, whole. */
  function detail() {
    const side = $("detail");
    side.replaceChildren();
    side.scrollTop = 0;
    const item = state.chosen;
    if (!item) return side.append(make("p", "empty", "Choose a message to see all of it."));
    if (!item.one) return group(item);
    const { one, run } = item;
    side.append(make("h2", one.side, `${one.isAnswer ? "↩ " : ""}${one.name}`));
    const facts = make("dl");
    const add = (name, ...value) => facts.append(make("dt", "", name), make("dd", "", ...value));
    const ways = one.side === "acp" ? ["editor", "agent"] : ["agent", "claude"];
    if (one.dir === "in" || one.dir === "out")
      add("way", one.dir === "in" ? `${ways[0]} → ${ways[1]}` : `${ways[1]} → ${ways[0]}`);
    add("at", `${(one.t / 1000).toFixed(3)} s`);
    if (one.chars) add("size", size(run ? run.rows.reduce((sum, inner) => sum + inner.chars, 0) : one.chars));
    if (one.pair) {
      const go = make("button", "", one.isAnswer ? "to the request" : "to the answer");
      go.addEventListener("click", () => reveal(one.pair));
      add("answered", one.isAnswer ? `after ${time(one.ms)} ` : `in ${time(one.ms)} `, go);
    } else if (one.ms !== undefined) add("took", time(one.ms));
    if (one.session) add("session", one.session);
    side.append(facts);
    for (const problem of run ? run.rows.flatMap(({ problems = [] }) => problems) : (one.problems ?? []))
      side.append(make("p", "bad", problem));
    if (run)
      side.append(
        make(
          "blockquote",
          "",
          run.rows
            .filter((inner) => inner.side === one.side)
            .map(({ say }) => say)
            .join(""),
        ),
      );
    const row = JSON.parse(one.line);
    side.append(make("div", "json", tree("", row.msg ?? row.raw ?? row, 0)));
  }

  /** A session or a turn: what was asked, what was done and what was said. */
  function group({ name, rows: inner, key, kind }) {
    const side = $("detail");
    const said = inner.filter(({ side: one, name: what }) =>
      hasAcp ? one === "acp" && what === "agent_message_chunk" : what === "text_delta",
    );
    const used = inner.filter(({ tool }) => tool).map(({ tool }) => tool);
    const [from, to] = [inner[0].t, Math.max(inner.at(-1).t, inner[0].t + 1)];
    side.append(make("h2", "acp", name));
    if (kind === "turn") side.append(make("blockquote", "", key.first.say));
    for (const tool of used.slice(0, 200)) {
      const bar = make("i", tool.status === "failed" ? "failed" : "");
      bar.style.left = `${((tool.from - from) / (to - from)) * 100}%`;
      bar.style.width = `${Math.max(0.6, ((tool.to - tool.from) / (to - from)) * 100)}%`;
      const line = make(
        "button",
        "tool",
        make("span", "", short(tool.title, 90)),
        make("span", "hint", time(tool.to - tool.from)),
        make("b", "", bar),
      );
      line.addEventListener("click", () => reveal(tool.row));
      side.append(line);
    }
    if (kind === "turn" && said.length)
      side.append(
        make(
          "blockquote",
          "",
          said
            .map(({ say }) => say)
            .join("")
            .slice(0, 20_000),
        ),
      );
  }

  function tree(key, value, depth) {
    const label = key === "" ? [] : [make("span", "key", key), ": "];
    if (!isObject(value)) {
      const leaf = make("div", "leaf", ...label);
      const text = typeof value === "string" ? value : String(value);
      const isLong = text.length > 2000;
      const isText = typeof value === "string";
      const shown = make("span", isText ? "string" : "other", ...marked(isLong ? text.slice(0, 2000) : text));
      leaf.append(isText ? make("span", "hint", "“") : "", shown, isText ? make("span", "hint", "”") : "");
      if (isLong) {
        const more = make("button", "", `all ${size(text.length)}`);
        more.addEventListener("click", () => (shown.replaceChildren(text), more.remove()));
        leaf.append(" ", more);
      }
      return leaf;
    }
    const entries = Object.entries(value);
    const box = make("details");
    const hint = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
    box.append(
      make(
        "summary",
        "",
        ...label,
        make(
          "span",
          "hint",
          `${hint} ${short(
            entries
              .slice(0, 4)
              .map(([name]) => name)
              .join(", "),
            60,
          )}`,
        ),
      ),
    );
    const fill = () =>
      box.childElementCount > 1 ||
      box.append(
        ...entries.slice(0, 1000).map(([name, inner]) => tree(name, inner, depth + 1)),
        entries.length > 1000 ? `… ${entries.length - 1000} more` : "",
      );
    box.addEventListener("toggle", fill);
    if (depth < 3 || state.chosen.one.chars < 4000) {
      box.open = true;
      fill();
    }
    return box;
  }

  /* Moving about. */
  function choose(item, isClick) {
    if (!item) return;
    state.chosen = item;
    if (isClick && item.kind !== "row") fold(item);
    detail();
    const at = state.items.indexOf(item) * rowHeight;
    if (at < list.scrollTop) list.scrollTop = at;
    if (at > list.scrollTop + list.clientHeight - 3 * rowHeight)
      list.scrollTop = at - list.clientHeight + 3 * rowHeight;
    if (item.one) history.replaceState(undefined, "", `#${item.one.i}`);
    paint();
  }

  function fold(item, shut) {
    const [set, key, flip] = item.kind === "run" ? [state.run, item.run, false] : [state.shut, item.key, true];
    if (key === undefined) return;
    const isShut = set.has(key) === flip;
    if (shut === isShut) return;
    if (isShut === flip) set.delete(key);
    else set.add(key);
    same(item, arrange);
  }

  /** The list made anew, with the same thing chosen. */
  function same({ one, key, kind }, change) {
    pool.forEach((row) => row.remove());
    pool.clear();
    change();
    state.chosen =
      state.items.find((item) => item.kind === kind && item.one === one && item.key === key) ??
      state.items.find((item) => item.one === one && one);
    paint();
  }

  /** Shows a row wherever it is folded away. */
  function reveal(one) {
    if (!filtered(one)) clear();
    state.shut.delete(one.session === undefined ? "connection" : sessions.get(one.session));
    state.shut.delete(one.turn);
    same({ one, kind: "row" }, arrange);
    const item = state.chosen ?? state.items.find(({ run }) => run?.rows.includes(one));
    if (item?.kind === "run") {
      state.run.add(item.run);
      same({ one, kind: "row" }, arrange);
    }
    choose(state.chosen ?? item);
  }

  function clear() {
    Object.assign(state, { search: "", side: "", bad: false });
    $("search").value = "";
    press();
  }

  function press() {
    $("bad").setAttribute("aria-pressed", state.bad);
    $("flat").setAttribute("aria-pressed", state.flat);
    for (const button of $("sides").children) button.setAttribute("aria-pressed", button.value === state.side);
  }

  function change(values) {
    Object.assign(state, values);
    press();
    same(state.chosen ?? {}, arrange);
  }

  const foldAll = () => {
    const all = [...sessions.values()].flatMap((session) => session.turns);
    const isShut = all.every((turn) => state.shut.has(turn));
    all.forEach((turn) => (isShut ? state.shut.delete(turn) : state.shut.add(turn)));
    same(state.chosen ?? {}, arrange);
  };
  const theme = () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    axis();
  };
  for (const [value, name] of [
    ["", "Both sides"],
    ["acp", "Editor"],
    ["claude", "Claude"],
  ]) {
    const button = Object.assign(make("button", "", name), { type: "button", value });
    button.addEventListener("click", () => change({ side: value }));
    $("sides").append(button);
  }
  $("sides").hidden = !(hasAcp && hasClaude);
  $("bad").addEventListener("click", () => change({ bad: !state.bad }));
  $("flat").addEventListener("click", () => change({ flat: !state.flat }));
  $("fold").addEventListener("click", foldAll);
  $("theme").addEventListener("click", theme);
  let typing;
  $("search").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => change({ search: $("search").value.trim().toLowerCase() }), 120);
  });
  list.addEventListener("scroll", paint);
  addEventListener("resize", () => (paint(), axis()));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => axis());

  const step = (by) => {
    const at = state.items.indexOf(state.chosen);
    choose(state.items[Math.min(state.items.length - 1, Math.max(0, at < 0 && by < 1e9 ? 0 : at + by))]);
  };
  const seek = (by, holds) => {
    for (let at = state.items.indexOf(state.chosen) + by; at >= 0 && at < state.items.length; at += by)
      if (holds(state.items[at])) return choose(state.items[at]);
  };
  const keys = {
    ArrowDown: () => step(1),
    j: () => step(1),
    ArrowUp: () => step(-1),
    k: () => step(-1),
    PageDown: () => step(20),
    PageUp: () => step(-20),
    Home: () => step(-1e9),
    End: () => step(1e9),
    ArrowRight: () => state.chosen && fold(state.chosen, false),
    ArrowLeft: () => state.chosen && fold(state.chosen, true),
    Enter: () => (state.chosen && state.chosen.kind !== "row" ? fold(state.chosen) : $("detail").focus()),
    m: () => state.chosen?.one?.pair && reveal(state.chosen.one.pair),
    "[": () => seek(-1, ({ kind }) => kind === "turn"),
    "]": () => seek(1, ({ kind }) => kind === "turn"),
    p: () => {
      const bad = rows.filter((one) => one.problems);
      const next = bad.find((one) => one.i > (state.chosen?.one?.i ?? -1)) ?? bad[0];
      if (next) reveal(next);
    },
    f: foldAll,
    t: theme,
    "/": () => $("search").focus(),
    Escape: () => (clear(), change({}), list.focus()),
  };
  addEventListener("keydown", (event) => {
    const isTyping = event.target === $("search");
    if (event.ctrlKey || event.metaKey || event.altKey || (isTyping && !/^(Escape|Enter|ArrowDown)$/.test(event.key)))
      return;
    if (event.target.tagName === "BUTTON" && /^(Enter| )$/.test(event.key)) return;
    if (event.target === $("detail") && /^(Arrow|Page|Home|End)/.test(event.key)) return;
    if (isTyping && event.key !== "Escape") return list.focus();
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  /* The time axis: turns and tool calls as bars; long silences are cut short. */
  const bars = [];
  const scale = (() => {
    const stops = [...new Set(rows.map(({ t }) => Math.round(t)))].sort((left, right) => left - right);
    const quiet = Math.max(2000, tape.end / 12);
    const points = [[0, 0]];
    let at = 0;
    let before = 0;
    for (const t of stops) {
      const gap = t - before;
      at += gap > quiet ? quiet / 4 : gap;
      if (gap > quiet) points.push([before, at - quiet / 4]);
      points.push([t, at]);
      before = t;
    }
    const total = at || 1;
    return {
      breaks: points.filter(([t], i) => points[i + 1] && points[i + 1][0] - t > quiet).map(([t]) => t),
      x: (t) => {
        let low = 0;
        let high = points.length - 1;
        while (low < high) {
          const middle = (low + high + 1) >> 1;
          if (points[middle][0] <= t) low = middle;
          else high = middle - 1;
        }
        const [t0, x0] = points[low];
        const [t1, x1] = points[Math.min(points.length - 1, low + 1)];
        return (x0 + (t1 > t0 ? ((Math.min(t, t1) - t0) / (t1 - t0)) * (x1 - x0) : 0)) / total;
      },
    };
  })();

  /** Each bar on the first line that is free. */
  const toolLines = (() => {
    const free = [];
    return [...tape.tools.values()].map((tool) => {
      const from = scale.x(tool.from);
      const to = Math.max(scale.x(tool.to), from + 0.004);
      let line = free.findIndex((end) => end <= from);
      if (line < 0) line = free.length < 5 ? free.length : 4;
      free[line] = to;
      return { tool, from, to, line };
    });
  })();
  const lineCount = Math.max(0, ...toolLines.map(({ line }) => line + 1));

  function axis() {
    const canvas = $("axis");
    const width = canvas.clientWidth;
    const height = 44 + lineCount * 9;
    const ratio = devicePixelRatio || 1;
    if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
      canvas.width = width * ratio;
      canvas.height = height * ratio;
      canvas.style.height = `${height}px`;
    }
    const pen = canvas.getContext("2d");
    const ink = colors();
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const x = (t) => 10 + scale.x(t) * (width - 20);
    bars.length = 0;
    const bar = (x0, x1, y, h, color, title, go) => {
      pen.fillStyle = color;
      pen.beginPath();
      pen.roundRect(x0, y, Math.max(2, x1 - x0), h, 2);
      pen.fill();
      bars.push({ x0, x1: Math.max(x0 + 4, x1), y, h, title, go });
    };
    for (const session of sessions.values())
      for (const turn of session.turns) {
        const last = turn.last ?? turn.rows.at(-1);
        pen.globalAlpha = 0.22;
        const [from, to] = [x(turn.first.t), x(last.t)];
        bar(
          from,
          to,
          5,
          14,
          ink.acp,
          `Turn ${turn.n} · ${time(last.t - turn.first.t)} · ${turn.first.say}`,
          turn.first,
        );
        pen.globalAlpha = 1;
        pen.fillStyle = ink.acp;
        pen.font = "10.5px system-ui, sans-serif";
        if (to - from > 50) pen.fillText(`Turn ${turn.n}`, from + 6, 15.5);
      }
    pen.globalAlpha = 0.9;
    for (const { tool, from, to, line } of toolLines) {
      const color = tool.status === "failed" ? ink.bad : tool.status ? ink.good : ink.soft;
      bar(
        10 + from * (width - 20),
        10 + to * (width - 20),
        22 + line * 9,
        6,
        color,
        `${tool.title} · ${time(tool.to - tool.from)}${tool.status ? ` · ${tool.status}` : ""}`,
        tool.row,
      );
    }
    const base = height - 20;
    pen.globalAlpha = 0.5;
    const drawn = new Set();
    for (const one of rows) {
      const at = Math.round(x(one.t));
      const key = `${at}${one.side}${one.problems ? "!" : ""}`;
      if (drawn.has(key)) continue;
      drawn.add(key);
      pen.fillStyle = one.problems ? ink.bad : ink[one.side];
      pen.fillRect(at, one.side === "acp" ? base - 5 : base, 1, one.problems ? 10 : 5);
    }
    pen.globalAlpha = 1;
    pen.fillStyle = ink.soft;
    pen.font = "10.5px system-ui, sans-serif";
    for (let i = 0, last = -99; i <= 8; i++) {
      const t = (tape.end * i) / 8;
      const at = x(t);
      const label = time(t);
      const left = Math.min(width - 12 - pen.measureText(label).width, at);
      if (left - last < 56) continue;
      last = left;
      pen.fillText(i === 0 ? "0" : label, left, height - 3);
    }
    for (const t of scale.breaks) pen.fillText("⋯", x(t) + 4, base + 3);
  }

  /** The colours of the style sheet as a canvas takes them. */
  function colors() {
    const probe = $("here");
    const all = {};
    for (const name of ["acp", "claude", "good", "bad", "soft"]) {
      probe.style.color = `var(--${name})`;
      all[name] = getComputedStyle(probe).color;
    }
    return all;
  }

  const under = (event) => {
    const box = $("axis").getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    return (
      bars.findLast(({ x0, x1, y, h }) => px >= x0 - 2 && px <= x1 + 2 && py >= y - 1 && py <= y + h + 1) ?? {
        px,
        width: box.width,
      }
    );
  };
  $("axis").addEventListener("mousemove", (event) => ($("hint").textContent = under(event).title ?? "\u00a0"));
  $("axis").addEventListener("mouseleave", () => ($("hint").textContent = "\u00a0"));
  $("axis").addEventListener("click", (event) => {
    const { go, px, width } = under(event);
    const wanted = (px - 10) / (width - 20);
    reveal(
      go ??
        rows.reduce(
          (best, one) => (Math.abs(scale.x(one.t) - wanted) < Math.abs(scale.x(best.t) - wanted) ? one : best),
          rows[0],
        ),
    );
  });

  for (const lane of lanes)
    $("lanes").append(Object.assign(make("i", "", lane), { style: `left:${84 + (place(lane) * 210) / 100}px` }));
  press();
  axis();
  arrange();
  detail();
  const wanted = rows[Number(location.hash.slice(1))];
  if (location.hash.length > 1 && wanted) reveal(wanted);
  list.focus();
  document.documentElement.dataset.ready = String(rows.length);
}
