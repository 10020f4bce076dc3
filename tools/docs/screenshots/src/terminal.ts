import { spawn } from "node:child_process";
import { once } from "node:events";
import xterm from "@xterm/headless";
import type { Page } from "playwright-core";

const columns = 100;
const rows = 30;

/** A program in a terminal, and the text that it shows. */
export interface RunningProgram {
  /** Waits until the program has shown such a text. Resolves with its first group. */
  shows(pattern: RegExp): Promise<string>;
  readonly ended: Promise<void>;
  screen(): Promise<string>;
}

/** Runs a program in a pseudo-terminal, as a person does. */
export function runInTerminal(command: readonly string[], env: NodeJS.ProcessEnv): RunningProgram {
  const terminal = new xterm.Terminal({ cols: columns, rows, convertEol: true, allowProposedApi: true });
  const words = command.map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", words, "/dev/null"], { env: { ...env, TERM: "xterm" } });
  let shown = "";
  child.stdout.on("data", (chunk: Buffer) => {
    shown += chunk.toString();
    terminal.write(chunk);
  });
  return {
    async shows(pattern) {
      for (;;) {
        const found = pattern.exec(shown);
        if (found !== null) return found[1] ?? "";
        if (child.exitCode !== null) throw new Error(`The program ended and did not show ${pattern}: ${shown}`);
        await once(child.stdout, "data");
      }
    },
    ended: once(child, "close").then(() => undefined),
    async screen() {
      // The terminal reads what it gets in the background.
      await new Promise<void>((resolve) => terminal.write("", resolve));
      const { active } = terminal.buffer;
      const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at));
      return lines
        .map((line) => (line?.isWrapped ? "" : "\n") + (line?.translateToString(true) ?? ""))
        .join("")
        .trim();
    },
  };
}

export async function showTerminal(page: Page, title: string, text: string): Promise<void> {
  await page.setContent(`<!doctype html>
    <style>
      body { margin: 0; background: #16181d; color: #e4e6eb; font: 14px/1.45 "DejaVu Sans Mono", monospace }
      h1 { margin: 0; padding: 8px 16px; background: #262a33; color: #a9b0bd; font: inherit }
      pre { margin: 0; padding: 16px; white-space: pre-wrap; font: inherit }
    </style>
    <h1></h1><pre></pre>`);
  await page.locator("h1").evaluate((element, given) => {
    element.textContent = given;
  }, title);
  await page.locator("pre").evaluate((element, given) => {
    element.textContent = given;
  }, text);
}
