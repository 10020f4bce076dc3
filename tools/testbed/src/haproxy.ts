import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createTemporaryFolder, findInstalled } from "./files.ts";
import { freePort } from "./network.ts";
import { createRestartable, startProgram } from "./processes.ts";

export const installedHaproxy = findInstalled("HAPROXY_PATH", "haproxy");

/** The servers behind HAProxy, and how it uses them. */
interface HaproxyOptions {
  /** Lines of the section `defaults`. */
  readonly defaults: readonly string[];
  /** Lines of the section `backend`, with the servers. */
  readonly backend: readonly string[];
}

/** A running HAProxy. Disposing of it kills it. */
export interface Haproxy extends AsyncDisposable {
  /** The port that leads to the servers. */
  readonly port: number;
  /** Returns whether HAProxy sends requests to the server of a name. */
  uses(server: string): Promise<boolean>;
}

export async function startHaproxy({ defaults, backend }: HaproxyOptions): Promise<Haproxy> {
  const [port, statsPort] = [await freePort(), await freePort()];
  const folder = createTemporaryFolder("haproxy");
  const file = join(folder.path, "haproxy.cfg");
  const section = (name: string, ...lines: readonly string[]) => [name, ...lines.map((line) => `  ${line}`)].join("\n");
  const sections = [
    section("global", "maxconn 1000"),
    section("defaults", "mode http", ...defaults),
    section("frontend servers", `bind 127.0.0.1:${port}`, "default_backend servers"),
    section("frontend stats", `bind 127.0.0.1:${statsPort}`, "stats enable", "stats uri /stats"),
    section("backend servers", ...backend),
  ];
  writeFileSync(file, `${sections.join("\n")}\n`);
  const program = startProgram([installedHaproxy.path, "-db", "-f", file]);
  return {
    port,
    async uses(server) {
      const response = await fetch(`http://127.0.0.1:${statsPort}/stats;csv`).catch(() => undefined);
      const line = (await response?.text())?.split("\n").find((each) => each.startsWith(`servers,${server},`));
      return line?.split(",").includes("UP") === true;
    },
    async [Symbol.asyncDispose]() {
      await program.stop("SIGKILL");
      folder.remove();
    },
  };
}

/** The ports of the listeners of a process or of the router, on loopback, by the names of the frontends in `cells.cfg`. */
export interface CellPorts {
  readonly public: number;
  readonly accounts: number;
  readonly mcp: number;
}

/** HAProxy with the configuration for cells of the deployment. Disposing of it kills it. */
export interface CellRouter extends AsyncDisposable {
  readonly ports: CellPorts;
  readonly socket: string;
  /** The files with the cell of each tenant, and with the tenant of each host name. */
  readonly tenantsMap: string;
  readonly hostsMap: string;
  /** Sends a command to the runtime API. Resolves with the answer. */
  command(line: string): Promise<string>;
  kill(): Promise<void>;
  start(): void;
}

function portOf(ports: CellPorts, listener: string): number | undefined {
  return new Map<string, number>(Object.entries(ports)).get(listener);
}

const deployed = fileURLToPath(new URL("../../../apps/platform/deploy/haproxy/", import.meta.url));

/** Returns the ports of a router, before it is started. */
export async function cellRouterPorts(): Promise<CellPorts> {
  return { public: await freePort(), accounts: await freePort(), mcp: await freePort() };
}

/**
 * Starts HAProxy with deploy/haproxy/cells.cfg and its maps, in which only paths, ports and servers are replaced.
 *
 * @param cells the processes of each cell, by its name
 * @param maps the texts of maps that replace those of the deployment
 */
export async function startCellRouter(
  cells: Readonly<Record<string, readonly CellPorts[]>>,
  ports: CellPorts,
  maps: { readonly "tenants.map"?: string; readonly "hosts.map"?: string } = {},
): Promise<CellRouter> {
  const folder = createTemporaryFolder("cells");
  const at = (name: string) => join(folder.path, name);
  const [socket, file] = [at("admin.sock"), at("cells.cfg")];
  for (const map of ["tenants.map", "hosts.map"] as const) {
    writeFileSync(at(map), maps[map] ?? readFileSync(join(deployed, map), "utf8"));
  }
  const processes = Object.entries(cells).flatMap(([cell, own]) => own.map((ports) => ({ cell, ports })));
  const serversOf = (listener: string, name: string) =>
    processes
      .filter(({ cell }) => name === "any" || name === cell)
      .map(
        ({ cell, ports }, number) =>
          `  server ${cell}-${number} 127.0.0.1:${portOf(ports, listener)} port ${ports.public}\n`,
      )
      .join("");
  const config = readFileSync(join(deployed, "cells.cfg"), "utf8")
    .replaceAll("/etc/haproxy/", `${folder.path}/`)
    .replaceAll("/run/haproxy/admin.sock", socket)
    .replace("maxconn 10000", "maxconn 1000")
    .replace("check port 8080 inter 1s fall 2 rise 1 init-addr none resolvers local", "check inter 100ms")
    .replaceAll(/^(frontend (\w+) .*\n {2}bind ):\d+$/gm, (_, line, name) => `${line}127.0.0.1:${portOf(ports, name)}`)
    .replaceAll(/^ {2}server .*\n/gm, "")
    .replaceAll(/^backend (\w+)-(\w+)\n/gm, (line, listener, cell) => line + serversOf(listener, cell));
  writeFileSync(file, config);
  const program = createRestartable([installedHaproxy.path, "-db", "-f", file], { log: join(folder.path, "log") });
  program.start();
  return {
    ports,
    socket,
    tenantsMap: at("tenants.map"),
    hostsMap: at("hosts.map"),
    command: (line) => text(connect(socket).end(`${line}\n`)),
    kill: program.kill,
    start: program.start,
    async [Symbol.asyncDispose]() {
      await program.kill();
      folder.remove();
    },
  };
}
