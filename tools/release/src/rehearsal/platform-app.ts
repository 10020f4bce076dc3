import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The input of a consumer's scenario: the URL of the platform, and data that no other consumer uses. */
export interface Fixture {
  readonly baseUrl: string;
  readonly token: string;
  readonly item: { readonly vaultId: string; readonly itemId: string; readonly baseVersion: number };
  readonly approvedCode: string;
  readonly pendingCode: string;
}

/** The platform app, running as a child process on free ports. */
export interface PlatformApp {
  /** Creates data that no other consumer uses. */
  createFixture(): Promise<Fixture>;
  stop(): Promise<void>;
}

/** Starts the platform app of a built workspace with the tools of that workspace. It ends with this process. */
export function serveApp(workspace: string, folder: string): PlatformApp {
  const program = join(workspace, "tools/release/src/rehearsal/serve-fixtures.ts");
  const child = spawn(process.execPath, [program, folder], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async createFixture() {
      child.stdin.write("fixture\n");
      const line = await lines.next();
      if (line.done === true) throw new Error(`The platform app of ${workspace} ended before it returned a fixture.`);
      return JSON.parse(line.value);
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
