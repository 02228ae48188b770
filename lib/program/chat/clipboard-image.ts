/**
 * Images that the user pastes from the system's clipboard with Ctrl-V.
 *
 * A terminal pastes text only, so the image is read by a program that the system has for
 * it. It stays in memory; the message has a label in its place.
 */
import { execFile } from "node:child_process";
import { block, type ContentBlock } from "../../acp/index.ts";
import { maxImageBytes } from "./attachments.ts";

const maxImages = 20;
const readLimitMs = 5000;

export class PastedImages {
  readonly #images = new Map<string, ContentBlock>();

  /** Reads the clipboard. Resolves with the label of the image, or with why there is none. */
  async paste(env: NodeJS.ProcessEnv): Promise<{ readonly label: string } | { readonly problem: string }> {
    if (this.#images.size >= maxImages) return { problem: `at most ${maxImages} images can be pasted in a chat` };
    const found = await clipboardImage(env);
    if (found === undefined) return { problem: "there is no image in the clipboard; @path attaches one from a file" };
    if (found.length > maxImageBytes) return { problem: "the image in the clipboard is larger than 5 MB" };
    const label = `[Image #${this.#images.size + 1}]`;
    this.#images.set(label, block.image(found.toString("base64"), "image/png"));
    return { label };
  }

  /** The images whose labels are in a message. */
  namedIn(text: string): readonly ContentBlock[] {
    return [...this.#images].flatMap(([label, image]) => (text.includes(label) ? [image] : []));
  }
}

/** The programs that print the image in the clipboard as PNG, the first that can wins. */
function readers(env: NodeJS.ProcessEnv): readonly (readonly string[])[] {
  if (process.platform === "darwin") return [["osascript", "-e", "get the clipboard as «class PNGf»"]];
  const wayland = ["wl-paste", "--no-newline", "--type", "image/png"];
  const x11 = ["xclip", "-selection", "clipboard", "-target", "image/png", "-out"];
  return env["WAYLAND_DISPLAY"] ? [wayland, x11] : [x11, wayland];
}

async function clipboardImage(env: NodeJS.ProcessEnv): Promise<Buffer | undefined> {
  for (const [program = "", ...words] of readers(env)) {
    const output = await outputOf(program, words, env);
    // AppleScript prints the bytes as «data PNGf89504E47…».
    const [, hex] = /^\u00abdata PNGf([0-9A-F]+)\u00bb/.exec(output.toString("utf8", 0, maxImageBytes * 2 + 32)) ?? [];
    const image = hex === undefined ? output : Buffer.from(hex, "hex");
    if (isPng(image)) return image;
  }
  return undefined;
}

function outputOf(program: string, words: readonly string[], env: NodeJS.ProcessEnv): Promise<Buffer> {
  const options = { env, encoding: "buffer", timeout: readLimitMs, maxBuffer: maxImageBytes * 2 + 64 } as const;
  return new Promise((resolve) => {
    execFile(program, words, options, (error, stdout) => resolve(error === null ? stdout : Buffer.alloc(0)));
  });
}

function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]));
}
