import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../../apps/reference/dist/main.js", import.meta.url));

/** The built reference app, running as a child process with its own data. */
export interface ReferenceApp {
  readonly publicUrl: string;
  readonly internalUrl: string;
  readonly adminToken: string;
  stop(): Promise<void>;
}

/** Starts the reference app on free ports. Pages of these origins may call it. */
export async function startReferenceApp(corsOrigins: readonly string[]): Promise<ReferenceApp> {
  const folder = mkdtempSync(join(tmpdir(), "runtimes-"));
  const settings = { PORT: "0", INTERNAL_PORT: "0", ACCOUNTS_PORT: "0", DEMO: "off", LOG_LEVEL: "error" };
  const child = spawn(process.execPath, [main], {
    env: { ...settings, DATA_DIR: folder, CORS_ORIGINS: corsOrigins.join(",") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  // Also ends the app when this process ends early.
  process.once("exit", () => child.kill("SIGKILL"));
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  while (!printed.includes("Ctrl+C")) {
    await Promise.race([once(child.stdout, "data"), ended]);
    if (child.exitCode !== null) throw new Error("The reference app ended before it was ready.");
  }
  const urlOf = (label: string) => new RegExp(`^ {2}${label} +(\\S+)`, "m").exec(printed)?.[1] ?? "";
  return {
    publicUrl: urlOf("public"),
    internalUrl: urlOf("internal"),
    adminToken: readFileSync(join(folder, "admin.token"), "utf8").trim(),
    async stop() {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
