import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const main = fileURLToPath(new URL("../../../../apps/reference/dist/main.js", import.meta.url));

/** The cache of compiled code that the tests share: with it, a program starts in three quarters of the CPU time. */
const { NODE_COMPILE_CACHE } = process.env;

const tenantId = "acme";

/** Starts the built reference app for one test, with an empty database. */
export async function runApp(dataDir: string) {
  const child = spawn(process.execPath, [main], {
    env: {
      PORT: "0",
      INTERNAL_PORT: "0",
      ACCOUNTS_PORT: "0",
      ACCOUNTS_TENANT: tenantId,
      DATA_DIR: dataDir,
      DEMO: "off",
      LOG_LEVEL: "silent",
      NODE_COMPILE_CACHE,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(async () => {
    const ended = once(child, "exit");
    if (child.exitCode === null && child.kill("SIGKILL")) await ended;
  });
  let printed = "";
  child.stderr.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes("Ctrl+C")) resolve();
    });
    child.once("exit", () => reject(new Error(`the app ended early: ${printed}`)));
  });
  const url = (label: string) => new RegExp(`^ {2}${label} +(\\S+)`, "m").exec(printed)?.[1] ?? "";
  const [publicUrl, internalUrl, accountsUrl] = [url("public"), url("internal"), url("accounts")];
  const adminToken = await readFile(join(dataDir, "admin.token"), "utf8");

  return {
    publicUrl,
    accountsUrl,
    /** Calls a private operation of administrators, which must succeed. */
    async admin(operation: string, body: object): Promise<void> {
      const answer = await fetch(`${internalUrl}/platform.internal.v1.${operation}`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${adminToken}`,
          "Content-Type": "application/json",
          "Connect-Protocol-Version": "1",
        },
        body: JSON.stringify({ tenantId, ...body }),
      });
      if (!answer.ok) throw new Error(`${operation} failed: ${await answer.text()}`);
    },
  };
}
