import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { bundleOf } from "../../../../src/storage/sqlite/testing/bundle.js";

/** A child process that runs a module of this folder. It is killed when the test finishes. */
export interface Child {
  /** Returns its output so far. */
  output(): string;
  /** Resolves when its output contains a text. Rejects when the process ends before. */
  said(text: string): Promise<void>;
  /** Sends SIGKILL. Resolves when the process has ended and its output has been read. */
  kill(): Promise<void>;
  /** Resolves when it has ended by itself. */
  ended(): Promise<void>;
}

/** Starts a TypeScript module. A relative path is one in this folder. */
export function startChild(module: string, ...args: string[]): Child {
  const program = fileURLToPath(bundleOf(new URL(module, import.meta.url)));
  const child: ChildProcessByStdio<null, Readable, null> = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
    return closed;
  });

  return {
    output: () => output,
    said: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (output.includes(text)) resolve();
        };
        look();
        child.stdout.on("data", look);
        child.once("close", () => reject(new Error(`the process ended without printing ${text}: ${output}`)));
      }),
    kill: () => {
      child.kill("SIGKILL");
      return closed;
    },
    ended: () => closed,
  };
}
