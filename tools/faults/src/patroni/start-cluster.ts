import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort } from "@platform-rpc/testbed/network";
import { balancerOf, configurationOf, etcdArguments, type Member } from "./configuration.ts";
import { findPatroni } from "./find-programs.ts";
import { createMachine } from "./machine.ts";
import { readMembers } from "./rest-api.ts";

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
  const run = (name: string, command: readonly string[]) => {
    const machine = createMachine(command, { environment: programs.environment, log: join(folder, `${name}.log`) });
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
  const port = await freePort();
  const balancer = join(folder, "haproxy.cfg");
  writeFileSync(balancer, balancerOf(port, members));
  run("haproxy", [programs.haproxy, "-db", "-f", balancer]);

  /** Repeats a look at the cluster until it returns a value. */
  const until = async <Value>(
    what: string,
    look: (states: Awaited<ReturnType<typeof readMembers>>) => Value | undefined,
  ) => {
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
