import { existsSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort } from "@platform-rpc/testbed/network";
import { findOnPath } from "../patroni/find-programs.ts";
import { createMachine, type Machine } from "../patroni/machine.ts";

const { PGBOUNCER_PATH } = process.env;

/** Returns why PgBouncer cannot be started; undefined if it can. */
export function missingPgBouncer(): string | undefined {
  const program = PGBOUNCER_PATH ?? findOnPath("pgbouncer");
  if (program !== undefined && existsSync(program)) return undefined;
  return "PgBouncer was not found. Install Debian's package pgbouncer, or set PGBOUNCER_PATH.";
}

/** Starts PgBouncer in transaction mode, with its files in a folder, in front of a port of loopback. `start` starts it again. */
export async function startPgBouncer(folder: string, serverPort: number): Promise<Machine & { readonly port: number }> {
  const port = await freePort();
  const settings = join(folder, "pgbouncer.ini");
  const lines = [
    ...["[databases]", `* = host=127.0.0.1 port=${serverPort} user=platform`, "[pgbouncer]"],
    ...["pool_mode = transaction", "default_pool_size = 10", "auth_type = any", "unix_socket_dir ="],
    ...["listen_addr = 127.0.0.1", `listen_port = ${port}`],
  ];
  writeFileSync(settings, `${lines.join("\n")}\n`);
  const program = PGBOUNCER_PATH ?? findOnPath("pgbouncer") ?? "pgbouncer";
  const machine = createMachine([program, settings], { environment: {}, log: join(folder, "pgbouncer.log") });
  machine.start();
  while (!(await accepts(port))) {
    if (!machine.running) throw new Error(`PgBouncer ended at its start. See ${join(folder, "pgbouncer.log")}.`);
    await setTimeout(20);
  }
  return {
    port,
    get running() {
      return machine.running;
    },
    start: machine.start,
    kill: machine.kill,
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const end = (accepted: boolean) => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });
}
