import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTemporaryFolder, findInstalled } from "./files.ts";
import { freePort } from "./network.ts";
import { startProgram } from "./processes.ts";

export const installedHaproxy = findInstalled("HAPROXY_PATH", "haproxy");

/** The servers behind HAProxy, and how it uses them. */
export interface HaproxyOptions {
  readonly mode: "http" | "tcp";
  /** Lines of the section `defaults`: each mode has its own. */
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

/** Starts HAProxy on free ports. */
export async function startHaproxy({ mode, defaults, backend }: HaproxyOptions): Promise<Haproxy> {
  const [port, statsPort] = [await freePort(), await freePort()];
  const folder = createTemporaryFolder("haproxy");
  const file = join(folder.path, "haproxy.cfg");
  const section = (name: string, ...lines: readonly string[]) => [name, ...lines.map((line) => `  ${line}`)].join("\n");
  const sections = [
    section("global", "maxconn 1000"),
    section("defaults", `mode ${mode}`, ...defaults),
    section("frontend servers", `bind 127.0.0.1:${port}`, "default_backend servers"),
    section("frontend stats", "mode http", `bind 127.0.0.1:${statsPort}`, "stats enable", "stats uri /stats"),
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
