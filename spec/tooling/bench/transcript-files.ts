/**
 * Generates session files of any size, in the CLI's own format.
 */

export function uuidOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

/** One prompt and its answer, with a tail of bookkeeping as large as the CLI's own. */
export function shortTranscript(number: number, cwd: string): string {
  const file = new Lines(uuidOf(number), cwd);
  file.said(`Prompt number ${number}`);
  file.push({ type: "attachment", attachment: { type: "prompt_snapshot", systemPrompt: ["word ".repeat(16_000)] } });
  file.answered({ type: "text", text: "Done." });
  file.beside({ type: "last-prompt", lastPrompt: `Prompt number ${number}`, leafUuid: uuidOf(3) });
  return file.text();
}

/** Turns with a command, an edit and text, until the file is this large. */
export function longTranscript(bytes: number): string {
  const file = new Lines(uuidOf(1), "/home/dev");
  for (let turn = 0; file.bytes < bytes; turn++) {
    file.said(`Turn ${turn}: please go on`);
    file.answered({ type: "text", text: "I will look at it. ".repeat(20) });
    const command = `call-${turn}-a`;
    file.answered({ type: "tool_use", id: command, name: "Bash", input: { command: "npm test", description: "Test" } });
    const stdout = `line of output ${turn}\n`.repeat(turn % 10 === 0 ? 2000 : 40);
    file.result(command, stdout, { stdout, stderr: "", interrupted: false });
    const edit = `call-${turn}-b`;
    const input = { file_path: "/home/dev/a.ts", old_string: "before\n".repeat(20), new_string: "after\n".repeat(20) };
    file.answered({ type: "tool_use", id: edit, name: "Edit", input });
    const structuredPatch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-before", "+after"] }];
    file.result(edit, "The file was updated.", {
      filePath: "/home/dev/a.ts",
      originalFile: "x".repeat(4000),
      structuredPatch,
    });
    file.answered({ type: "text", text: "That is done." });
  }
  return file.text();
}

class Lines {
  readonly #lines: string[] = [];
  readonly #sessionId: string;
  readonly #cwd: string;
  #last: string | null = null;
  #count = 0;
  bytes = 0;

  constructor(sessionId: string, cwd: string) {
    this.#sessionId = sessionId;
    this.#cwd = cwd;
  }

  said(content: string): void {
    this.push({ type: "user", message: { role: "user", content }, origin: { kind: "human" } });
  }

  answered(block: object): void {
    this.push({ type: "assistant", message: { id: `msg_${this.#count}`, role: "assistant", content: [block] } });
  }

  result(tool_use_id: string, content: string, toolUseResult: object): void {
    const message = { role: "user", content: [{ type: "tool_result", tool_use_id, content }] };
    this.push({ type: "user", message, toolUseResult, sourceToolAssistantUUID: this.#last });
  }

  push(fields: object): void {
    const uuid = uuidOf(++this.#count);
    const timestamp = new Date(1_700_000_000_000 + this.#count).toISOString();
    const stamp = { uuid, timestamp, cwd: this.#cwd, sessionId: this.#sessionId };
    this.beside({ parentUuid: this.#last, isSidechain: false, ...fields, ...stamp });
    this.#last = uuid;
  }

  beside(fields: object): void {
    const line = `${JSON.stringify(fields)}\n`;
    this.bytes += line.length;
    this.#lines.push(line);
  }

  text(): string {
    return this.#lines.join("");
  }
}
