import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTemporaryFolder, findInstalled } from "./files.ts";
import { freePort } from "./network.ts";
import { type RunningProgram, startProgram, unprivileged } from "./processes.ts";

export const installedPgBouncer = findInstalled("PGBOUNCER_PATH", "pgbouncer");

export interface PgBouncer {
  readonly port: number;
  /** Returns the URL of a database of the server through PgBouncer. */
  through(url: string): string;
  /** Sends SIGKILL. `start` starts it again. */
  kill(): Promise<void>;
  /** Starts it again on the same port. Resolves when it accepts connections. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer in transaction mode in front of the server of a URL.
 *
 * @param settings settings of PgBouncer, such as `default_pool_size`
 */
export async function startPgBouncer(
  serverUrl: string,
  settings: Readonly<Record<string, string | number>> = {},
): Promise<PgBouncer> {
  const { hostname, port: serverPort, username } = new URL(serverUrl);
  const folder = createTemporaryFolder("pgbouncer");
  const file = join(folder.path, "pgbouncer.ini");
  const port = await freePort();
  const all = {
    pool_mode: "transaction",
    auth_type: "any",
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    ...settings,
  };
  const lines = [
    ...["[databases]", `* = host=${hostname} port=${serverPort} user=${username}`, "[pgbouncer]"],
    ...Object.entries(all).map(([name, value]) => `${name} = ${value}`),
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  const launch = async (): Promise<RunningProgram> => {
    const program = startProgram(unprivileged([installedPgBouncer.path, file]), { cwd: "/" });
    await program.printed("process up");
    program.forgetOutput();
    return program;
  };
  let current = await launch();
  return {
    port,
    through(url) {
      const changed = new URL(url);
      changed.port = String(port);
      return changed.href;
    },
    async kill() {
      await current.stop("SIGKILL");
    },
    async start() {
      current = await launch();
    },
    async stop() {
      await current.stop("SIGINT");
      folder.remove();
    },
  };
}
