import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPrograms } from "./find-programs.ts";
import { freePort } from "./free-port.ts";
import { runToEnd, startProgram } from "./programs.ts";

/** A running PostgreSQL server. */
export interface TemporaryPostgres {
  /** The URL of its database `postgres`, with the rights of a superuser. */
  readonly url: string;
  readonly port: number;
  /** The folder of its data. */
  readonly folder: string;
  /** Returns the URL of another database of this server. */
  urlOf(database: string): string;
  /** Kills the server as `kill -9` does. `start` starts it again, once its other processes have ended too. */
  kill(): Promise<void>;
  /** Ends the server in order. `start` starts it again. */
  shutDown(): Promise<void>;
  /** Starts the server again on the same port and the same data, unless it runs. */
  start(): Promise<void>;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
}

export interface TemporaryPostgresOptions {
  /** The folder in which it creates a folder. Default: that of the system for temporary files. */
  readonly parent?: string;
  /** The folder of `postgres` and `initdb`. Default: PostgreSQL 18 from npm. */
  readonly programs?: string;
  /** A command, with arguments, that executes the server. Default: none. */
  readonly under?: readonly string[];
  /** Settings of the server. Default: those of PostgreSQL, with a listener on a free port of loopback. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /**
   * The data folder of another server, which must not run. The new server copies it and starts as a standby. Its setting
   * `primary_conninfo` says where the other server will listen. Default: an empty database.
   */
  readonly standbyOf?: string;
  /** The folder of a base backup. The new server copies it and recovers from the archive: see its setting `restore_command`. */
  readonly backup?: string;
}

/** Starts a PostgreSQL server with an empty database. Resolves when it accepts connections. */
export async function startPostgres(options: TemporaryPostgresOptions = {}): Promise<TemporaryPostgres> {
  const home = mkdtempSync(join(options.parent ?? tmpdir(), "postgres-"));
  const { folder: programs, environment } =
    options.programs === undefined ? findPrograms(home) : { folder: options.programs, environment: {} };
  const folder = join(home, "data");
  const port = await freePort();
  const source = options.standbyOf ?? options.backup;
  if (source === undefined) {
    await runToEnd(
      join(programs, "initdb"),
      [
        ...["--pgdata", folder, "--username", "platform", "--auth", "trust"],
        ...["--encoding", "UTF8", "--locale", "C", "--no-sync", "--no-instructions"],
      ],
      environment,
    );
  } else {
    await runToEnd("cp", ["--archive", source, folder], environment);
    const signal = options.backup === undefined ? "standby.signal" : "recovery.signal";
    await runToEnd("touch", [join(folder, signal)], environment);
  }
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    ...options.settings,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const ready = /ready to accept (?:read-only )?connections/;
  const [command = "", ...words] = [...(options.under ?? []), join(programs, "postgres"), "-D", folder, ...args];
  const start = () => startProgram(command, words, environment, ready);
  let server = await start();
  // SIGINT is PostgreSQL's fast shutdown: it does not wait for clients.
  const shutDown = () => server.end("SIGINT");
  const urlOf = (database: string) => `postgres://platform@127.0.0.1:${port}/${database}`;

  return {
    url: urlOf("postgres"),
    port,
    folder,
    urlOf,
    async kill() {
      await server.end("SIGKILL");
    },
    async start() {
      if (!server.running) server = await start();
    },
    shutDown,
    async stop() {
      await shutDown();
      await rm(home, { recursive: true, force: true });
    },
  };
}
