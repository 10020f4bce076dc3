import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@platform-rpc/testbed/network";
import { onTestFinished } from "vitest";
import { haproxy } from "./installed.js";
import { temporaryFolder } from "./temporary-folder.js";

/**
 * Starts HAProxy in front of processes on this machine, until the test ends. It checks their readiness every 100 ms, keeps
 * connections open, and sends no request twice: a process that closes too early causes an error.
 */
export async function startHaproxy(ports: readonly number[]) {
  const [port, statsPort] = [await freePort(), await freePort()];
  const folder = await temporaryFolder();
  const file = join(folder, "haproxy.cfg");
  const servers = ports.map((each) => `  server s${each} 127.0.0.1:${each}`);
  await writeFile(
    file,
    `global
  maxconn 500
defaults
  mode http
  retries 0
  timeout connect 5s
  timeout client 30s
  timeout server 30s
  timeout http-keep-alive 30s
  # Default: the interval of the checks, which a busy machine misses.
  timeout check 10s
frontend public
  bind 127.0.0.1:${port}
  default_backend platform
frontend stats
  bind 127.0.0.1:${statsPort}
  stats enable
  stats uri /stats
backend platform
  balance roundrobin
  http-reuse always
  option httpchk GET /readyz
  http-check expect status 200
  default-server check inter 100ms fall 1 rise 1
${servers.join("\n")}
`,
  );
  const child = spawn(haproxy.path, ["-db", "-f", file], { stdio: "ignore" });
  await once(child, "spawn");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  return {
    url: `http://127.0.0.1:${port}`,
    /** Returns whether HAProxy sends requests to the process at a port. */
    async uses(server: number): Promise<boolean> {
      const response = await fetch(`http://127.0.0.1:${statsPort}/stats;csv`).catch(() => undefined);
      const line = (await response?.text())?.split("\n").find((each) => each.startsWith(`platform,s${server},`));
      return line?.split(",").includes("UP") === true;
    },
  };
}
