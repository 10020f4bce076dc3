import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ReferenceApp } from "./reference-app.ts";

/** Starts the reference app of a built workspace with the tools of that workspace. It ends with this process. */
export function serveApp(workspace: string, folder: string): ReferenceApp {
  const program = join(workspace, "tools/release/src/rehearsal/serve-fixtures.ts");
  const child = spawn(process.execPath, [program, folder], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async createFixture() {
      child.stdin.write("fixture\n");
      const line = await lines.next();
      if (line.done === true) throw new Error(`The reference app of ${workspace} ended before it returned a fixture.`);
      return JSON.parse(line.value);
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
