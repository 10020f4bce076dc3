import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { freePort } from "@platform-rpc/testbed/network";

const { CI, PATH = "", PGBOUNCER_PATH } = process.env;
const folders = [...PATH.split(delimiter), "/usr/sbin"];
const program = [PGBOUNCER_PATH ?? [], folders.map((folder) => join(folder, "pgbouncer"))].flat().find(existsSync);

/** Added to the titles of tests that need PgBouncer: empty, or why they are skipped or fail. */
export const pgbouncerNote = program === undefined ? " (pgbouncer is missing: install it, or set PGBOUNCER_PATH)" : "";

/** Whether to skip these tests. Always false in CI, where they fail without PgBouncer. */
export const skipPgbouncer = program === undefined && CI === undefined;

/** A running PgBouncer. */
export interface PgBouncer {
  /** Returns the URL of a database of the server through PgBouncer. */
  through(url: string): string;
  stop(): Promise<void>;
}

/** Starts PgBouncer in transaction mode in front of the server of a URL, with a pool of two connections for each database. */
export async function startPgBouncer(serverUrl: string): Promise<PgBouncer> {
  const { hostname, port: serverPort, username } = new URL(serverUrl);
  const folder = mkdtempSync(join(tmpdir(), "pgbouncer-"));
  const settings = join(folder, "pgbouncer.ini");
  const port = await freePort();
  const lines = [
    "[databases]",
    `* = host=${hostname} port=${serverPort} user=${username}`,
    "[pgbouncer]",
    "pool_mode = transaction",
    "default_pool_size = 2",
    "max_db_connections = 2",
    "auth_type = any",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    // Each test has a database of its own, and the server a limit of connections.
    "server_idle_timeout = 2",
  ];
  writeFileSync(settings, `${lines.join("\n")}\n`);
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ["--user", "nobody"] : [];
  const child = spawn(program ?? "pgbouncer", [...user, settings], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "close");
  let output = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (bytes) => {
      output += bytes;
      if (output.includes("process up")) resolve();
    });
    child.once("error", reject);
    child.once("close", () => reject(new Error(`pgbouncer ended at its start:\n${output}`)));
  });
  child.stderr.removeAllListeners("data").resume();

  return {
    through(url) {
      const changed = new URL(url);
      changed.port = String(port);
      return changed.href;
    },
    async stop() {
      child.kill("SIGINT");
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
