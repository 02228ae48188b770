/**
 * Selects the specs that `npm run test:windows` runs, and names what it leaves out, with the reason.
 */

/** The beginnings of the paths of test files. */
export const windowsSpecs: readonly string[] = [
  "spec/windows/",
  "spec/wire/",
  "spec/rpc/",
  "spec/process/",
  "spec/claude/process/",
  "spec/codex/process/",
  "spec/claude/transcript/",
  "spec/display/",
  "spec/tape/",
  "spec/serve/",
  "spec/bridge/",
  "spec/agent/",
];

const tsx = "starts a program from its sources, with tsx or esbuild, which are Linux programs here";
const signals = "is about signals, process groups or /proc; spec/windows/process-trees.win.ts has the counterpart";
const modes = "is about file modes, or makes a program by its mode; spec/windows/programs.win.ts has the counterpart";
const links = "makes symbolic links, which wine does not have";
const closing =
  "its program closes its own stdin or stdout, which node.exe does not do for the descriptors 0 to 2: the other side sees no end (tried without Bowline)";
const fetching = "uses fetch, which cannot connect in node.exe under wine (connect UNKNOWN; tried without Bowline)";
const manyFiles = "makes thousands of files; each costs wine tens of milliseconds, two minutes in all";
const manySockets = "opens a thousand connections or more; each costs wine about 18 ms";
const unread = "a client under wine loses the close frame that it has not read when the connection ends: it sees 1006";
const browser = "starts a browser, which is a Linux program here";

/** Test files that cannot run there. */
export const excludedFiles: Readonly<Record<string, string>> = {
  "spec/bridge/many-sessions.spec.ts": tsx,
  "spec/wire/shutdown.spec.ts": tsx,
  "spec/wire/stdio-link.spec.ts": tsx,
  "spec/wire/child-process/child-link-stop.spec.ts": signals,
  "spec/claude/process/claude-process.spec.ts": signals,
  "spec/claude/process/find-cli.spec.ts": modes,
  "spec/codex/process/find-codex.spec.ts": modes,
  "spec/serve/docs.spec.ts": browser,
  "spec/serve/page/page.spec.ts": browser,
  "spec/serve/page/page-access.spec.ts": browser,
  "spec/serve/page/page-features.spec.ts": browser,
  "spec/serve/page/page-sessions.spec.ts": browser,
  "spec/wire/http/http-link.spec.ts": fetching,
  "spec/rpc/hostile-bytes.spec.ts": tsx,
  "spec/process/macos.spec.ts": "joins paths as macOS does",
  "spec/agent/routes/git-links.spec.ts": "starts git, which is a Linux program here",
};

/** Tests that cannot run there, by a pattern of their title. */
export const excludedTests: Readonly<Record<string, string>> = {
  "describeBug names the error and its place, and never its message": "expects the name of a file that is not bundled",
  "describeBug does not mistake part of a message for a place": "expects the name of a file that is not bundled",
  "a child link passes arguments, folder and environment unchanged": "expects the folder /",
  "a stream link over real pipes closes with a reason when the reader is gone": closing,
  "a child link calls callbacks that are methods of an object": closing,
  "a child link reports the end of the output when the program closes it and goes on reading": closing,
  "the last output of a program arrives when we write to it after it stopped reading": closing,
  "readTranscript replays the beginning of .* wherever the file is cut": manyFiles,
  "readTranscript replays the rest of .* when a line is missing or damaged": manyFiles,
  "the WebSocket at /acp closes with 1008 when a client answers no ping, and when it reads nothing that it was sent":
    unread,
  "listTranscripts reads one page of 2,000 sessions without reading all files": manyFiles,
  "the server at /acp serves the official SDK's client: prompts, updates and permission requests": fetching,
  "the server at /acp serves our own client: prompts, updates, permission requests and files": fetching,
  "a stream that is cut by a proxy is opened again by httpLink, and nothing is lost or doubled": fetching,
  "a file that has become a link, or is behind one, is no longer served": links,
  "links among directories do not hold up a session": links,
  "a link on the way to a directory counts as it is named, as it was and as it is": links,
  "readTranscript refuses a directory or a symbolic link in place of the file": links,
  "the directories above the one that a link leads to count too": links,
  "the user's own configuration counts only below a directory that the other engine can write":
    "writes a path into TOML text without escaping its backslashes",
  "the directories above count where they are now, when a directory was replaced by a link": links,
  "a link to nothing, and a directory that cannot be listed, count as not read": links,
  "a request with the token is answered in one burst with 1,000 silent connections": manySockets,
  "the WebSocket at /acp answers 1,000 connection attempts without the token, and then one with it": manySockets,
  "every authenticated stream stays open while 2,000 silent connections come and go": manySockets,
  "listTranscripts leaves out files without a conversation and subagents' files, and counts unreadable files": links,
  "findSession searches all projects, returns the newest file and follows no symbolic link": links,
  "a child link reports the signal that ended a program": signals,
  "a program that cannot be started is reported with the error code, whether Node throws or emits it":
    "expects codes of POSIX",
  "mcpConfigFile writes a file only its owner can read, and remove deletes it": modes,
  "startRecording creates a file that only its owner can read, in a directory only its owner can enter": modes,
  "startRecording makes an existing file private, or creates a file in a directory": modes,
  "startRecording follows no symbolic link that was planted under its file name": modes,
  "a session with two engines is found again by another program, in a file that only this user can read": modes,
  "the one CLI that is installed is the default, and Claude when both or none are": modes,
  "the program dot on PATH is asked in the directory, and without it or when it fails there are no tasks": modes,
};
