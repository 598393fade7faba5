#!/usr/bin/env node
// Starts the program for this system. Where Node can, it becomes the program, so that signals, terminal and exit code are
// the program's own; elsewhere it hands them on.
"use strict";

const { spawn } = require("node:child_process");
const { accessSync, constants } = require("node:fs");

const name = `git-beads-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "git-beads.exe" : "git-beads";
const args = process.argv.slice(2);

let program;
try {
  program = require.resolve(`${name}/bin/${file}`);
} catch {
  console.error(`error: the package ${name}, which has the program for this system, is not installed`);
  console.error("hint: install again without --omit=optional; if there is no such package, build the program from its source");
  process.exit(1);
}

// Before it becomes the program: a failure of that ends Node with a stack of its own.
try {
  accessSync(program, constants.X_OK);
} catch (error) {
  console.error(`error: ${program} can't be started: ${error.message}`);
  console.error("hint: install again, in a folder from which programs may run");
  process.exit(1);
}
if (process.execve && process.platform !== "win32") {
  process.execve(program, [program, ...args], process.env);
}

const child = spawn(program, args, { stdio: "inherit" });
const signals = process.platform === "win32" ? ["SIGINT", "SIGBREAK"] : ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
for (const signal of signals) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`error: ${program} can't be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
