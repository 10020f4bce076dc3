import { existsSync, globSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type HaproxyOptions, installedHaproxy, startHaproxy } from "./haproxy.ts";
import { freePort } from "./network.ts";
import { asMachine, createRestartable } from "./processes.ts";

/** A Patroni cluster of three members on loopback, each with its own etcd, and HAProxy in front. */
export interface PatroniCluster extends AsyncDisposable {
  /** The port of HAProxy, which leads to the primary. */
  readonly port: number;
  /** Waits until one member is the primary, one a synchronous standby, and the third follows. Returns the primary's name. */
  settle(): Promise<string>;
  /** Gives the role of the primary to the synchronous standby. Resolves with its name when it has it. */
  switchOver(): Promise<string>;
  /** Kills the primary's Patroni, PostgreSQL and etcd with SIGKILL. Resolves when another one has its role, with its name. */
  killPrimary(): Promise<string>;
  /** Starts the members that were killed. */
  restart(): void;
}

/** Starting three servers of PostgreSQL on a busy machine takes a while. */
const patienceMs = 120_000;

/** Starts a cluster in a folder. @throws when a program is missing, or the cluster does not come up. */
export async function startCluster(folder: string): Promise<PatroniCluster> {
  await using starting = new AsyncDisposableStack();
  const programs = findPatroni();
  if ("missing" in programs) throw new Error(programs.missing);
  const env = { ...process.env, ...programs.environment };
  const run = (name: string, command: readonly string[]) => {
    const machine = createRestartable(asMachine(command), { env, log: join(folder, `${name}.log`), cwd: "/" });
    starting.defer(machine.kill);
    machine.start();
    return machine;
  };

  const members: Member[] = [];
  for (const name of ["one", "two", "three"]) {
    const home = join(folder, name);
    mkdirSync(home, { mode: 0o700 });
    const ports = { postgresPort: await freePort(), restPort: await freePort() };
    members.push({ name, folder: home, ...ports, etcdPort: await freePort(), etcdPeerPort: await freePort() });
  }
  const machines = new Map(
    members.map((member) => {
      const file = join(member.folder, "patroni.json");
      writeFileSync(file, configurationOf(member, members, programs));
      const etcd = run(`${member.name}-etcd`, [programs.etcd, ...etcdArguments(member, members)]);
      return [member.name, [etcd, run(member.name, [...programs.patroni, file])]];
    }),
  );
  const { port } = starting.use(await startHaproxy(balancerOf(members)));

  /** Repeats a look at the cluster until it returns a value. */
  const until = async <Value>(what: string, look: (states: readonly MemberState[]) => Value | undefined) => {
    const endsAt = performance.now() + patienceMs;
    while (performance.now() < endsAt) {
      const found = look(await readMembers(members));
      if (found !== undefined) return found;
      await setTimeout(100);
    }
    throw new Error(`The Patroni cluster had no ${what} after two minutes. See the logs in ${folder}.`);
  };
  const settle = () =>
    until("primary with two standbys", (states) => {
      const primary = states.find(({ role }) => role === "primary");
      const synchronous = states.filter(({ role }) => role === "synchronous standby");
      const standbys = states.filter(({ role }) => role === "standby");
      return synchronous.length === 1 && standbys.length === 1 ? primary?.name : undefined;
    });
  const another = (former: string) =>
    until("new primary", (states) => states.find(({ name, role }) => role === "primary" && name !== former)?.name);
  await settle();

  const started = starting.move();
  return {
    port,
    settle,
    async switchOver() {
      const former = await settle();
      const { restPort = 0 } = members.find(({ name }) => name === former) ?? {};
      const response = await fetch(`http://127.0.0.1:${restPort}/switchover`, {
        method: "POST",
        body: JSON.stringify({ leader: former }),
      });
      if (!response.ok) throw new Error(`Patroni rejected the switchover: ${await response.text()}`);
      return another(former);
    },
    async killPrimary() {
      const former = await settle();
      await Promise.all((machines.get(former) ?? []).map((machine) => machine.kill()));
      return another(former);
    },
    restart() {
      for (const machine of [...machines.values()].flat()) if (!machine.running) machine.start();
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** A member of the cluster: where its servers listen on loopback. Each member has PostgreSQL, Patroni and etcd. */
interface Member {
  readonly name: string;
  readonly folder: string;
  readonly postgresPort: number;
  readonly restPort: number;
  readonly etcdPort: number;
  /** Where the other members' etcd finds its own. */
  readonly etcdPeerPort: number;
}

/** The settings of all members. docs/scaling.md explains them. */
const shared = {
  ttl: 20,
  loop_wait: 2,
  retry_timeout: 5,
  synchronous_mode: true,
  synchronous_mode_strict: true,
  maximum_lag_on_failover: 1_048_576,
  postgresql: { use_pg_rewind: true, parameters: { max_connections: 100 } },
};

/** Returns the arguments of a member's etcd. */
function etcdArguments({ name, folder, etcdPort, etcdPeerPort }: Member, members: readonly Member[]): string[] {
  const [clients, peers] = [urlOf(etcdPort), urlOf(etcdPeerPort)];
  return [
    ...["--name", name, "--data-dir", `${folder}/etcd`, "--log-level", "warn"],
    ...["--listen-client-urls", clients, "--advertise-client-urls", clients],
    ...["--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers],
    ...["--initial-cluster", members.map((one) => `${one.name}=${urlOf(one.etcdPeerPort)}`).join(",")],
  ];
}

const urlOf = (port: number) => `http://127.0.0.1:${port}`;

/** Returns the configuration of a member's Patroni. JSON is YAML, which Patroni reads. */
function configurationOf(member: Member, members: readonly Member[], programs: PatroniPrograms): string {
  const { name, folder, postgresPort, restPort } = member;
  const [postgres, rest] = [`127.0.0.1:${postgresPort}`, `127.0.0.1:${restPort}`];
  return JSON.stringify({
    scope: "platform",
    name,
    restapi: { listen: rest, connect_address: rest },
    etcd3: { hosts: members.map(({ etcdPort }) => `127.0.0.1:${etcdPort}`) },
    bootstrap: {
      dcs: shared,
      initdb: [{ encoding: "UTF8" }, { locale: "C" }, { auth: "trust" }, "data-checksums"],
    },
    postgresql: {
      listen: postgres,
      connect_address: postgres,
      data_dir: `${folder}/data`,
      bin_dir: programs.postgres,
      pgpass: `${folder}/pgpass`,
      authentication: { superuser: { username: "platform" }, replication: { username: "replicator" } },
      parameters: { unix_socket_directories: folder },
      pg_hba: ["local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
    },
  });
}

/** Returns the options of HAProxy: it sends connections to the member that Patroni's REST API calls the primary. */
function balancerOf(members: readonly Member[]): HaproxyOptions {
  return {
    mode: "tcp",
    defaults: ["timeout connect 2s", "timeout client 1h", "timeout server 1h", "timeout check 5s"],
    backend: [
      ...["option httpchk OPTIONS /primary", "http-check expect status 200"],
      "default-server inter 1s fall 3 rise 1 on-marked-down shutdown-sessions",
      ...members.map(
        ({ name, postgresPort, restPort }) => `server ${name} 127.0.0.1:${postgresPort} check port ${restPort}`,
      ),
    ],
  };
}

/** What a member reports of itself. */
interface MemberState {
  readonly name: string;
  readonly role: "primary" | "synchronous standby" | "standby" | "down";
}

/** Asks the REST API of each member for its state. */
function readMembers(members: readonly Member[]): Promise<MemberState[]> {
  return Promise.all(members.map(async (member) => ({ name: member.name, role: await readRole(member) })));
}

async function readRole({ restPort }: Member): Promise<MemberState["role"]> {
  try {
    const response = await fetch(`http://127.0.0.1:${restPort}/patroni`, { signal: AbortSignal.timeout(2000) });
    const { state, role, sync_standby } = JSON.parse(await response.text());
    if (state !== "running") return "down";
    // The name in Patroni 3 is "master", in Patroni 4 "primary".
    if (role === "master" || role === "primary") return "primary";
    return sync_standby === true ? "synchronous standby" : "standby";
  } catch {
    return "down";
  }
}

/** The programs of a Patroni cluster. */
interface PatroniPrograms {
  /** The command that runs Patroni. Its configuration is the only argument that is missing. */
  readonly patroni: readonly string[];
  readonly etcd: string;
  /** The folder of `postgres`, `initdb`, `pg_basebackup` and `pg_rewind`. */
  readonly postgres: string;
  readonly environment: NodeJS.ProcessEnv;
}

const { PATRONI_ROOT = "/" } = process.env;

/** The newest version of PostgreSQL that Patroni 3.0, the version of Debian 12, supports. */
const newestPostgres = 15;

/**
 * Finds the programs of Debian's packages. Patroni and etcd may be unpacked with `dpkg -x` in the folder PATRONI_ROOT.
 *
 * @returns the programs, or what is missing.
 */
export function findPatroni(): PatroniPrograms | { readonly missing: string } {
  const [patroni, etcd] = [join(PATRONI_ROOT, "usr/bin/patroni"), join(PATRONI_ROOT, "usr/bin/etcd")];
  const postgres = findPostgres();
  const found = {
    [patroni]: existsSync(patroni),
    [etcd]: existsSync(etcd),
    haproxy: !installedHaproxy.missing,
    "PostgreSQL up to 15": postgres !== undefined,
  };
  const missing = Object.entries(found).flatMap(([name, isFound]) => (isFound ? [] : [name]));
  if (postgres === undefined || missing.length > 0) {
    const packages = "patroni, etcd-server, haproxy and postgresql-15";
    return {
      missing: `${missing.join(", ")} not found. Install Debian's packages ${packages}. See tools/faults/README.md.`,
    };
  }
  const modules = join(PATRONI_ROOT, "usr/lib/python3/dist-packages");
  const environment = { PYTHONPATH: modules, PYTHONUNBUFFERED: "1" };
  return { patroni: ["/usr/bin/python3", patroni], etcd, postgres, environment };
}

/** Returns the folder of the programs of the newest version that is installed. */
function findPostgres(): string | undefined {
  const version = (path: string) => Number(/postgresql\/(\d+)\//.exec(path)?.[1]);
  const [newest] = globSync("/usr/lib/postgresql/*/bin/pg_rewind")
    .filter((path) => version(path) <= newestPostgres)
    .sort((a, b) => version(b) - version(a));
  return newest && dirname(newest);
}
