/**
 * The program at both ends of a command that runs in the editor's terminal.
 *
 * `submit <secret's variable> <shell> <line>` is started by the Claude CLI in the place of
 * the command. It sends the line to the agent and repeats the command's output and exit code.
 * `run <token>` is started by the editor in a terminal. It runs the line there.
 * The agent joins the two connections. A command runs once: in the terminal, or as a
 * child of this process when the agent declines it.
 */
"use strict";
const { spawn, spawnSync } = require("node:child_process");
const { connect } = require("node:net");
const { constants } = require("node:os");
const { join } = require("node:path");

const socketPath = join(__dirname, "socket");
const prefixName = "CLAUDE_CODE_SHELL_PREFIX";
const nodeOptionsName = "BOWLINE_NODE_OPTIONS";
const forwarded = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
/** How long after the shell's end its last output may take to arrive. */
const drainMs = 50;
/** How long a command has to end when its terminal is closed. */
const graceMs = 1000;

const [mode, ...given] = process.argv.slice(2);
if (mode === "submit") submit(given[0], given[1], given[2]);
else run(given[0]);

function submit(secretName, shell, line) {
  const secret = process.env[secretName];
  delete process.env[secretName];
  // A CLI that the command starts would pass its own commands to this program.
  delete process.env[prefixName];
  restoreNodeOptions(process.env);
  const socket = connect(socketPath);
  let state = "connecting";
  let signalled;
  const say = (message) => socket.write(`${JSON.stringify(message)}\n`);
  const leave = (code) => {
    state = "over";
    process.exitCode = code;
    for (const signal of forwarded) process.removeAllListeners(signal);
    socket.destroy();
  };
  for (const signal of forwarded) {
    process.on(signal, () => {
      if (state === "running") return say({ signal });
      // The command has not started yet, and does not start any more.
      signalled = signal;
      leave(exitCode(null, signal));
    });
  }
  socket.on("connect", () => {
    state = "asking";
    say({ secret, line });
  });
  onLines(socket, (message) => {
    if (message.place === "here") {
      state = "declined";
      return socket.destroy();
    }
    if (message.place === "terminal") {
      state = "running";
      say({ shell, line, cwd: process.cwd(), env: process.env });
    }
    if (message.stdout !== undefined) process.stdout.write(Buffer.from(message.stdout, "base64"));
    if (message.stderr !== undefined) process.stderr.write(Buffer.from(message.stderr, "base64"));
    if (message.exit !== undefined) leave(message.exit);
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    if (signalled !== undefined || state === "over") return;
    // No agent could be reached, as in a sandbox, or the agent declined.
    if (state === "connecting" || state === "declined") return runHere(shell, line);
    const why =
      state === "asking"
        ? "The agent ended before this command was run."
        : "The editor closed the terminal this command ran in.";
    process.stderr.write(`${why}\n`);
    leave(129);
  });
}

/** The agent cannot be reached or declined: the command runs where the CLI started it. */
function runHere(shell, line) {
  const child = spawn(shell, ["-c", line], { stdio: "inherit" });
  for (const signal of forwarded) {
    process.removeAllListeners(signal);
    process.on(signal, () => child.kill(signal));
  }
  child.on("error", (error) => {
    process.stderr.write(`${shell}: ${error.code}\n`);
    process.exit(126);
  });
  child.on("exit", (code, signal) => process.exit(exitCode(code, signal)));
}

/** The user's own value is for the command; Node started this program without it. */
function restoreNodeOptions(env) {
  if (env[nodeOptionsName] === undefined) return;
  env.NODE_OPTIONS = env[nodeOptionsName];
  delete env[nodeOptionsName];
}

function run(token) {
  const socket = connect(socketPath);
  let child;
  let isOver = false;
  let isClosed = false;
  let isSubmitterGone = false;
  const endWhenClosed = () => {
    if (isClosed && isSubmitterGone) socket.end();
  };
  const killTree = () => {
    const below = child?.pid === undefined ? [] : descendants(child.pid);
    kill("SIGKILL");
    for (const pid of below) killOne(pid);
  };
  const kill = (signal) => {
    if (child?.pid === undefined) return;
    try {
      process.kill(-child.pid, signal);
    } catch {
      // Every process of the command has ended.
    }
  };
  socket.on("connect", () => socket.write(`${JSON.stringify({ token })}\n`));
  socket.on("error", () => {});
  // The agent has closed the connection or exited: the command is stopped.
  socket.on("close", () => {
    if (!isOver) killTree();
    process.exit(process.exitCode ?? 1);
  });
  for (const signal of forwarded) {
    process.on(signal, () => {
      if (child === undefined) process.exit(exitCode(null, signal));
      kill(signal);
      if (signal === "SIGHUP" || signal === "SIGTERM") setTimeout(() => kill("SIGKILL"), graceMs).unref();
    });
  }
  onLines(socket, (message) => {
    if (child === undefined && message.line !== undefined) begin(message);
    if (message.signal !== undefined) kill(message.signal);
    if (message.gone !== true) return;
    isSubmitterGone = true;
    if (child === undefined) process.exit(1);
    if (isOver) return endWhenClosed();
    killTree();
  });

  function begin({ shell, line, cwd, env }) {
    child = spawn(shell, ["-c", line], { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    // The agent reads this line: it ends the command if this program is killed.
    socket.write(`${JSON.stringify({ pid: child.pid ?? 0 })}\n`);
    const streams = [child.stdout, child.stderr];
    const send = (name, data) => {
      if (isOver || socket.write(`${JSON.stringify({ [name]: data.toString("base64") })}\n`)) return;
      for (const stream of streams) stream.pause();
      socket.once("drain", () => streams.forEach((stream) => stream.resume()));
    };
    let timer;
    let ended;
    const report = () => {
      if (isOver) return;
      isOver = true;
      process.exitCode = ended;
      socket.write(`${JSON.stringify({ exit: ended })}\n`);
    };
    const waitForOutput = () => {
      clearTimeout(timer);
      timer = setTimeout(report, drainMs);
    };
    for (const name of ["stdout", "stderr"]) {
      child[name].on("data", (data) => {
        process[name].write(data);
        send(name, data);
        if (ended !== undefined) waitForOutput();
      });
    }
    child.on("error", (error) => {
      send("stderr", Buffer.from(`${shell}: ${error.code}\n`));
      ended = 126;
      isClosed = true;
      report();
    });
    child.on("exit", (code, signal) => {
      ended = exitCode(code, signal);
      waitForOutput();
    });
    // A process that the command left in the background may hold its output open; the terminal shows it.
    child.on("close", () => {
      if (ended === undefined) return;
      isClosed = true;
      report();
      endWhenClosed();
    });
  }
}

/** The processes below `pid`, also those that left its group. */
function descendants(pid) {
  const { stdout = "" } = spawnSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  const rows = (stdout ?? "").split("\n").map((row) => row.trim().split(/\s+/).map(Number));
  const found = [pid];
  for (let i = 0; i < found.length; i++) for (const [one, parent] of rows) if (parent === found[i]) found.push(one);
  return found.slice(1);
}

function killOne(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

/** Calls `onMessage` for each line of JSON. */
function onLines(socket, onMessage) {
  let rest = "";
  socket.setEncoding("utf8").on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) onMessage(JSON.parse(line));
  });
}

function exitCode(code, signal) {
  return code ?? 128 + (constants.signals[signal] ?? 1);
}
